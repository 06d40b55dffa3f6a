package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code docs/enforce.md} has its reader write is built, and run against the mail server of the demo. */
class EnforceDocTest {

    @TempDir
    private Path folder;

    @Test
    void agentOfThePage_readsMail_andCanNotSendItOut() throws Exception {
        Page page = new Page("enforce.md");
        Path classes = Page.compiled(folder, page.blocks("java"));
        Files.writeString(folder.resolve("policy.yaml"), page.blocks("yaml").get(0));
        Process agent = new ProcessBuilder(Page.command(classes, "com.example.MailAgent", Children.classPath()))
                .directory(folder.toFile())
                .redirectError(folder.resolve("log").toFile())
                .start();
        String said = new String(agent.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertEquals(0, agent.waitFor(), Files.readString(folder.resolve("log")));
        List<String> lines = said.lines().toList();
        List<String> stated = page.blocks("text").get(0).lines().toList();
        assertEquals(stated.get(0), lines.get(0));
        String denied = stated.get(1).replace("DENIED", "");
        assertTrue(lines.get(1).startsWith(denied), said);
        assertTrue(lines.get(1).contains("denied"), said);
        assertTrue(!lines.get(1).contains("ana@partner.example"), said);
    }

    @Test
    void fragmentsOfTheReadme_compile() throws Exception {
        List<String> fragments = new Page("../README.md").blocks("java");
        String program = """
                package com.example;

                import dev.sluice.guard.client.*;
                import dev.sluice.mcpjava.emit.*;
                import dev.sluice.mcpjava.enforce.*;
                import io.modelcontextprotocol.client.*;
                import io.modelcontextprotocol.spec.*;
                import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
                import java.nio.file.Path;

                final class Readme {
                    static CallToolResult label(CallToolResult result) {
                        %s
                    }

                    static McpSyncClient enforce(McpClientTransport transport) {
                        %s
                        return client;
                    }
                }
                """.formatted(fragments.get(0), fragments.get(1));

        assertTrue(Files.exists(Page.compiled(folder, List.of(program)).resolve("com/example/Readme.class")));
        assertEquals(2, fragments.size());
    }
}
