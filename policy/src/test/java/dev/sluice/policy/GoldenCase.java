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
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
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

    private static final List<GoldenCase> ALL = read();

    static List<GoldenCase> all() {
        return ALL;
    }

    private static List<GoldenCase> read() {
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
                call.path("pinned").booleanValue(),
                false,
                call.has("values") ? values() : Call.unknown(call.path("arguments")),
                circumstances());
    }

    /** How far the session is in sequences, by their id, and who was found to be the readers of resources. */
    private Circumstances circumstances() {
        Map<String, Integer> states = new HashMap<>();
        for (Sequence sequence : policy.sequences()) {
            JsonNode state = call.path("sequences").path(sequence.id());
            if (state.isNumber()) {
                states.put(sequence.automaton(), state.intValue());
            }
        }
        Map<Source, Set<String>> readers = new HashMap<>();
        for (JsonNode each : call.path("readers")) {
            Set<String> names = new HashSet<>();
            each.path("readers").forEach(name -> names.add(name.stringValue()));
            readers.put(
                    new Source.OfResource(
                            each.path("server").stringValue(),
                            each.path("resource").stringValue()),
                    names);
        }
        return new Circumstances(new ResolvedReaders(readers), states);
    }

    /** What the case says of where the arguments came from: named by the user, or found in items of answers. */
    private List<ArgumentValue> values() {
        List<ArgumentValue> values = new ArrayList<>();
        for (JsonNode value : call.path("values")) {
            Label label = Label.BOTTOM;
            boolean vouched = value.has("found");
            List<Origin> origins = new ArrayList<>();
            for (JsonNode found : value.path("found")) {
                String[] place = found.stringValue().split(" ", -1);
                JsonNode answer = seen().stream()
                        .filter(each -> each.path("call").stringValue().equals(place[0]))
                        .findFirst()
                        .orElseThrow();
                LabelledField field = at(answer, place[1]);
                Label one = label(answer.path("server").stringValue(), field.returns());
                label = label.join(one);
                vouched &= field.vouched() || one.integrity() == Integrity.TRUSTED;
                origins.add(origin(answer));
            }
            String argument = value.path("argument").stringValue();
            values.add(new ArgumentValue(
                    argument,
                    "/" + argument,
                    label,
                    value.path("named").booleanValue(false),
                    vouched,
                    value.path("unmatched").booleanValue(false),
                    origins));
        }
        return values;
    }

    /** Returns what is said at a place of an answer: of its field, else of its item. */
    private LabelledField at(JsonNode answer, String pointer) {
        for (LabelledItem item : items(answer)) {
            for (LabelledField field : item.fields()) {
                if (field.pointer().equals(pointer)) {
                    return field;
                }
            }
            if (pointer.startsWith(item.pointer() + "/")) {
                return new LabelledField(pointer, answer, item.returns(), false);
            }
        }
        throw new AssertionError("no item has " + pointer);
    }

    private List<LabelledItem> items(JsonNode seen) {
        String server = seen.path("server").stringValue();
        ToolStatement tool =
                policy.servers().get(server).tools().get(seen.path("name").stringValue());
        Returns returns = tool == null || tool.returns() == null ? Returns.NOTHING : tool.returns();
        return Objects.requireNonNull(returns.items())
                .apply(seen.path("answer"), JsonMapper.shared().createObjectNode(), server, "");
    }

    private static Label label(String server, Returns returns) {
        Source own = new Source.OfServer(server);
        Returns.Privacy privacy = returns.confidentiality();
        Set<DataClass> classes = returns.classes();
        return Label.of(
                returns.integrity() == Integrity.TRUSTED ? Integrity.TRUSTED : Integrity.UNTRUSTED,
                privacy == null
                        ? Confidentiality.of(own)
                        : privacy.of(server, own, JsonMapper.shared().nullNode()),
                classes == null ? new DataClass[] {DataClass.UNCLASSIFIED} : classes.toArray(DataClass[]::new));
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

    private Label label(JsonNode seen) {
        if (seen.has("answer")) {
            Label all = Label.BOTTOM;
            for (LabelledItem item : items(seen)) {
                all = all.join(label(seen.path("server").stringValue(), item.returns()));
                for (LabelledField field : item.fields()) {
                    all = all.join(label(seen.path("server").stringValue(), field.returns()));
                }
            }
            return all;
        }
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
        seen.path("classes")
                .forEach(each -> classes.add(
                        each.isString()
                                ? DataClass.of(each.stringValue())
                                : new DataClass(
                                        each.path("name").stringValue(),
                                        each.path("regulatory").stringValue(""),
                                        "")));
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
