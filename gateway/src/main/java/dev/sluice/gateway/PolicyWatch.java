package dev.sluice.gateway;

import dev.sluice.guard.Guard;
import dev.sluice.policy.Loosening;
import dev.sluice.policy.Policy;
import dev.sluice.policy.PolicyException;
import dev.sluice.policy.PolicyParser;
import dev.sluice.policy.ServerPolicy;
import dev.sluice.store.Engine;
import dev.sluice.store.PinStore;
import dev.sluice.store.StoreException;
import dev.sluice.store.Transaction;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Puts a policy file in force again when it changes, without an end to any session.
 *
 * <p>The file is looked at once a second. A file with an error changes nothing. One that is not plainly as strict as what is
 * in force waits for the approver's word, so that whoever can write the file can't open the gate alone; that word ends
 * when the file is something else. New servers and
 * other commands count from the next start.
 */
public final class PolicyWatch implements AutoCloseable {

    /** What kind of pin an accepted policy is. */
    private static final String KIND = "policy";

    private static final Duration PERIOD = Duration.ofSeconds(1);
    private static final Duration SETTLED = Duration.ofSeconds(3);

    private final Path file;
    private final Guard guard;
    private final Engine engine;
    private final Clock clock;
    private final Log log;
    private Looks looks;
    private boolean settled;
    private Optional<Policy> held = Optional.empty();
    private String told;
    private volatile boolean closed;

    /** What a file looks like from outside: as long as this stays, it is not read again. */
    private record Looks(FileTime modified, long size, Optional<Object> key) {

        static final Looks NONE = new Looks(FileTime.fromMillis(-1), -1, Optional.empty());

        static Looks of(Path file) throws IOException {
            BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
            return new Looks(
                    attributes.lastModifiedTime(), attributes.size(), Optional.ofNullable(attributes.fileKey()));
        }

        /** A file that was only just written can be written again and look the same. */
        boolean isSettled(Instant now) {
            return modified.toInstant().plus(SETTLED).isBefore(now);
        }
    }

    private PolicyWatch(Path file, Guard guard, Engine engine, Clock clock, Log log) {
        this.file = file;
        this.guard = guard;
        this.engine = engine;
        this.clock = clock;
        this.log = log;
        this.looks = Looks.NONE;
        this.told = guard.policy().digest();
    }

    /** Says what in the policy of {@code guard} has no effect, and watches its file until this is closed. */
    public static PolicyWatch start(Path file, Guard guard, Engine engine, Clock clock, Log log) {
        PolicyWatch watch = new PolicyWatch(file, guard, engine, clock, log);
        watch.warn(guard.policy());
        forget(engine, file, guard.policy().digest(), clock);
        Thread.ofVirtual().name("policy-watch").start(watch::watch);
        return watch;
    }

    private void warn(Policy policy) {
        policy.warnings(clock.instant()).forEach(warning -> log.line(LogEvent.POLICY_WARNING, "warning: " + warning));
    }

    private void watch() {
        while (!closed) {
            try {
                Thread.sleep(PERIOD);
                look();
            } catch (InterruptedException e) {
                return;
            } catch (StoreException e) {
                log.fault(LogEvent.STATE_UNUSABLE, "the policy file can't be watched while the state can't be used", e);
            } catch (RuntimeException e) {
                log.fault(LogEvent.POLICY_UNUSABLE, "looking at the policy file failed", e);
            }
        }
    }

    /** Looks at the file once. */
    void look() {
        Looks now;
        try {
            now = Looks.of(file);
        } catch (IOException e) {
            refuse("gone", List.of(file + ": the policy can't be read; put it back"));
            looks = Looks.NONE;
            return;
        }
        if (!now.equals(looks) || !settled) {
            settled = now.isSettled(clock.instant());
            held = Optional.empty();
            Policy next;
            try {
                next = PolicyParser.read(file);
            } catch (PolicyException e) {
                looks = now;
                List<String> problems =
                        e.problems().stream().map(Objects::toString).toList();
                refuse(problems.toString(), problems);
                return;
            }
            looks = now;
            if (next.digest().equals(guard.policy().digest())) {
                if (!told.equals(next.digest())) {
                    log.line(LogEvent.POLICY_IN_FORCE, "`" + file + "` is again what is in force");
                }
                told = next.digest();
                forget(engine, file, next.digest(), clock);
                return;
            }
            held = Optional.of(next);
        }
        held.ifPresent(this::weigh);
    }

    private void weigh(Policy next) {
        List<String> looser = Loosening.of(guard.policy(), next);
        boolean accepted = !looser.isEmpty()
                && engine.transact(tx -> acceptance(tx, file))
                        .filter(next.digest()::equals)
                        .isPresent();
        if (looser.isEmpty() || accepted) {
            adopt(next, accepted);
        } else if (!told.equals(next.digest())) {
            told = next.digest();
            record("held", next.digest(), looser);
            log.line(
                    LogEvent.POLICY_HELD,
                    "`" + file + "` changed, and is NOT in force, since it may allow more: "
                            + String.join("; ", looser)
                            + "; what was in force stays, until you run `sluice policy accept "
                            + file
                            + "`");
        }
    }

    private void adopt(Policy next, boolean accepted) {
        Policy old = guard.policy();
        forget(engine, file, next.digest(), clock);
        try {
            guard.adopt(next);
        } catch (IllegalArgumentException e) {
            held = Optional.empty();
            refuse(next.digest(), List.of(file + ": " + e.getMessage()));
            return;
        }
        held = Optional.empty();
        told = next.digest();
        record("loaded", next.digest(), List.of());
        log.line(
                LogEvent.POLICY_IN_FORCE,
                "`" + file + "` changed and is in force now" + (accepted ? ", as the approver accepted it" : ""));
        List<String> later = next.servers().values().stream()
                .filter(server -> !old.servers().containsKey(server.name())
                        || !old.servers().get(server.name()).command().equals(server.command())
                        || !old.servers().get(server.name()).line().equals(server.line()))
                .map(ServerPolicy::name)
                .toList();
        if (!later.isEmpty()) {
            log.line(
                    LogEvent.POLICY_NEEDS_START,
                    "a server that is new or is reached otherwise counts from the next start: "
                            + String.join(", ", later));
        }
        Set<String> fromStart = old.gateway().needStart(next.gateway());
        if (!fromStart.isEmpty()) {
            log.line(
                    LogEvent.POLICY_NEEDS_START,
                    "NOT in force yet: `" + String.join("`, `", fromStart)
                            + "` of `gateway` count from the next start of `sluice gateway`");
        }
        warn(next);
    }

    /** Says it once, however often it is looked at. */
    private void refuse(String what, List<String> problems) {
        if (told.equals(what)) {
            return;
        }
        told = what;
        log.line(
                LogEvent.POLICY_UNUSABLE,
                "the policy file changed and can't be used; what was in force STAYS in force:");
        problems.forEach(problem -> log.line(LogEvent.POLICY_UNUSABLE, problem));
        record("refused", "", problems);
    }

    private void record(String what, String digest, List<String> because) {
        ObjectNode event = JsonNodeFactory.instance
                .objectNode()
                .put("at", clock.instant().toString())
                .put("kind", "policy")
                .put("what", what)
                .put("digest", digest);
        ArrayNode reasons = event.putArray("because");
        because.forEach(reasons::add);
        engine.transact(tx -> tx.audit().append(event));
    }

    private static Optional<String> acceptance(Transaction tx, Path file) {
        return tx.pins().find("", KIND, place(file)).map(PinStore.Pin::digest);
    }

    /**
     * Ends the word on what the file was before it came to be what {@code digest} names: else whoever can write the file
     * could put that in force again.
     */
    private static void forget(Engine engine, Path file, String digest, Clock clock) {
        engine.transact(tx -> {
            boolean another = acceptance(tx, file)
                    .filter(each -> !each.isEmpty() && !each.equals(digest))
                    .isPresent();
            if (another) {
                tx.pins().pin(new PinStore.Pin("", KIND, place(file), "", clock.instant()));
            }
            return another;
        });
    }

    /** Notes that the approver accepted the policy in {@code file}, whatever it allows. */
    public static void accept(Engine engine, Path file, Policy policy, Clock clock) {
        engine.transact(tx -> {
            tx.pins().pin(new PinStore.Pin("", KIND, place(file), policy.digest(), clock.instant()));
            return tx.audit()
                    .append(JsonNodeFactory.instance
                            .objectNode()
                            .put("at", clock.instant().toString())
                            .put("kind", "policy")
                            .put("what", "accepted")
                            .put("digest", policy.digest())
                            .put("by", "approver"));
        });
    }

    /** One file has one name, by whichever path it was named. */
    private static String place(Path file) {
        try {
            return file.toRealPath().toString();
        } catch (IOException e) {
            return file.toAbsolutePath().normalize().toString();
        }
    }

    @Override
    public void close() {
        closed = true;
    }
}
