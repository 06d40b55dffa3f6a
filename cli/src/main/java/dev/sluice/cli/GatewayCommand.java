package dev.sluice.cli;

import dev.sluice.gateway.HttpGateway;
import dev.sluice.gateway.Log;
import dev.sluice.gateway.PolicyWatch;
import dev.sluice.gateway.State;
import dev.sluice.gateway.Upstreams;
import dev.sluice.gateway.telemetry.Telemetry;
import dev.sluice.guard.Guard;
import dev.sluice.guard.ReaderResolver;
import dev.sluice.policy.GatewaySettings;
import dev.sluice.policy.GatewaySettings.Listen;
import dev.sluice.policy.Policy;
import dev.sluice.policy.PolicyParser;
import dev.sluice.policy.ServerPolicy;
import dev.sluice.store.Engine;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Serves one HTTP endpoint with several servers behind it. */
@Command(
        name = "gateway",
        mixinStandardHelpOptions = true,
        header = "Serve one HTTP endpoint, with the policy's servers behind it.",
        description = {
            "",
            "Listens on 127.0.0.1, or where `gateway` of the policy says, which also says",
            "who may call. Tools and prompts of several servers are named server__tool;",
            "those of a single server keep their names.",
            ""
        },
        footer = {"", "Example:", "  sluice gateway --policy sluice.yaml --port 8931"})
final class GatewayCommand implements Callable<Integer> {

    @Mixin
    private StateOption state = new StateOption();

    @Mixin
    private LimitOptions limits = new LimitOptions();

    @Option(names = "--policy", paramLabel = "<file>", required = true, description = "The policy, with its servers.")
    private Path policyFile = Path.of("");

    @Option(
            names = "--host",
            paramLabel = "<address>",
            description = "The address to listen on; default 127.0.0.1, or what the policy says.")
    private @Nullable String host;

    @Option(
            names = "--port",
            paramLabel = "<port>",
            description = "The port, 0 for any free one; default 8931, or what the policy says.")
    private @Nullable Integer port;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Running running = start(System.getenv(), System.err::println);
        CountDownLatch stopped = new CountDownLatch(1);
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> {
                            running.close();
                            stopped.countDown();
                        },
                        "stop"));
        System.out.println("listening on " + running.gateway().address());
        stopped.await();
        return 0;
    }

    /** A gateway that listens, and all that ends with it. */
    record Running(HttpGateway gateway, PolicyWatch watch, Telemetry telemetry, State state) implements AutoCloseable {
        @Override
        public void close() {
            watch.close();
            gateway.close();
            telemetry.close();
            state.close();
        }
    }

    /**
     * Starts what this command was told.
     *
     * @param environment the variables that the policy may name
     * @param lines gets the lines of the log
     */
    Running start(Map<String, String> environment, Consumer<String> lines) throws IOException {
        Policy policy = PolicyParser.read(policyFile);
        demandServers(policy);
        Log log = policy.gateway().telemetry().json() ? Log.json(Clock.systemUTC(), lines) : Log.people(lines);
        GatewaySettings settings = settings(policy.gateway());
        List<Path> ours = ours(settings);
        for (ServerPolicy server : policy.servers().values()) {
            for (Path path : ours) {
                Optional<String> exposed = State.exposed(path, Upstreams.told(server));
                if (exposed.isPresent()) {
                    throw new Main.CommandFailure(exposed.get() + " (`" + server.name()
                            + "`), so that server could change it; put it elsewhere, the state with `--state`");
                }
            }
        }
        State open = state.open();
        if (Paint.isTerminal()) {
            lines.accept("the approver's secret is " + open.secretText() + "; what loosens anything asks for it");
        }
        Telemetry telemetry;
        try {
            telemetry = Telemetry.start(settings.telemetry(), true, environment::get, log);
        } catch (IOException e) {
            open.close();
            throw new Main.CommandFailure(String.valueOf(e.getMessage()));
        }
        Engine engine = telemetry.timed(open.engine());
        Guard guard = new Guard(
                engine,
                policy,
                Clock.systemUTC(),
                limits.idleMinutes(settings.sessions().idle().toMinutes()),
                ReaderResolver::of,
                work -> Thread.ofVirtual().name("later").start(work));
        HttpGateway gateway;
        try {
            gateway = HttpGateway.start(
                    guard,
                    engine,
                    policy,
                    settings,
                    root -> ours.stream()
                            .anyMatch(path -> State.exposed(path, List.of(root)).isPresent()),
                    open::isHost,
                    environment,
                    telemetry,
                    log);
        } catch (IOException e) {
            telemetry.close();
            open.close();
            throw new Main.CommandFailure(String.valueOf(e.getMessage()));
        }
        PolicyWatch watch = PolicyWatch.start(policyFile, guard, engine, Clock.systemUTC(), log);
        return new Running(gateway, watch, telemetry, open);
    }

    /** What the command line says goes before what the policy says. */
    private GatewaySettings settings(GatewaySettings said) {
        Listen listen = said.listen();
        String address = host;
        Integer chosen = port;
        if (chosen != null && (chosen < 0 || chosen > 65_535)) {
            throw new Main.CommandFailure("`--port` must be from 0 to 65535");
        }
        return said.on(new Listen(
                        address == null ? listen.host() : address,
                        chosen == null ? listen.port() : chosen,
                        listen.behindProxy()))
                .within(said.limits()
                        .withMessageBytes(limits.messageBytes(said.limits().messageBytes())));
    }

    /** Returns what no server may be able to change or read. */
    private List<Path> ours(GatewaySettings settings) {
        List<Path> ours = new ArrayList<>(List.of(state.folder(), policyFile));
        GatewaySettings.Tls tls = settings.tls();
        if (tls != null) {
            ours.add(Path.of(tls.certificate()));
            ours.add(Path.of(tls.key()));
        }
        GatewaySettings.OAuth oauth = settings.auth().oauth();
        if (oauth != null) {
            oauth.issuers().stream()
                    .map(GatewaySettings.Issuer::jwks)
                    .filter(place -> place.startsWith("/"))
                    .map(Path::of)
                    .forEach(ours::add);
        }
        return ours;
    }

    private static void demandServers(Policy policy) {
        if (policy.servers().isEmpty()) {
            throw new Main.CommandFailure(
                    "the policy names no servers; add one under `servers`, with its `command` or `url`");
        }
        for (ServerPolicy server : policy.servers().values()) {
            if (server.command().isEmpty() && server.line().url().isEmpty()) {
                throw new Main.CommandFailure("the server `" + server.name()
                        + "` has no `command` and no `url`; add the command that starts it, or its address");
            }
        }
    }
}
