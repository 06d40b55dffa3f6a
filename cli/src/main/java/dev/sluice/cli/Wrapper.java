package dev.sluice.cli;

import dev.sluice.gateway.Log;
import dev.sluice.gateway.LogEvent;
import dev.sluice.gateway.PolicyWatch;
import dev.sluice.gateway.Servers;
import dev.sluice.gateway.State;
import dev.sluice.gateway.StdioGateway;
import dev.sluice.gateway.Upstreams;
import dev.sluice.gateway.telemetry.Telemetry;
import dev.sluice.gateway.transport.ChildProcess;
import dev.sluice.gateway.transport.UpstreamLink;
import dev.sluice.guard.AgentSession;
import dev.sluice.guard.Guard;
import dev.sluice.guard.ReaderResolver;
import dev.sluice.guard.approval.Words;
import dev.sluice.policy.GatewaySettings;
import dev.sluice.policy.Policy;
import dev.sluice.policy.ServerPolicy;
import dev.sluice.store.Session;
import dev.sluice.wire.canonical.Digest;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One server, wrapped for the client that started this process: what {@code sluice run} was told, and does.
 *
 * @param policyFile the policy; null for the defaults of a first use
 * @param stateFolder where labels and audit log are
 * @param session the session to join; null for that of the host
 * @param messageBytes the longest message, in bytes
 * @param idleMinutes after how long without use a session ends; 0 for never
 * @param command the server's command; empty for one at an address
 * @param url the server's address; empty text for one with a command
 */
record Wrapper(
        @Nullable Path policyFile,
        Path stateFolder,
        @Nullable String session,
        int messageBytes,
        long idleMinutes,
        List<String> command,
        String url) {

    Wrapper {
        command = List.copyOf(command);
    }

    /**
     * Reads the words of {@code sluice run} where they are plain: options with their values, {@code --}, a command.
     *
     * <p>This is how hosts start it, many times a day, and the command line's library would be half of that start. Whatever
     * is not plain, mistakes first of all, gives nothing here and is left to that library, which explains it.
     */
    static Optional<Wrapper> plain(String... args) {
        int end = List.of(args).indexOf("--");
        if (end < 1 || end == args.length - 1 || end % 2 == 0 || !args[0].equals("run")) {
            return Optional.empty();
        }
        Path policyFile = null;
        Path stateFolder = null;
        String session = null;
        Long messageBytes = null;
        Long idleMinutes = null;
        try {
            for (int i = 1; i < end; i += 2) {
                String value = args[i + 1];
                boolean again;
                switch (args[i]) {
                    case "--policy" -> {
                        again = policyFile != null;
                        policyFile = Path.of(value);
                    }
                    case "--state" -> {
                        again = stateFolder != null;
                        stateFolder = Path.of(value);
                    }
                    case "--session" -> {
                        again = session != null;
                        session = value;
                    }
                    case "--max-message" -> {
                        again = messageBytes != null;
                        messageBytes = Long.valueOf(value);
                    }
                    case "--idle" -> {
                        again = idleMinutes != null;
                        idleMinutes = Long.valueOf(value);
                    }
                    default -> again = true;
                }
                if (again || value.isEmpty() || value.startsWith("-")) {
                    return Optional.empty();
                }
            }
        } catch (InvalidPathException | NumberFormatException e) {
            return Optional.empty();
        }
        if (messageBytes != null
                && (messageBytes < LimitOptions.LEAST_MESSAGE_BYTES || messageBytes > Integer.MAX_VALUE)) {
            return Optional.empty();
        }
        return Optional.of(new Wrapper(
                policyFile,
                stateFolder != null ? stateFolder : State.usualFolder(),
                session,
                messageBytes != null ? messageBytes.intValue() : LimitOptions.MESSAGE_BYTES,
                idleMinutes != null ? idleMinutes : LimitOptions.IDLE_MINUTES,
                List.of(args).subList(end + 1, args.length),
                ""));
    }

    /**
     * Passes messages until client or server end.
     *
     * @return the exit code: 0 where the client ended, 1 where the server did
     */
    int run() throws IOException {
        // Not System.out: what this process prints there is the protocol, and must have one writer.
        return run(System.in, new FileOutputStream(FileDescriptor.out), System.err::println);
    }

    /**
     * The same, for a client that is at the other end of these.
     *
     * @param out what the client reads, which is closed then
     * @param lines gets the lines of the log
     */
    int run(InputStream in, OutputStream out, Consumer<String> lines) throws IOException {
        Policy policy = Policies.read(policyFile, stateFolder);
        GatewaySettings.Telemetry told = policy.gateway().telemetry();
        ServerPolicy server = url.isEmpty() ? Servers.of(policy, command) : Servers.at(policy, url);
        demandApart(stateFolder, server, "--state");
        if (policyFile != null) {
            demandApart(policyFile, server, "--policy");
        }
        AgentSession agent = HostSession.of(session);
        String digest = digest(agent);
        Log log = told.json() ? Log.json(Clock.systemUTC(), lines).about("session", digest) : Log.people(lines);
        // First, since it takes what is secret out of what the server gets; last to end, since it tells of that end.
        try (Telemetry telemetry = telemetry(told, log);
                Upstreams upstreams = Upstreams.of(List.of(server), System.getenv(), messageBytes, 1, log);
                UpstreamLink link = upstreams.onlyLink()) {
            if (link instanceof ChildProcess child) {
                // It gets ready while we do. Nothing it says is read, and nothing is said to it, before the guard is
                // there.
                child.launch();
            }
            try (State open = State.open(stateFolder)) {
                Guard guard = new Guard(
                        open.engine(),
                        policy,
                        Clock.systemUTC(),
                        idleMinutes,
                        ReaderResolver::of,
                        work -> Thread.ofVirtual().name("later").start(work));
                Session joined = guard.open(agent);
                log.line(
                        LogEvent.SESSION_JOINED,
                        "`" + server.name() + "` is in session " + joined.id() + " of " + joined.display(),
                        "; " + Words.seen(joined.label()));
                PolicyWatch watch = policyFile == null
                        ? null
                        : PolicyWatch.start(policyFile, guard, open.engine(), Clock.systemUTC(), log);
                try (watch;
                        out) {
                    return StdioGateway.run(
                            guard,
                            agent,
                            server,
                            link,
                            this::holdsOurs,
                            messageBytes,
                            in,
                            out,
                            telemetry.session(digest, "pipe"),
                            log);
                }
            }
        }
    }

    /** Nothing is read from this process but its protocol, so it counts nothing. */
    private static Telemetry telemetry(GatewaySettings.Telemetry told, Log log) {
        try {
            return Telemetry.start(told, false, System::getenv, log);
        } catch (IOException e) {
            throw new Main.CommandFailure(String.valueOf(e.getMessage()));
        }
    }

    private static String digest(AgentSession agent) {
        return Digest.sha256(agent.key().getBytes(StandardCharsets.UTF_8))
                .text()
                .substring(7, 15);
    }

    private boolean holdsOurs(String root) {
        return State.exposed(stateFolder, List.of(root)).isPresent()
                || (policyFile != null
                        && State.exposed(policyFile, List.of(root)).isPresent());
    }

    private static void demandApart(Path path, ServerPolicy server, String option) {
        Optional<String> exposed = State.exposed(path, Upstreams.told(server));
        if (exposed.isPresent()) {
            throw new Main.CommandFailure(
                    exposed.get() + ", so the server could change it; put it elsewhere with `" + option + "`");
        }
    }
}
