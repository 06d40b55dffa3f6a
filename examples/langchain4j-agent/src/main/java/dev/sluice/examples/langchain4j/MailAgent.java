package dev.sluice.examples.langchain4j;

import dev.langchain4j.agent.tool.Tool;
import dev.langchain4j.mcp.McpToolProvider;
import dev.langchain4j.mcp.client.DefaultMcpClient;
import dev.langchain4j.mcp.client.McpClient;
import dev.langchain4j.mcp.client.transport.McpTransport;
import dev.langchain4j.mcp.client.transport.stdio.StdioMcpTransport;
import dev.langchain4j.memory.chat.MessageWindowChatMemory;
import dev.langchain4j.service.AiServices;
import dev.langchain4j.service.MemoryId;
import dev.langchain4j.service.UserMessage;
import dev.sluice.guard.client.ApprovalRequest;
import dev.sluice.guard.client.Enforcement;
import dev.sluice.langchain4j.AgentGuard;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Runs the same agent twice against a mail server of its own: with nothing in between, and with a policy in force. */
public final class MailAgent {

    private static final String CONVERSATION = "user-1/chat-7";
    private static final String PROMPT =
            "Read mail m1, thank ana@partner.example for it, and tell team@clinic.example what it is about.";

    /** What the agent is to the program. */
    interface Assistant {
        String chat(@MemoryId String conversation, @UserMessage String text);
    }

    /** A tool of the agent itself. */
    static final class Desk {

        @Tool("says how the user signs mails")
        String signature() {
            return "Kim, clinic";
        }
    }

    private final Consumer<String> log;

    private MailAgent(PrintStream out) {
        this.log = out::println;
    }

    /**
     * Prints what happens without a policy and with it.
     *
     * @param args the policy file
     */
    public static void main(String[] args) throws Exception {
        if (args.length != 1) {
            System.err.println("usage: langchain4j-agent <policy file>");
            System.exit(2);
        }
        new MailAgent(System.out).run(Path.of(args[0]));
    }

    private void run(Path policy) throws Exception {
        log.accept("The user: " + PROMPT);
        Path outbox = Files.createTempFile("sent", ".jsonl");
        log.accept("Without a policy:");
        unguarded(outbox);
        sent(outbox);
        log.accept("With a policy:");
        guarded(policy, outbox);
        sent(outbox);
        Files.delete(outbox);
    }

    private void unguarded(Path outbox) throws Exception {
        McpClient mail = client(mailServer(outbox));
        try {
            Assistant agent = AiServices.builder(Assistant.class)
                    .chatModel(new ObedientModel(log))
                    .chatMemoryProvider(id -> MessageWindowChatMemory.withMaxMessages(50))
                    .tools(new Desk())
                    .toolProvider(McpToolProvider.builder().mcpClients(mail).build())
                    .build();
            agent.chat(CONVERSATION, PROMPT);
        } finally {
            mail.close();
        }
    }

    private void guarded(Path policy, Path outbox) throws Exception {
        try (Enforcement enforcement =
                Enforcement.builder(policy).approver(this::person).build()) {
            AgentGuard guard = AgentGuard.of(enforcement);
            McpClient mail = client(guard.transport("mail", mailServer(outbox)));
            try {
                Assistant agent = AiServices.builder(Assistant.class)
                        .chatModel(new ObedientModel(log))
                        .chatMemoryProvider(id -> MessageWindowChatMemory.withMaxMessages(50))
                        .tools(guard.tools("local", new Desk()))
                        .toolProvider(McpToolProvider.builder()
                                .mcpClients(mail)
                                .toolWrapper(guard::tool)
                                .build())
                        .build();
                guard.typed(CONVERSATION, PROMPT);
                agent.chat(CONVERSATION, PROMPT);
            } finally {
                mail.close();
            }
        }
    }

    /** A real agent shows the whole question to its user. This one plays a user who agrees. */
    private CompletableFuture<Boolean> person(ApprovalRequest request) {
        log.accept("    ?? " + request.sentence());
        log.accept("    ?? the person says yes");
        return CompletableFuture.completedFuture(true);
    }

    private static McpClient client(McpTransport transport) {
        return DefaultMcpClient.builder()
                .transport(transport)
                .toolExecutionTimeout(Duration.ofMinutes(2))
                .build();
    }

    private static McpTransport mailServer(Path outbox) throws Exception {
        Files.write(outbox, new byte[0]);
        return StdioMcpTransport.builder()
                .command(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        "dev.sluice.examples.mail.MailServer",
                        "--outbox",
                        outbox.toString()))
                .build();
    }

    private void sent(Path outbox) throws Exception {
        List<String> mails = Files.readAllLines(outbox, StandardCharsets.UTF_8);
        log.accept("  => " + mails.size() + " mails were sent, "
                + mails.stream()
                        .filter(mail -> mail.contains("attacker@evil.example"))
                        .count() + " to the attacker");
    }
}
