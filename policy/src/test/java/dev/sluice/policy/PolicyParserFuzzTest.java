package dev.sluice.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.charset.StandardCharsets;

/** A policy text is read, twice the same, or refused with problems that a person can find. */
final class PolicyParserFuzzTest {

    @FuzzTest
    void parse(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        try {
            Policy policy = PolicyParser.parse("policy.yaml", text);
            assertEquals(policy, PolicyParser.parse("policy.yaml", text));
        } catch (PolicyException refused) {
            assertFalse(refused.problems().isEmpty());
            for (PolicyException.Problem problem : refused.problems()) {
                assertEquals("policy.yaml", problem.file());
                assertFalse(problem.message().isBlank());
            }
        }
    }
}
