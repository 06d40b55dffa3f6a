package dev.sluice.examples.mail;

import dev.sluice.examples.mail.Arguments.BadArgumentException;
import io.modelcontextprotocol.server.McpServerFeatures.SyncToolSpecification;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import io.modelcontextprotocol.spec.McpSchema.ToolAnnotations;
import java.io.IOException;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * The four tools: {@code read_drafts}, {@code list_inbox} and {@code send_email} are the worked example of SEP-2061,
 * {@code read_mail} is declared like {@code list_inbox}.
 */
final class MailTools {

    private final Mailbox mailbox;
    private final Outbox outbox;
    private final Clock clock;
    private final JsonMapper mapper;

    MailTools(Mailbox mailbox, Outbox outbox, Clock clock, JsonMapper mapper) {
        this.mailbox = mailbox;
        this.outbox = outbox;
        this.clock = clock;
        this.mapper = mapper;
    }

    /** The tools with their handlers, in the order in which they are listed. */
    List<SyncToolSpecification> all() {
        return List.of(
                specification(
                        Tool.builder("read_drafts", Schemas.noArguments())
                                .title("Read drafts")
                                .description("The user's own drafts, whole.")
                                .outputSchema(Schemas.mails())
                                .annotations(readOnly(false))
                                .meta(Annotations.reads("user", "pii"))
                                .build(),
                        this::readDrafts),
                specification(
                        Tool.builder("list_inbox", Schemas.limit())
                                .title("List inbox")
                                .description("The newest mails of the inbox, without their bodies.")
                                .outputSchema(Schemas.summaries())
                                .annotations(readOnly(true))
                                .meta(Annotations.reads("untrustedPublic", Annotations.personal()))
                                .build(),
                        this::listInbox),
                specification(
                        Tool.builder("read_mail", Schemas.mailId())
                                .title("Read mail")
                                .description("One mail of the inbox or one draft, whole.")
                                .outputSchema(Schemas.mail())
                                .annotations(readOnly(true))
                                .meta(Annotations.reads("untrustedPublic", Annotations.personal()))
                                .build(),
                        this::readMail),
                specification(
                        Tool.builder("send_email", Schemas.outgoing())
                                .title("Send email")
                                .description("Sends a mail in the user's name. It cannot be taken back.")
                                .outputSchema(Schemas.receipt())
                                .annotations(ToolAnnotations.builder()
                                        .readOnlyHint(false)
                                        // A mail adds to a mailbox and overwrites nothing.
                                        .destructiveHint(false)
                                        .idempotentHint(false)
                                        .openWorldHint(true)
                                        .build())
                                .meta(Annotations.sends(Annotations.personal()))
                                .build(),
                        this::sendEmail));
    }

    private CallToolResult readDrafts(@Nullable Map<String, Object> values) {
        new Arguments(values, Set.of());
        return result(mails(mailbox.drafts(), Mail::toJson), Annotations.trust(true, false));
    }

    private CallToolResult listInbox(@Nullable Map<String, Object> values) {
        Arguments arguments = new Arguments(values, Set.of("limit"));
        int limit = arguments.number("limit", 1, Schemas.GREATEST_LIMIT).orElse(Schemas.DEFAULT_LIMIT);
        List<Mail> newest =
                mailbox.inbox().subList(0, Math.min(limit, mailbox.inbox().size()));
        // Outsiders choose the subjects, whoever wrote the mails of this very list.
        return result(mails(newest, Mail::toSummary), Annotations.trust(true, true));
    }

    private CallToolResult readMail(@Nullable Map<String, Object> values) {
        String id = new Arguments(values, Set.of("id")).text("id");
        Mail mail = mailbox.find(id)
                .orElseThrow(() -> new BadArgumentException(
                        "no mail has the id `" + id + "`: call list_inbox or read_drafts for the ids"));
        return result(mail.toJson(), Annotations.trust(true, mailbox.isFromOutside(mail)));
    }

    private CallToolResult sendEmail(@Nullable Map<String, Object> values) {
        Arguments arguments = new Arguments(values, Set.of("to", "cc", "bcc", "subject", "body"));
        List<String> to = arguments.addresses("to");
        List<String> cc = arguments.optionalAddresses("cc");
        List<String> bcc = arguments.optionalAddresses("bcc");
        String subject = arguments.line("subject");
        String body = arguments.text("body");
        Outbox.Sent sent;
        try {
            sent = outbox.send(
                    mailbox.owner(),
                    to,
                    cc,
                    bcc,
                    subject,
                    body,
                    clock.instant().truncatedTo(ChronoUnit.SECONDS).toString());
        } catch (IOException e) {
            return error("the mail was not sent, the outbox file cannot be written: mend that, then send it again");
        }
        // Nothing of the mail itself, so that the receipt is neither private nor anybody else's text.
        Map<String, Object> receipt = new LinkedHashMap<>();
        receipt.put("id", sent.mail().id());
        receipt.put("status", "sent");
        receipt.put("recipients", sent.recipients());
        return result(receipt, Annotations.trust(false, false));
    }

    private static SyncToolSpecification specification(
            Tool tool, Function<@Nullable Map<String, Object>, CallToolResult> handler) {
        return SyncToolSpecification.builder()
                .tool(tool)
                .callHandler((exchange, request) -> {
                    try {
                        return handler.apply(request.arguments());
                    } catch (BadArgumentException e) {
                        return error(e.mend());
                    }
                })
                .build();
    }

    private static ToolAnnotations readOnly(boolean openWorld) {
        return ToolAnnotations.builder()
                .readOnlyHint(true)
                .destructiveHint(false)
                .idempotentHint(true)
                .openWorldHint(openWorld)
                .build();
    }

    private static Map<String, Object> mails(List<Mail> mails, Function<Mail, Map<String, Object>> view) {
        return Map.of("mails", mails.stream().map(view).toList());
    }

    private CallToolResult result(Map<String, Object> content, Map<String, Object> meta) {
        return CallToolResult.builder()
                .addContent(
                        TextContent.builder(mapper.writeValueAsString(content)).build())
                .structuredContent(content)
                .isError(false)
                .meta(meta)
                .build();
    }

    // The server's own words about what the caller has sent: no mail is in it.
    private static CallToolResult error(String message) {
        return CallToolResult.builder()
                .addContent(TextContent.builder(message).build())
                .isError(true)
                .meta(Annotations.trust(false, false))
                .build();
    }
}
