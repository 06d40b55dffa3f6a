package dev.sluice.cli;

import dev.sluice.gateway.HostProcess;
import dev.sluice.gateway.Log;
import dev.sluice.gateway.Servers;
import dev.sluice.gateway.State;
import dev.sluice.gateway.StdioGateway;
import dev.sluice.guard.AgentSession;
import dev.sluice.guard.Guard;
import dev.sluice.policy.Policy;
import dev.sluice.policy.ServerPolicy;
import dev.sluice.store.Session;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Wraps one server for the client that starts this command. */
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
        footer = {"", "Example:", "  sluice run --policy sluice.yaml -- node server.js --root /srv/notes"})
final class RunCommand implements Callable<Integer> {

    private static final Pattern SESSION_NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");

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

    @Parameters(arity = "1..*", paramLabel = "<command>", description = "The server's command, after --.")
    private List<String> command = new ArrayList<>();

    @Override
    public Integer call() throws IOException {
        Log log = Log.stderr();
        Policy policy = Policies.read(policyFile, state.folder());
        ServerPolicy server = Servers.of(policy, command);
        demandApart(state.folder(), server, "--state");
        if (policyFile != null) {
            demandApart(policyFile, server, "--policy");
        }
        try (State open = state.open()) {
            Guard guard = new Guard(open.engine(), policy, Clock.systemUTC(), limits.idleMinutes());
            AgentSession agent = agent();
            Session joined = guard.open(agent);
            log.line("`" + server.name() + "` is in session " + joined.id() + " of " + joined.display() + "; "
                    + Words.seen(joined.label()));
            // Not System.out: what this process prints there is the protocol, and must have one writer.
            try (FileOutputStream out = new FileOutputStream(FileDescriptor.out)) {
                return StdioGateway.run(
                        guard, agent, server, this::holdsOurs, limits.messageBytes(), System.in, out, log);
            }
        }
    }

    private boolean holdsOurs(String root) {
        return State.exposed(state.folder(), List.of(root)).isPresent()
                || (policyFile != null
                        && State.exposed(policyFile, List.of(root)).isPresent());
    }

    private static void demandApart(Path path, ServerPolicy server, String option) {
        Optional<String> exposed = State.exposed(path, server.command());
        if (exposed.isPresent()) {
            throw new Main.CommandFailure(
                    exposed.get() + ", so the server could change it; put it elsewhere with `" + option + "`");
        }
    }

    private AgentSession agent() {
        String principal = "user:" + System.getProperty("user.name", "");
        if (session != null) {
            if (!SESSION_NAME.matcher(session).matches()) {
                throw new Main.CommandFailure(
                        "`--session` takes up to 64 letters, digits, `.`, `_` and `-`; choose another name");
            }
            return new AgentSession(
                    "name:" + session, principal, "session `" + session + "`", AgentSession.Start.CLEAN, "");
        }
        return HostProcess.find()
                .map(host -> new AgentSession(host.key(), principal, host.display(), AgentSession.Start.CLEAN, ""))
                .orElseGet(() -> new AgentSession(
                        "principal:" + principal,
                        principal,
                        "everything without a host",
                        AgentSession.Start.PRINCIPAL,
                        ""));
    }
}
