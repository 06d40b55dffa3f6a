package dev.sluice.cli;

import dev.sluice.gateway.HttpGateway;
import dev.sluice.gateway.Log;
import dev.sluice.gateway.PolicyWatch;
import dev.sluice.gateway.State;
import dev.sluice.gateway.Upstreams;
import dev.sluice.guard.Guard;
import dev.sluice.guard.ReaderResolver;
import dev.sluice.policy.Policy;
import dev.sluice.policy.PolicyParser;
import dev.sluice.policy.ServerPolicy;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
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
            "Listens on 127.0.0.1 only. Tools and prompts of several servers are named",
            "server__tool; those of a single server keep their names.",
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
            names = "--port",
            paramLabel = "<port>",
            description = "The port on 127.0.0.1, 0 for any free one; default ${DEFAULT-VALUE}.")
    private int port = 8931;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Log log = Log.stderr();
        Policy policy = PolicyParser.read(policyFile);
        demandServers(policy);
        for (ServerPolicy server : policy.servers().values()) {
            for (Path path : List.of(state.folder(), policyFile)) {
                Optional<String> exposed = State.exposed(path, Upstreams.told(server));
                if (exposed.isPresent()) {
                    throw new Main.CommandFailure(exposed.get() + " (`" + server.name()
                            + "`), so that server could change it; put it elsewhere with `--state` or `--policy`");
                }
            }
        }
        State open = state.open();
        if (Paint.isTerminal()) {
            System.err.println("the approver's secret is " + open.secretText() + "; what loosens anything asks for it");
        }
        Guard guard = new Guard(
                open.engine(),
                policy,
                Clock.systemUTC(),
                limits.idleMinutes(),
                ReaderResolver::of,
                work -> Thread.ofVirtual().name("later").start(work));
        HttpGateway gateway = HttpGateway.start(
                guard, open.engine(), policy, this::holdsOurs, open::isHost, port, limits.messageBytes(), log);
        PolicyWatch watch = PolicyWatch.start(policyFile, guard, open.engine(), Clock.systemUTC(), log);
        CountDownLatch stopped = new CountDownLatch(1);
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> {
                            watch.close();
                            gateway.close();
                            open.close();
                            stopped.countDown();
                        },
                        "stop"));
        System.out.println("listening on " + gateway.address());
        stopped.await();
        return 0;
    }

    private boolean holdsOurs(String root) {
        return State.exposed(state.folder(), List.of(root)).isPresent()
                || State.exposed(policyFile, List.of(root)).isPresent();
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
