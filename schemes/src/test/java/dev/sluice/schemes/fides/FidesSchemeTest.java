package dev.sluice.schemes.fides;

import static dev.sluice.schemes.Vectors.json;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.schemes.Claims;
import dev.sluice.wire.Claim;
import dev.sluice.wire.Decoded;
import dev.sluice.wire.Finding;
import dev.sluice.wire.Finding.Code;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FidesSchemeTest {

    private static Decoded<Claims> read(String record) {
        return new FidesScheme().read(json(record));
    }

    @ParameterizedTest
    @CsvSource({
        "trusted, public, FALSE, FALSE",
        "trusted, private, FALSE, TRUE",
        "untrusted, public, TRUE, FALSE",
        "untrusted, private, TRUE, TRUE"
    })
    void fourRecords_claimTheirFourLabels(String integrity, String confidentiality, Claim untrusted, Claim sensitive) {
        Decoded<Claims> read =
                read("{'integrity':'" + integrity + "','confidentiality':'" + confidentiality + "','more':1}");

        assertEquals(new Decoded<>(new Claims(untrusted, sensitive, new TreeSet<>()), List.of()), read);
    }

    @Test
    void missingMember_isTheStrictestWithAFinding() {
        assertEquals(
                new Decoded<>(
                        Claims.STRICTEST,
                        List.of(
                                new Finding(
                                        Code.NOT_A_STRING,
                                        "/integrity",
                                        "`integrity` is missing: state it; read as the strictest"),
                                new Finding(
                                        Code.NOT_A_STRING,
                                        "/confidentiality",
                                        "`confidentiality` is missing: state it; read as the strictest"))),
                read("{}"));
        assertEquals(Claim.TRUE, read("{'integrity':'trusted'}").value().sensitive());
        assertEquals(Claim.FALSE, read("{'integrity':'trusted'}").value().untrusted());
        assertEquals(Claim.TRUE, read("{'confidentiality':'public'}").value().untrusted());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'integrity':'Trusted','confidentiality':'Public'}",
                "{'integrity':true,'confidentiality':false}",
                "{'integrity':null,'confidentiality':null}",
                "{'integrity':['trusted'],'confidentiality':['public']}",
                "{'integrity':'','confidentiality':' public'}"
            },
            quoteCharacter = '~')
    void valueOutsideTheVocabulary_isTheStrictestWithAFinding(String record) {
        Decoded<Claims> read = read(record);

        assertEquals(Claims.STRICTEST, read.value());
        assertEquals(
                List.of("/integrity", "/confidentiality"),
                read.findings().stream().map(Finding::pointer).toList());
        assertEquals(
                List.of(Code.UNKNOWN_VALUE, Code.UNKNOWN_VALUE),
                read.findings().stream().map(Finding::code).toList());
    }

    @Test
    void recordThatIsNoObject_isTheStrictestWithOneFinding() {
        for (String record : List.of("'trusted'", "[]", "null", "1")) {
            Decoded<Claims> read = read(record);

            assertEquals(Claims.STRICTEST, read.value(), record);
            assertEquals(
                    List.of(Code.NOT_AN_OBJECT),
                    read.findings().stream().map(Finding::code).toList());
        }
    }
}
