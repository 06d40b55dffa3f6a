package dev.sluice.examples.mail;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A mail as the mailbox holds it.
 *
 * @param id unique in the mailbox
 * @param from the sender's address
 * @param to the recipients' addresses, never empty
 * @param cc the addresses of those who get a copy, may be empty
 * @param subject one line
 * @param body plain text
 * @param date RFC 3339, in UTC
 */
record Mail(String id, String from, List<String> to, List<String> cc, String subject, String body, String date) {

    Mail {
        to = List.copyOf(to);
        cc = List.copyOf(cc);
    }

    /** The whole mail, members in the order of the output schema. */
    Map<String, Object> toJson() {
        Map<String, Object> json = new LinkedHashMap<>(toSummary());
        json.put("body", body);
        return json;
    }

    /** The mail without its body, as a list shows it. */
    Map<String, Object> toSummary() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("id", id);
        json.put("from", from);
        json.put("to", to);
        json.put("cc", cc);
        json.put("subject", subject);
        json.put("date", date);
        return json;
    }
}
