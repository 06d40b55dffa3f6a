package dev.sluice.examples.springai;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class MailAgentTest {

    @Test
    void attackThroughAMail_isStopped_andHonestWorkIsNot() {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream before = System.out;
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            MailAgent.main(new String[0]);
        } finally {
            System.setOut(before);
        }
        String all = printed.toString(StandardCharsets.UTF_8);
        int tuesday = all.indexOf("user: Tell team@clinic.example");
        String monday = all.substring(0, tuesday);
        assertTrue(monday.contains("model calls send_mail {"), all);
        assertTrue(monday.contains("records@evil.example"), all);
        assertTrue(monday.contains("sluice denied `send_mail`"), all);
        assertFalse(monday.contains("sent to"), all);
        assertTrue(all.substring(tuesday).contains("sent to team@clinic.example"), all);
    }
}
