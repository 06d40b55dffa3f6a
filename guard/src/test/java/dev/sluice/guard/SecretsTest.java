package dev.sluice.guard;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What proves who somebody is goes to no program that a policy starts. */
class SecretsTest {

    @Test
    void secretsAreTakenOut_andNothingElse() {
        Map<String, String> environment = new HashMap<>(
                Map.of("SLUICE_APPROVER_SECRET", "a", "SLUICE_HOST_TOKEN", "b", "PATH", "/bin", "SLUICE_X", "c"));
        Secrets.takeOut(environment);

        assertEquals(Map.of("PATH", "/bin", "SLUICE_X", "c"), environment);
    }
}
