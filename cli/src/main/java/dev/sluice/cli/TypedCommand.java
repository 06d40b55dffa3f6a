package dev.sluice.cli;

import dev.sluice.gateway.State;
import dev.sluice.guard.AgentSession;
import dev.sluice.guard.Guard;
import dev.sluice.policy.PolicyParser;
import dev.sluice.store.PromptStore;
import dev.sluice.wire.json.JsonIndex;
import dev.sluice.wire.json.MalformedJsonException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** Takes note of what the user typed, for a host that runs a command at each prompt. */
@Command(
        name = "typed",
        mixinStandardHelpOptions = true,
        header = "Take note of what the user typed, from a hook of the host.",
        description = {
            "",
            "Values that the user named in a prompt may go where the user sent them. Reads a",
            "JSON object with a text `prompt` on standard input, as hooks of hosts get it,",
            "and takes no note of its other members. Prints nothing, since some hosts show",
            "what a hook prints to the model. The host's token, which stands in `host-token`",
            "in the state folder, must be in the variable SLUICE_HOST_TOKEN; it is never",
            "read from there, so that an agent can't speak for the user by running this.",
            ""
        },
        footer = {"", "Example:", "  echo '{\"prompt\": \"write to ana@clinic.example\"}' | sluice typed"})
final class TypedCommand implements Callable<Integer> {

    static final String TOKEN_VARIABLE = "SLUICE_HOST_TOKEN";

    @Spec
    private CommandSpec command = CommandSpec.create();

    @Mixin
    private StateOption state = new StateOption();

    @Mixin
    private Output out = new Output();

    @Option(names = "--text", description = "Standard input is the prompt itself, and no JSON.")
    private boolean plain;

    @Option(
            names = "--session",
            paramLabel = "<name>",
            description = "Of the session of that name, instead of that of the program that started this.")
    private @Nullable String session;

    @Override
    public Integer call() {
        AgentSession agent = HostSession.of(session);
        String token = SluiceCommand.variable(command, TOKEN_VARIABLE).orElse("");
        if (token.isBlank()) {
            throw new Main.CommandFailure("`" + TOKEN_VARIABLE + "` is not set; give the host, and nobody else, the"
                    + " token that stands in `host-token` in the state folder");
        }
        try (State open = state.openExisting()) {
            if (!open.isHost(token)) {
                throw new Main.CommandFailure("`" + TOKEN_VARIABLE + "` is not the host's token; it stands in `"
                        + open.hostTokenFile() + "`");
            }
            String text = prompt();
            if (PromptStore.Prompt.bytes(text) > PromptStore.MOST_BYTES) {
                throw new Main.CommandFailure("a prompt of more than " + PromptStore.MOST_BYTES
                        + " bytes is not kept; what it names counts as not named");
            }
            // It must not end a session that others hold to be live, so for it none is unused for too long.
            new Guard(open.engine(), PolicyParser.firstUse(), Clock.systemUTC(), 0).typedUnjudged(agent, text);
            if (out.isJson()) {
                out.line(JsonNodeFactory.instance.objectNode().put("characters", text.length()));
            }
            return 0;
        }
    }

    private String prompt() {
        byte[] input = InputFile.read(Path.of("-"));
        if (plain) {
            return new String(input, StandardCharsets.UTF_8);
        }
        JsonNode prompt;
        try {
            prompt = JsonIndex.parse(input).root().tree().path("prompt");
        } catch (MalformedJsonException e) {
            throw new Main.CommandFailure(
                    "this is no strict JSON: " + e.getMessage() + "; for a prompt as it is say `--text`");
        }
        if (!prompt.isString()) {
            throw new Main.CommandFailure(
                    "there is no text `prompt` in what came in; send an object with one, or say `--text`");
        }
        return prompt.stringValue();
    }
}
