package dev.sluice.examples.mail;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The mail of one user: the inbox, newest first, and the user's own drafts.
 *
 * @param owner the address of the user
 * @param inbox received mail
 * @param drafts mail that the user has written and not sent
 */
record Mailbox(String owner, List<Mail> inbox, List<Mail> drafts) {

    private static final String FIXTURE = "mailbox.json";

    Mailbox {
        inbox = List.copyOf(inbox);
        drafts = List.copyOf(drafts);
    }

    /** The fixed mailbox that comes with the server. */
    static Mailbox fixture(JsonMapper mapper) throws IOException {
        try (InputStream in = Mailbox.class.getResourceAsStream(FIXTURE)) {
            if (in == null) {
                throw new IOException("the mailbox is missing from the server's jar: build it again");
            }
            JsonNode json = mapper.readTree(in);
            return new Mailbox(json.path("owner").stringValue(), mails(json.path("inbox")), mails(json.path("drafts")));
        }
    }

    /** The received mail or draft with this id. */
    Optional<Mail> find(String id) {
        for (List<Mail> folder : List.of(inbox, drafts)) {
            for (Mail mail : folder) {
                if (mail.id().equals(id)) {
                    return Optional.of(mail);
                }
            }
        }
        return Optional.empty();
    }

    /**
     * Whether somebody outside the owner's domain wrote the mail. The domain is compared whole: {@code clinic.example} is
     * neither {@code notclinic.example} nor {@code clinic.example.evil.example}.
     */
    boolean isFromOutside(Mail mail) {
        return !domain(mail.from()).equals(domain(owner));
    }

    private static String domain(String address) {
        return address.substring(address.lastIndexOf('@') + 1).toLowerCase(Locale.ROOT);
    }

    private static List<Mail> mails(JsonNode array) {
        List<Mail> mails = new ArrayList<>();
        for (JsonNode mail : array) {
            mails.add(new Mail(
                    mail.path("id").stringValue(),
                    mail.path("from").stringValue(),
                    addresses(mail.path("to")),
                    addresses(mail.path("cc")),
                    mail.path("subject").stringValue(),
                    mail.path("body").stringValue(),
                    mail.path("date").stringValue()));
        }
        return mails;
    }

    private static List<String> addresses(JsonNode array) {
        List<String> addresses = new ArrayList<>();
        for (JsonNode address : array) {
            addresses.add(address.stringValue());
        }
        return addresses;
    }
}
