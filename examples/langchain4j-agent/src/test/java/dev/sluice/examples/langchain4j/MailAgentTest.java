package dev.sluice.examples.langchain4j;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the README says of this example. */
class MailAgentTest {

    @Test
    void attack_worksWithoutAPolicy_andIsStoppedWithIt() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        MailAgent.class.getName(),
                        "policy.yaml")
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        process.getOutputStream().close();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), out);
        List<String> sent = out.lines().filter(line -> line.startsWith("  => ")).toList();
        assertEquals(
                List.of("  => 3 mails were sent, 1 to the attacker", "  => 2 mails were sent, 0 to the attacker"),
                sent,
                out);
        List<String> guarded =
                out.substring(out.indexOf("With a policy:")).lines().toList();
        assertTrue(
                guarded.get(guarded.indexOf(guarded.stream()
                                        .filter(line -> line.contains("send_email") && line.contains("attacker"))
                                        .findFirst()
                                        .orElseThrow())
                                + 1)
                        .startsWith("    -> sluice denied `send_email`"),
                out);
        assertEquals(
                1,
                guarded.stream()
                        .filter(line -> line.contains("the person says yes"))
                        .count(),
                out);
    }
}
