package dev.sluice.examples.mail;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * What has left the server: kept in memory and, if a file is given, appended to it, one JSON object a line.
 *
 * <p>Nothing is delivered to anybody. Safe for use by several threads.
 */
final class Outbox {

    private final JsonMapper mapper;
    private final @Nullable Path file;
    private final List<Sent> sent = new ArrayList<>();

    /**
     * An empty outbox.
     *
     * @param file where sent mail is appended, or null to keep it in memory only
     * @throws IOException if the file cannot be written
     */
    Outbox(JsonMapper mapper, @Nullable Path file) throws IOException {
        this.mapper = mapper;
        this.file = file;
        append("");
    }

    /**
     * Sends a mail.
     *
     * @return the mail as sent, with its id: {@code s1}, {@code s2} and so on
     * @throws IOException if the file cannot be written; the mail is then not sent
     */
    synchronized Sent send(
            String from, List<String> to, List<String> cc, List<String> bcc, String subject, String body, String date)
            throws IOException {
        Sent mail = new Sent(new Mail("s" + (sent.size() + 1), from, to, cc, subject, body, date), bcc);
        append(mapper.writeValueAsString(mail.toJson()) + "\n");
        sent.add(mail);
        return mail;
    }

    private void append(String line) throws IOException {
        if (file != null) {
            Files.write(
                    file,
                    line.getBytes(StandardCharsets.UTF_8),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.WRITE,
                    StandardOpenOption.APPEND);
        }
    }

    /**
     * A sent mail.
     *
     * @param bcc the addresses of those who get a copy that the others do not see, may be empty
     */
    record Sent(Mail mail, List<String> bcc) {

        Sent {
            bcc = List.copyOf(bcc);
        }

        /** How many addresses the mail went to. */
        int recipients() {
            return mail.to().size() + mail.cc().size() + bcc.size();
        }

        private Map<String, Object> toJson() {
            Map<String, Object> json = new LinkedHashMap<>(mail.toJson());
            json.put("bcc", bcc);
            return json;
        }
    }
}
