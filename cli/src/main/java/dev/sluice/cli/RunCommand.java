package dev.sluice.cli;

import dev.sluice.policy.PolicyParser;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Wraps one server for the client that starts this command.
 *
 * <p>Its usual words are read by {@link Wrapper#plain} alone; a new option here must be known there.
 */
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        header = "Wrap one MCP server, for a client that starts it over stdio.",
        description = {
            "",
            "Put this in your client's configuration where the server's command stands.",
            "Wrappers that one client started share what that client's session has seen.",
            ""
        },
        footer = {
            "",
            "Example:",
            "  sluice run --policy sluice.yaml -- node server.js --root /srv/notes",
            "  sluice run --policy sluice.yaml --url https://notes.example/mcp"
        })
final class RunCommand implements Callable<Integer> {

    @Mixin
    private StateOption state = new StateOption();

    @Mixin
    private LimitOptions limits = new LimitOptions();

    @Option(
            names = "--policy",
            paramLabel = "<file>",
            description = "The policy; without one, the safe defaults of a first use.")
    private @Nullable Path policyFile;

    @Option(
            names = "--session",
            paramLabel = "<name>",
            description = "Join the session of that name, instead of that of the program that started this.")
    private @Nullable String session;

    @Option(
            names = "--url",
            paramLabel = "<url>",
            description = "The address of a server over Streamable HTTP, in place of a command; the policy's entry with"
                    + " that `url` has its headers.")
    private @Nullable String url;

    @Option(names = "--insecure", description = "Let --url be http, though it is not of this machine.")
    private boolean insecure;

    @Parameters(arity = "0..*", paramLabel = "<command>", description = "The server's command, after --.")
    private List<String> command = new ArrayList<>();

    @Override
    public Integer call() throws IOException {
        if (command.isEmpty() == (url == null)) {
            throw new Main.CommandFailure(
                    "`run` needs a server: its command after `--`, or its address after `--url`, and" + " not both");
        }
        if (url != null) {
            Optional<String> fault = PolicyParser.urlFault(url, insecure);
            if (fault.isPresent()) {
                throw new Main.CommandFailure("`--url`: " + fault.get().replace("`insecure: true`", "`--insecure`"));
            }
        }
        return wrapper().run();
    }

    Wrapper wrapper() {
        return new Wrapper(
                policyFile,
                state.folder(),
                session,
                limits.messageBytes(),
                limits.idleMinutes(),
                command,
                url == null ? "" : url);
    }
}
