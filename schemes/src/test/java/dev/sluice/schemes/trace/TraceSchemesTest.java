package dev.sluice.schemes.trace;

import static dev.sluice.schemes.Vectors.json;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.schemes.Claims;
import dev.sluice.schemes.LabelScheme;
import dev.sluice.wire.Decoded;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Records of what was done: they claim nothing, whatever stands in them, and what is malformed is told. */
class TraceSchemesTest {

    private static final String DECISION =
            "{'decision':'deny','reasons':['a','b'],'rule':'r','stage':'pre_call','subject':'tool:x'}";

    private static List<String> findings(LabelScheme scheme, String record) {
        Decoded<Claims> read = scheme.read(json(record));
        assertEquals(Claims.NONE, read.value());
        return read.findings().stream()
                .map(each -> each.pointer() + " " + each.message())
                .toList();
    }

    @Test
    void decisionWithEveryMember_hasNoFinding() {
        assertEquals(List.of(), findings(new PolicyDecisionScheme(), DECISION));
        assertEquals(List.of(), findings(new PolicyDecisionScheme(), DECISION.replace("}", ",'more':{}}")));
        assertEquals(List.of(), findings(new PolicyDecisionScheme(), DECISION.replace("['a','b']", "[]")));
    }

    @ParameterizedTest
    @CsvSource({"decision", "rule", "stage", "subject"})
    void decisionWithoutAText_isTold(String member) {
        String told = "/" + member + " `" + member + "` is missing or no string: write a string";

        assertEquals(
                List.of(told), findings(new PolicyDecisionScheme(), DECISION.replace("'" + member + "'", "'other'")));
        assertEquals(
                List.of(told),
                findings(
                        new PolicyDecisionScheme(),
                        DECISION.replaceAll("'" + member + "':'[^']*'", "'" + member + "':1")));
    }

    @Test
    void decisionWithoutReasons_isTold() {
        String told = "/reasons `reasons` is missing or no array of strings: write an array of strings";

        for (String reasons : List.of("'a'", "['a',1]", "{}", "null", "[['a']]")) {
            assertEquals(
                    List.of(told),
                    findings(new PolicyDecisionScheme(), DECISION.replace("['a','b']", reasons)),
                    reasons);
        }
    }

    @Test
    void sequenceWithItsMembers_hasNoFinding() {
        for (String record : List.of(
                "{'sequence':['a','b'],'window':2,'flagged_step':1}",
                "{'sequence':['a'],'flagged_step':0}",
                "{'sequence':[]}",
                "{'sequence':['a'],'window':0,'more':true}")) {
            assertEquals(List.of(), findings(new SequenceScheme(), record), record);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{'sequence':'a'} | /sequence `sequence` is missing or no array of strings: write an array of strings",
                "{} | /sequence `sequence` is missing or no array of strings: write an array of strings",
                "{'sequence':['a'],'flagged_step':1} | /flagged_step `flagged_step` is no whole number from 0 to 0: write one",
                "{'sequence':['a','b'],'flagged_step':-1} | /flagged_step `flagged_step` is no whole number from 0 to 1: write one",
                "{'sequence':['a','b'],'flagged_step':'1'} | /flagged_step `flagged_step` is no whole number from 0 to 1: write one",
                "{'sequence':['a','b'],'flagged_step':null} | /flagged_step `flagged_step` is no whole number from 0 to 1: write one",
                "{'sequence':['a'],'window':1.5} | /window `window` is no whole number from 0 to 2147483647: write one",
                "{'sequence':['a'],'window':-1} | /window `window` is no whole number from 0 to 2147483647: write one",
                "{'sequence':['a'],'window':4294967297} | /window `window` is no whole number from 0 to 2147483647: write one"
            })
    void malformedSequence_isTold(String record, String told) {
        assertEquals(List.of(told), findings(new SequenceScheme(), record));
    }

    @Test
    void recordThatIsNoObject_isTold() {
        assertEquals(
                List.of(" a policy-decision record is an object"), findings(new PolicyDecisionScheme(), "['deny']"));
        assertEquals(List.of(" a sequence record is an object"), findings(new SequenceScheme(), "['a','b']"));
    }
}
