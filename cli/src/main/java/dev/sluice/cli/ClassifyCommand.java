package dev.sluice.cli;

import dev.sluice.gateway.State;
import dev.sluice.policy.Effect;
import dev.sluice.policy.PolicyParser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Says what one tool does, for those who use Sluice without a policy file. */
@Command(
        name = "classify",
        mixinStandardHelpOptions = true,
        header = "Say what a tool does, where you use no policy file.",
        description = {
            "",
            "A tool of which nobody says what it does counts as one that changes things",
            "and shows data to anybody. This says what it really does. Asks for the",
            "approver's secret. A running wrapper notices when it is started again.",
            ""
        },
        footer = {
            "",
            "Examples:",
            "  sluice classify notes-3f9a21 search --effects reads",
            "  sluice classify mail-77c0d1 send --effects sends --audience to,cc \\",
            "    --payload subject,body"
        })
final class ClassifyCommand implements Callable<Integer> {

    @Mixin
    private StateOption state = new StateOption();

    @Mixin
    private Output out = new Output();

    @Parameters(
            index = "0",
            paramLabel = "<server>",
            description = "The server's name, as denials and `pins list` have it.")
    private String server = "";

    @Parameters(index = "1", paramLabel = "<tool>", description = "The tool's name.")
    private String tool = "";

    @Option(
            names = "--effects",
            paramLabel = "<effect>",
            split = ",",
            required = true,
            description = "What a call does: reads, writes, sends.")
    private List<Effect> effects = List.of();

    @Option(
            names = "--audience",
            paramLabel = "<argument>",
            split = ",",
            description = "For a tool that sends: the arguments that hold recipients, or `public`, or `server`.")
    private @Nullable List<String> audience;

    @Option(
            names = "--payload",
            paramLabel = "<argument>",
            split = ",",
            description = "Arguments that carry content and steer nothing.")
    private @Nullable List<String> payload;

    @Override
    public Integer call() throws IOException {
        try (State open = state.open()) {
            state.demandApprover(open);
            Path file = State.classified(state.folder());
            ObjectNode root = Files.exists(file)
                    ? (ObjectNode) JsonMapper.shared().readTree(json(file))
                    : JsonMapper.shared().createObjectNode().put("version", 1);
            ObjectNode tools = root.withObjectProperty("servers")
                    .withObjectProperty(server)
                    .withObjectProperty("tools");
            tools.set(tool, statement());
            String text =
                    "# Written by `sluice classify`; the same keys as a policy file, in JSON, which YAML includes.\n"
                            + root.toPrettyString() + "\n";
            var checked = PolicyParser.parse("what was said", text);
            Path fresh = Files.createTempFile(state.folder(), "classified", ".new");
            Files.write(fresh, text.getBytes(StandardCharsets.UTF_8));
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            open.engine()
                    .transact(tx -> tx.audit()
                            .append(JsonMapper.shared()
                                    .createObjectNode()
                                    .put("at", Instant.now().toString())
                                    .put("kind", "classify")
                                    .put("server", server)
                                    .put("name", tool)
                                    .put("policy", checked.digest())
                                    .put("by", "approver")));
            if (out.isJson()) {
                out.line(JsonMapper.shared()
                        .createObjectNode()
                        .put("server", server)
                        .put("tool", tool)
                        .put("servers", checked.servers().size()));
            } else {
                out.line("`" + tool + "` of `" + server + "` is classified; it holds from the server's next start");
            }
            return 0;
        }
    }

    private ObjectNode statement() {
        ObjectNode statement = JsonMapper.shared().createObjectNode();
        ArrayNode words = statement.putArray("effects");
        Set<Effect> said = EnumSet.copyOf(effects);
        said.forEach(effect -> words.add(effect.name().toLowerCase(Locale.ROOT)));
        if (audience != null) {
            if (audience.equals(List.of("public")) || audience.equals(List.of("server"))) {
                statement.put("audience", audience.get(0));
            } else {
                ArrayNode names = statement.putArray("audience");
                audience.forEach(names::add);
            }
        }
        if (payload != null) {
            ArrayNode names = statement.putArray("payload");
            payload.forEach(names::add);
        }
        return statement;
    }

    private static String json(Path file) throws IOException {
        String text = Files.readString(file);
        return text.substring(text.indexOf('\n') + 1); // without the comment
    }
}
