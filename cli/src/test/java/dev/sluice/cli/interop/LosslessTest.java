package dev.sluice.cli.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * That nothing changes a byte but the declared edits: each script is played to the server itself and through
 * {@code sluice run} under {@code mode: audit}, with a {@link Relay} before the server in both.
 *
 * <p>Two comparisons. On the two sides of Sluice, in one run: nothing is masked and the order is the same. Between the two
 * runs, of what the client received: what no two runs of the server share is masked.
 */
@Tag("interop")
final class LosslessTest {

    private static final String[] CAPABILITIES = {"params", "capabilities"};

    /**
     * What differs from one run of a server to the next.
     *
     * @param reason why
     */
    private record Mask(String pattern, String reason) {}

    private static final List<Mask> MASKS = List.of(
            new Mask(
                    "created at \\d+:\\d+:\\d+.{1,3}[AP]M", "server-everything writes the time into dynamic resources"),
            new Mask("\"blob\":\"UmVzb3VyY2U[^\"]*\"", "the same sentence with the time, in base64"),
            new Mask("\"taskId\":\"[0-9a-f]{32}\"", "the number of a task is random"),
            new Mask("\"(createdAt|lastUpdatedAt)\":\"[^\"]*\"", "a task holds when it was made and changed"),
            new Mask(
                    "(created|modified|accessed): \\w{3} \\w{3} \\d\\d [^\\\\]*",
                    "the files are made anew for each run"));

    @TempDir
    private Path temp;

    /** One playing of a script. */
    private record Played(
            List<RawClient.Step> steps,
            List<String> received,
            List<String> sent,
            List<String> toServer,
            List<String> fromServer) {}

    @BeforeAll
    static void demandServers() {
        Interop.demand();
    }

    @Test
    void filesystem_onlyTheDeclaredEdits() throws IOException {
        Path folder = temp.resolve("files");
        compare(Interop.filesystem(folder), client -> Scripts.filesystem(client, folder));
    }

    @Test
    void memory_onlyTheDeclaredEdits() throws IOException {
        compare(Interop.memory(), Scripts::memory);
    }

    @Test
    void everything_onlyTheDeclaredEdits() throws IOException {
        compare(Interop.everything(), Scripts::everything);
    }

    private void compare(List<String> server, Consumer<RawClient> script) throws IOException {
        Played direct = play("direct", server, script, relayed -> relayed);
        Path policy = temp.resolve("audit.yaml");
        Files.writeString(policy, "version: 1\nmode: audit\n");
        Played wrapped = play(
                "wrapped",
                server,
                script,
                relayed -> Interop.wrapped(
                        relayed,
                        "--state",
                        temp.resolve("state").toString(),
                        "--session",
                        "lossless",
                        "--policy",
                        policy.toString()));
        assertEquals(direct.sent(), direct.toServer(), "the relay itself changes nothing");
        assertEquals(direct.fromServer(), direct.received(), "the relay itself changes nothing");

        assertSame(
                wrapped.sent().stream().map(LosslessTest::withoutForged).toList(), toServer(wrapped), "to the server");
        assertSame(fromServer(wrapped), undone(wrapped.received(), fromServer(wrapped)), "to the client");
        assertTrue(
                wrapped.received().stream()
                                .filter(line -> line.contains("\"dev.sluice/label\""))
                                .count()
                        > 10,
                "results are labelled");
        assertRuns(direct, wrapped);
    }

    private Played play(
            String name,
            List<String> server,
            Consumer<RawClient> script,
            java.util.function.UnaryOperator<List<String>> through)
            throws IOException {
        Interop.fill(temp.resolve("files"));
        Path home = temp.resolve("home");
        Files.createDirectories(home);
        Map<String, String> environment = Interop.environment(home);
        Files.deleteIfExists(Path.of(environment.get("MEMORY_FILE_PATH")));
        Path kept = Files.createDirectory(temp.resolve(name));
        List<String> relayed = new ArrayList<>(Interop.java(Relay.class, kept.toString()));
        relayed.addAll(server);
        RawClient client =
                new RawClient(through.apply(relayed), environment, temp, Scripts.answers(temp.resolve("files")));
        // Before the end: then Sluice answers what the server never did, such as the cancelled request.
        List<RawClient.Step> steps;
        try (client) {
            script.accept(client);
            steps = client.steps();
        }
        return new Played(
                steps,
                steps.stream().flatMap(step -> step.lines().stream()).toList(),
                client.sent(),
                lines(kept.resolve(Relay.TO_SERVER)),
                lines(kept.resolve(Relay.FROM_SERVER)));
    }

    private static List<String> lines(Path file) throws IOException {
        return Files.readAllLines(file, StandardCharsets.ISO_8859_1);
    }

    /** What the server got, without the requests that Sluice makes itself, and without what it declares. */
    private static List<String> toServer(Played played) {
        return played.toServer().stream()
                .map(String::strip)
                .filter(line -> !line.matches(
                        "\\{\"jsonrpc\":\"2.0\",\"id\":\"sluice-\\d+\",\"method\":\"tools/list\",\"params\":\\{}}"))
                .map(line -> line.contains("\"initialize\"") ? undeclared(line, CAPABILITIES) : line)
                .toList();
    }

    /** What the server said, without its answers to what Sluice asked itself. */
    private static List<String> fromServer(Played played) {
        return played.fromServer().stream()
                .filter(line -> !line.matches(".*\"id\":\"sluice-\\d+\".*"))
                .toList();
    }

    /** A client's line as the server may see it: without keys that only Sluice may write, and without blanks around it. */
    private static String withoutForged(String line) {
        return new RawJson(line.strip())
                .without(name -> name.startsWith("dev.sluice/"), "params", "_meta")
                .text();
    }

    /** Takes out what Sluice may have put in; {@code before} are the lines as they were, as far as there are any. */
    private static List<String> undone(List<String> lines, List<String> before) {
        List<String> undone = new ArrayList<>();
        for (String line : lines) {
            undone.add(undone(line, undone.size() < before.size() ? before.get(undone.size()) : ""));
        }
        return undone;
    }

    /** A line as it was before Sluice marked it; {@code like} shows whether an empty {@code _meta} was there before. */
    private static String undone(String line, String like) {
        RawJson json = new RawJson(line)
                .without(
                        name -> name.startsWith("dev.sluice/")
                                || name.equals("io.modelcontextprotocol/trust-annotations"),
                        "result",
                        "_meta");
        boolean empty = json.value("result", "_meta").filter("{}"::equals).isPresent();
        if (empty && !like.contains("\"_meta\":{}")) {
            json = json.without("_meta"::equals, "result");
        }
        return json.value("result", "protocolVersion").isPresent()
                ? undeclared(json.text(), "result", "capabilities")
                : json.text();
    }

    /** A handshake without the two extensions that Sluice declares. */
    private static String undeclared(String line, String... capabilities) {
        String[] extensions = {capabilities[0], capabilities[1], "extensions"};
        RawJson json = new RawJson(line);
        for (String key :
                List.of("io.modelcontextprotocol/trust-annotations", "io.modelcontextprotocol/action-metadata")) {
            assertEquals(
                    "{}",
                    json.value(extensions[0], extensions[1], extensions[2], key).orElse("nothing"),
                    key + " is declared in " + line);
            json = json.without(key::equals, extensions);
        }
        return json.value(extensions).filter("{}"::equals).isPresent()
                ? json.without("extensions"::equals, capabilities).text()
                : json.text();
    }

    private static void assertSame(List<String> expected, List<String> actual, String what) {
        for (int i = 0; i < Math.min(expected.size(), actual.size()); i++) {
            assertEquals(expected.get(i), actual.get(i), what + ", message " + i);
        }
        assertEquals(expected.size(), actual.size(), what + ": the number of messages");
    }

    private static void assertRuns(Played direct, Played wrapped) {
        assertEquals(
                direct.steps().stream().map(RawClient.Step::name).toList(),
                wrapped.steps().stream().map(RawClient.Step::name).toList());
        for (int i = 0; i < direct.steps().size(); i++) {
            RawClient.Step step = direct.steps().get(i);
            assertSame(
                    comparable(step, step.lines()),
                    comparable(step, undone(wrapped.steps().get(i).lines(), step.lines())),
                    "in step `" + step.name() + "`");
        }
    }

    private static List<String> comparable(RawClient.Step step, List<String> lines) {
        List<String> masked = lines.stream().map(LosslessTest::masked).toList();
        return step.concurrent() ? masked.stream().sorted().toList() : masked;
    }

    private static String masked(String line) {
        String masked = line;
        for (Mask mask : MASKS) {
            masked = masked.replaceAll(mask.pattern(), "MASKED: " + mask.reason());
        }
        return masked;
    }
}
