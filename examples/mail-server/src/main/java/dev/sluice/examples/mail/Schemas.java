package dev.sluice.examples.mail;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The JSON Schemas (2020-12) of what the tools take and give. Members keep their order: each start sends the same bytes. */
final class Schemas {

    /** How many mails a list gives when the caller does not say. */
    static final int DEFAULT_LIMIT = 20;

    /** How many mails a list gives at most. */
    static final int GREATEST_LIMIT = 50;

    private Schemas() {}

    static Map<String, Object> noArguments() {
        return object(Map.of(), List.of());
    }

    static Map<String, Object> limit() {
        Map<String, Object> limit = described("integer", "how many mails at most");
        limit.put("minimum", 1);
        limit.put("maximum", GREATEST_LIMIT);
        limit.put("default", DEFAULT_LIMIT);
        return object(Map.of("limit", limit), List.of());
    }

    static Map<String, Object> mailId() {
        return object(
                Map.of("id", described("string", "the id of a mail or draft, as list_inbox or read_drafts gives it")),
                List.of("id"));
    }

    static Map<String, Object> outgoing() {
        Map<String, Object> properties = new LinkedHashMap<>();
        properties.put("to", addresses("who gets the mail", 1));
        properties.put("cc", addresses("who gets a copy", 0));
        properties.put("bcc", addresses("who gets a copy that the others do not see", 0));
        properties.put("subject", described("string", "one line"));
        properties.put("body", described("string", "plain text"));
        return object(properties, List.of("to", "subject", "body"));
    }

    static Map<String, Object> mail() {
        Map<String, Object> properties = summaryProperties();
        properties.put("body", described("string", "plain text"));
        return object(properties, List.copyOf(properties.keySet()));
    }

    static Map<String, Object> mails() {
        return listOf(mail());
    }

    static Map<String, Object> summaries() {
        Map<String, Object> properties = summaryProperties();
        return listOf(object(properties, List.copyOf(properties.keySet())));
    }

    static Map<String, Object> receipt() {
        Map<String, Object> status = described("string", "what became of the mail");
        status.put("enum", List.of("sent"));
        Map<String, Object> recipients = described("integer", "how many addresses it went to");
        recipients.put("minimum", 1);
        Map<String, Object> properties = new LinkedHashMap<>();
        properties.put("id", described("string", "the id of the sent mail"));
        properties.put("status", status);
        properties.put("recipients", recipients);
        return object(properties, List.copyOf(properties.keySet()));
    }

    private static Map<String, Object> summaryProperties() {
        Map<String, Object> properties = new LinkedHashMap<>();
        properties.put("id", described("string", "unique in the mailbox"));
        properties.put("from", described("string", "the sender's address"));
        properties.put("to", addresses("the recipients' addresses", 1));
        properties.put("cc", addresses("the addresses of those who got a copy", 0));
        properties.put("subject", described("string", "one line"));
        properties.put("date", described("string", "RFC 3339, in UTC"));
        return properties;
    }

    private static Map<String, Object> described(String type, String description) {
        Map<String, Object> schema = new LinkedHashMap<>();
        schema.put("type", type);
        schema.put("description", description);
        return schema;
    }

    private static Map<String, Object> addresses(String description, int least) {
        Map<String, Object> schema = described("array", description);
        schema.put("items", Map.of("type", "string"));
        schema.put("minItems", least);
        return schema;
    }

    private static Map<String, Object> listOf(Map<String, Object> member) {
        Map<String, Object> array = described("array", "newest first");
        array.put("items", member);
        return object(Map.of("mails", array), List.of("mails"));
    }

    private static Map<String, Object> object(Map<String, Object> properties, List<String> required) {
        Map<String, Object> schema = new LinkedHashMap<>();
        schema.put("type", "object");
        schema.put("properties", properties);
        schema.put("required", required);
        schema.put("additionalProperties", false);
        return schema;
    }
}
