package dev.sluice.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What needs nobody's word when a policy changes, and that everything else does. */
class LooseningTest {

    private static final String POLICY = """
            version: 1
            mode: warn
            profile: balanced
            audiences: {clinic: {domains: [clinic.example]}, lab: {members: [lab]}}
            inside: [clinic]
            vocabularies: [{id: "urn:a", classes: {chart: sensitive}}]
            servers:
              mail:
                command: [mail]
                known: none
                defaults: {integrity: trusted, confidentiality: private}
                claims: full
                evidence: {hours: 24}
                informed: false
                readers: {command: [who]}
                tools:
                  send:
                    effects: [sends, reads]
                    audience: [to]
                    payload: [body]
                    steers: [room]
                    inert: [page]
                    alone: false
                    accepts: [mail, chart]
                    outcome: consequential
                    review: true
                    user_named: declassify
                    returns: {integrity: trusted}
              notes: {}
            rules:
              - {id: large, on: {tools: send}, then: ask}
            sequences:
              - {id: once, steps: [{on: {tools: send}, times: 2}], then: ask}
            grants:
              - {id: own, on: {servers: mail}, endorse: true, owner: ana, until: 2027-01-31}
            """;

    private static List<String> changed(String from, String to) {
        assertEquals(2, POLICY.split(java.util.regex.Pattern.quote(from), -1).length, "once: " + from);
        return loosened(POLICY, POLICY.replace(from, to.replace("\\n", "\n")));
    }

    private static List<String> loosened(String old, String next) {
        return Loosening.of(PolicyParser.parse("p.yaml", old), PolicyParser.parse("p.yaml", next));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "version: 1 | version: 1 # a comment",
                "mode: warn | mode: enforce",
                "profile: balanced | profile: strict",
                "inside: [clinic] | inside: []",
                "command: [mail] | command: [mail, --other]",
                "command: [mail] | url: https://mail.example/mcp",
                "command: [mail] | command: [mail]\\n    idle: 1m",
                "defaults: {integrity: trusted, | defaults: {integrity: untrusted,",
                "claims: full | claims: {integrity: raise, confidentiality: full, classes: full}",
                "readers: {command: [who]} | ~~",
                "effects: [sends, reads] | effects: [sends, reads, writes]",
                "accepts: [mail, chart] | accepts: [mail]",
                "outcome: consequential | outcome: irreversible",
                "user_named: declassify | user_named: keep",
                "returns: {integrity: trusted} | returns: {integrity: untrusted}",
                "tools: send}, then: ask} | tools: send}, then: deny}",
                "times: 2}], then: ask} | times: 2}], then: deny}",
                "rules: | rules:\\n  - {id: more, on: {servers: mail}, then: ask}",
                "sequences: | sequences:\\n  - {id: more, steps: [{on: {servers: mail}}]}",
                "- {id: own, on: {servers: mail}, endorse: true, owner: ana, until: 2027-01-31} | []",
                "notes: {} | notes: {tools: {read: {review: true}}}",
                "notes: {} | notes: {}\\n  more: {defaults: {confidentiality: public}}",
            })
    void stricter_needsNobodysWord(String from, String to) {
        assertEquals(List.of(), changed(from, to));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "mode: warn | mode: audit | `mode` does less with decisions",
                "{domains: [clinic.example]} | {domains: [clinic.example, x.example]} | `audiences` are not the same",
                "{domains: [clinic.example]} | {members: [ana]} | `audiences` are not the same",
                "inside: [clinic] | inside: [clinic, lab] | more audiences are `inside`",
                "chart: sensitive | chart: public | `vocabularies` are not the same",
                "known: none | known: auto | another shipped profile applies to `mail`",
                "confidentiality: private} | confidentiality: public} | `defaults` of `mail` are not the same",
                "claims: full | claims: raise | `claims` of `mail` are not the same",
                "hours: 24 | hours: 2 | `evidence` of `mail` is not the same",
                "informed: false | informed: true | `mail` is told what sessions have seen",
                "informed: false | informed: false\\n    resolve: false | `resolve` of `mail` is not the same",
                "command: [who] | command: [other] | who says who may read resources of `mail` is new or not as it was",
                "effects: [sends, reads] | effects: [sends, writes] | `effects` of `send` of `mail` are not the same",
                "audience: [to] | audience: [to, cc] | `audience` of `send` of `mail` is not the same",
                "payload: [body] | payload: [] | `payload` of `send` of `mail` is not the same",
                "steers: [room] | steers: [hall] | `steers` of `send` of `mail` is not the same",
                "inert: [page] | inert: [] | `inert` of `send` of `mail` is not the same",
                "alone: false | alone: true | `alone` of `send` of `mail` is not the same",
                "accepts: [mail, chart] | accepts: [mail, other] | `accepts` of `send` of `mail` is not narrower",
                "outcome: consequential | outcome: benign | `outcome` of `send` of `mail` is not as grave",
                "review: true | review: false | `review` of `send` of `mail` is not asked for",
                "payload: [body] | payload: [body]\\n        derives: false | `derives` of `send` of `mail` is not the same",
                "payload: [body] | payload: [body]\\n        resource: [a] | `resource` of `send` of `mail` is not the same",
                "returns: {integrity: trusted} | returns: {confidentiality: private} | `returns` of `send` of `mail` are not the same",
                "- {id: large, on: {tools: send}, then: ask} | [] | the rule `large` is gone or not as it was",
                "id: large, on: {tools: send} | id: large, on: {tools: send, effects: sends} | the rule `large` is gone or not as it was",
                "times: 2 | times: 3 | the sequence `once` is gone or not as it was",
                "until: 2027-01-31 | until: 2027-02-01 | the grant `own` is new or not as it was",
                "notes: {} | other: {} | the server `notes` is described no more",
                "notes: {} | notes: {profile: strict} | `profile` is not the same, and not strict for all calls or not without conditions that ask about labels",
            })
    void anythingElse_needsTheApproversWord(String from, String to, String what) {
        assertEquals(List.of(what), changed(from, to));
    }

    /** A condition can ask for what is not in a label, so that a label which grows is no proof. */
    @Test
    void strictness_isNoProofUnderConditions() {
        String conditional =
                POLICY.replace("rules:", "rules:\n  - {id: c, when: 'call.label.classes == []', then: deny}");

        assertEquals(
                List.of("`returns` of `send` of `mail` are not the same"),
                loosened(
                        conditional,
                        conditional.replace("returns: {integrity: trusted}", "returns: {integrity: untrusted}")));
        assertFalse(loosened(conditional, conditional.replace("profile: balanced", "profile: strict"))
                .isEmpty());
        assertEquals(List.of(), loosened(POLICY, conditional));
    }

    @Test
    void sequenceOfTwoTools_isNotThatOfOneToolWithBothNames() {
        String described = POLICY.replace(
                "notes: {}",
                "notes: {tools: {send_email: {review: true}, send_sms: {review: true}, 'send_email, send_sms': {review:"
                        + " true}}}");
        String two = described.replace("on: {tools: send}, times: 2", "on: {tools: [send_email, send_sms]}, times: 2");
        String one = described.replace("on: {tools: send}, times: 2", "on: {tools: 'send_email, send_sms'}, times: 2");

        assertEquals(List.of("the sequence `once` is gone or not as it was"), loosened(two, one));
    }

    /** What is declassified no more is private, and may so go where only private data does. */
    @Test
    void grantThatIsGone_isNoProof_whereItDeclassifiesOrConditionsAsk() {
        String grant = "  - {id: own, on: {servers: mail}, endorse: true, owner: ana, until: 2027-01-31}\n";
        String declassifying = POLICY.replace("endorse: true", "declassify: {sources: mail}");
        assertEquals(
                List.of("the grant `own` is gone or not as it was"),
                loosened(
                        declassifying,
                        declassifying.replace(
                                grant.replace("endorse: true", "declassify: {sources: mail}"), "  []\n")));

        String conditional =
                POLICY.replace("rules:", "rules:\n  - {id: c, when: 'call.label.classes == []', then: deny}");
        assertEquals(
                List.of("the grant `own` is gone or not as it was"),
                loosened(conditional, conditional.replace(grant, "  []\n")));
    }

    @Test
    void moreEffects_areNoProof_whereTheyMayExcuseCalls() {
        for (String excuse : List.of("unless", "until")) {
            String excusing = POLICY.replace(
                    "sequences:",
                    "sequences:\n  - {id: e, steps: [{on: {servers: notes}}," + " {on: {servers: mail}}], " + excuse
                            + ": {on: {effects: writes}}}");
            assertEquals(
                    List.of("`effects` of `send` of `mail` are not the same"),
                    loosened(excusing, excusing.replace("effects: [sends, reads]", "effects: [sends, reads, writes]")),
                    excuse);
        }
    }

    @Test
    void conditionOfARedaction_isACondition() {
        String redacting = POLICY + "redact:\n  - {id: r, when: 'label.integrity == \"trusted\"'}\n";

        assertEquals(
                List.of("`returns` of `send` of `mail` are not the same"),
                loosened(
                        redacting,
                        redacting.replace("returns: {integrity: trusted}", "returns: {integrity: untrusted}")));
    }

    @Test
    void samePolicy_isNotLooser() {
        assertEquals(List.of(), loosened(POLICY, POLICY));
    }

    private static List<String> spans(String was, String is) {
        String from = "returns: {integrity: trusted}";
        return loosened(
                POLICY.replace(from, "returns: {integrity: trusted, spans: [" + was + "]}"),
                POLICY.replace(from, "returns: {integrity: trusted, spans: [" + is + "]}"));
    }

    @Test
    void spans_areAsStrictOnlyWhereMoreAreUntrusted() {
        String words = "{match: said.*, integrity: untrusted}";
        String cards = "{match: '\\d{16}', classes: [card]}";
        List<String> looser = List.of("`returns` of `send` of `mail` are not the same");

        assertEquals(List.of(), spans(cards, cards));
        assertEquals(List.of(), spans(cards, cards + ", " + words));
        assertEquals(looser, spans(cards + ", " + words, cards));
        assertEquals(looser, spans(words, cards + ", " + words), "a class is a reason for some rule to be milder");
        assertEquals(looser, spans(cards, cards.replace("16", "15")));
        assertEquals(looser, spans("{match: 'a(b)', classes: [x]}", "{match: 'a(b)', group: 1, classes: [x]}"));
        assertEquals(looser, spans(words, words + ", {match: a, integrity: untrusted, confidentiality: private}"));
    }

    @Test
    void spansOfDefaults_countLikewise() {
        String from = "defaults: {integrity: trusted, confidentiality: private}";
        String with = from.replace("}", ", spans: {match: '\\d{16}', classes: [card]}}");

        assertEquals(List.of("`defaults` of `mail` are not the same"), loosened(POLICY.replace(from, with), POLICY));
    }
}
