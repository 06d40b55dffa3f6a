package dev.sluice.policy;

import dev.sluice.labels.Confidentiality;
import dev.sluice.labels.DataClass;
import dev.sluice.labels.Integrity;
import dev.sluice.labels.Label;
import dev.sluice.labels.Origin;
import dev.sluice.labels.SessionLabel;
import dev.sluice.labels.Source;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * One folder under {@code cases/}: a policy (none for a first use), a call with what its session saw, and the decision.
 *
 * @param name the folder
 * @param policy the policy
 * @param call the file {@code call.json}
 * @param decision the file {@code decision.json}
 */
record GoldenCase(String name, Policy policy, JsonNode call, JsonNode decision) {

    static List<GoldenCase> all() {
        try (Stream<Path> folders = Files.list(resource("cases"))) {
            return folders.sorted().map(GoldenCase::read).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The source, not the copy in the build folder: there a sample that was renamed stays under its old name. */
    static Path resource(String name) {
        return Path.of("src/test/resources", name);
    }

    private static GoldenCase read(Path folder) {
        Path policy = folder.resolve("policy.yaml");
        return new GoldenCase(
                folder.getFileName().toString(),
                Files.exists(policy) ? PolicyParser.parse("policy.yaml", text(policy)) : PolicyParser.firstUse(),
                JsonMapper.shared().readTree(text(folder.resolve("call.json"))),
                JsonMapper.shared().readTree(text(folder.resolve("decision.json"))));
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Call toCall() {
        return toCall(seen());
    }

    /** Returns the call after what {@code observed} brought. */
    Call toCall(List<JsonNode> observed) {
        String server = call.path("server").stringValue();
        List<String> command = new ArrayList<>();
        call.path("command").forEach(word -> command.add(word.stringValue()));
        ServerPolicy entry = policy.servers().getOrDefault(server, ServerPolicy.unstated(server, command));
        String known = entry.known().equals(ServerPolicy.AUTO)
                ? KnownServers.find(entry.command()).orElse("")
                : entry.known();
        ToolDefinition tool = ToolDefinition.of(
                server, call.path("tool"), call.path("tool").toString().getBytes(StandardCharsets.UTF_8));
        Map<String, ToolStatement> shipped = KnownServers.tools(known);
        ToolStatement stated = entry.tools()
                .getOrDefault(tool.name(), ToolStatement.NOTHING)
                .orElse(shipped.getOrDefault(tool.name(), ToolStatement.NOTHING));
        SessionLabel session = SessionLabel.EMPTY;
        for (JsonNode one : observed) {
            session = session.observe(label(one), origin(one));
        }
        return new Call(
                tool,
                stated,
                call.path("arguments"),
                session,
                call.path("pinned").booleanValue());
    }

    List<JsonNode> seen() {
        List<JsonNode> seen = new ArrayList<>();
        call.path("session").forEach(seen::add);
        return seen;
    }

    private static Origin origin(JsonNode seen) {
        String call = seen.path("call").stringValue();
        return new Origin(
                Instant.ofEpochSecond(Long.parseLong(call.substring(1))),
                call,
                seen.path("server").stringValue(),
                seen.path("name").stringValue());
    }

    private static Label label(JsonNode seen) {
        List<Source> sources = new ArrayList<>();
        for (JsonNode source : seen.path("sources")) {
            String server = source.path("server").stringValue();
            if (source.has("readers")) {
                List<String> readers = new ArrayList<>();
                source.path("readers").forEach(reader -> readers.add(reader.stringValue()));
                sources.add(Source.Readers.of(server, readers));
            } else if (source.has("resource")) {
                sources.add(
                        new Source.OfResource(server, source.path("resource").stringValue()));
            } else {
                sources.add(new Source.OfServer(server));
            }
        }
        List<DataClass> classes = new ArrayList<>();
        seen.path("classes").forEach(name -> classes.add(DataClass.of(name.stringValue())));
        return Label.of(
                Integrity.valueOf(seen.path("integrity").stringValue().toUpperCase(Locale.ROOT)),
                Confidentiality.of(sources),
                classes.toArray(DataClass[]::new));
    }

    @Override
    public String toString() {
        return name;
    }
}
