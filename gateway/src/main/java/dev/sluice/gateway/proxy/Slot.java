package dev.sluice.gateway.proxy;

import dev.sluice.gateway.Log;
import dev.sluice.gateway.LogEvent;
import dev.sluice.gateway.transport.Alarm;
import dev.sluice.gateway.transport.UpstreamLink;
import dev.sluice.guard.Guard;
import dev.sluice.guard.message.Methods;
import dev.sluice.guard.message.RequestMeta;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * The place of one upstream in one session: its line while it is open.
 *
 * <p>A line is begun when it is first needed, closed when nobody used it for long, and begun anew when it is needed again.
 * One that ends of itself, or can't be begun, is left alone for a while. Which era its server speaks is found out with the
 * first line of the process, and tried first from then on.
 */
final class Slot {

    /** What a session says when it shakes hands, whether it has said that it is ready, and what it set since then. */
    interface Greeting {
        JsonNode handshake();

        boolean isReady();

        /** Returns the parameters with which the client set the log level; a missing node where it did not. */
        JsonNode level();

        /** Returns whether the session is one of clients that say with every request what they can do. */
        default boolean isModern() {
            return handshake().path("protocolVersion").asString("").equals(RequestMeta.REVISION);
        }
    }

    private final Server server;
    private final String principal;
    private final Connection.Handler messages;
    private final Guard guard;
    private final Greeting greeting;
    private final Log log;
    private final BackOff backOff = new BackOff();
    private final Alarm idle = new Alarm(this::stopIfIdle);

    /** Written under the lock of this slot alone. */
    private volatile @Nullable Connection open;

    private volatile @Nullable Connection beginning;
    private volatile boolean closed;
    private final Set<String> watched = ConcurrentHashMap.newKeySet();
    private volatile long used = System.nanoTime();

    Slot(Server server, String principal, Guard guard, Connection.Handler messages, Greeting greeting, Log log) {
        this.server = server;
        this.principal = principal;
        this.guard = guard;
        this.messages = messages;
        this.greeting = greeting;
        this.log = log;
    }

    String name() {
        return server.policy().name();
    }

    /** Returns whether its line is other sessions' too. */
    boolean isShared() {
        return server.policy().line().shared();
    }

    /** Returns the line, begun and with the handshake done; empty where the upstream can't be had, as {@link #absence} says. */
    Optional<Connection> line() {
        used = System.nanoTime();
        synchronized (this) {
            Connection current = open;
            if (current != null && isUsable(current)) {
                return Optional.of(current);
            }
            if (current != null) {
                open = null;
                current.close();
            }
            if (closed || !backOff.left().isZero()) {
                return Optional.empty();
            }
            List<Era> order = Eras.order(server.policy().line().era(), server.standing(), greeting.isModern());
            return begin(order);
        }
    }

    private static boolean isUsable(Connection line) {
        return !line.hasEnded() && (line.unreachable().isEmpty() || line.isBusy());
    }

    private Optional<Connection> begin(List<Era> order) {
        Connection fresh;
        try {
            UpstreamLink link = server.links().link(principal);
            fresh = new Connection(
                    guard.connect(server.policy()),
                    link,
                    messages,
                    server.policy().line().timeout(),
                    watched,
                    log);
        } catch (IOException e) {
            absent(String.valueOf(e.getMessage()));
            return Optional.empty();
        }
        long since = System.nanoTime();
        AtomicBoolean begun = new AtomicBoolean();
        fresh.whenEnded(why -> {
            if (begun.compareAndSet(true, false)) {
                ended(fresh, why, Duration.ofNanos(System.nanoTime() - since));
            }
        });
        fresh.whenUnreachable(server.standing()::failed);
        fresh.whenRenewed(() -> setAgain(fresh));
        beginning = fresh;
        try {
            if (closed) {
                throw new IOException("the session is over");
            }
            fresh.start();
            Era era = Eras.begin(fresh, greeting, order);
            server.standing().speaks(era);
            JsonNode level = greeting.level();
            if (greeting.isReady() || era == Era.MODERN) {
                if (era == Era.LEGACY) {
                    fresh.send(MergedAnswers.INITIALIZED);
                }
                setAgain(fresh);
            }
            open = fresh;
            if (era == Era.LEGACY && !greeting.level().equals(level)) {
                level(fresh); // set meanwhile, by one who did not wait for this line
            }
            server.standing().opened();
            begun.set(true);
            if (fresh.hasEnded() && begun.compareAndSet(true, false)) {
                server.standing().died();
                throw new IOException("the server `" + name() + "` ended after the handshake");
            }
            server.policy().line().idle().ifPresent(idle::in);
            return Optional.of(fresh);
        } catch (IOException e) {
            open = null;
            boolean died = fresh.hasEnded();
            fresh.close();
            if (died && !closed && order.size() > 1 && order.get(0) == Era.MODERN) {
                return begin(List.of(Era.LEGACY)); // some legacy servers end at what they do not know
            }
            absent(String.valueOf(e.getMessage()));
            return Optional.empty();
        } finally {
            beginning = null;
        }
    }

    private Log own() {
        return log.about("server", name());
    }

    /** Sets what the client set before, which a line that was begun anew does not know. */
    private void setAgain(Connection line) {
        if (line.era() == Era.MODERN) {
            line.listen(); // the level goes with each request
            return;
        }
        level(line);
        watched.forEach(uri -> line.askAndGoOn(
                Methods.SUBSCRIBE, JsonNodeFactory.instance.objectNode().put("uri", uri)));
    }

    private void level(Connection line) {
        JsonNode level = greeting.level();
        if (!level.isMissingNode() && line.offers("logging")) {
            line.askAndGoOn(Methods.SET_LEVEL, level);
        }
    }

    private void absent(String why) {
        if (closed) {
            return;
        }
        backOff.failed(why);
        server.standing().failed();
        own().line(LogEvent.UPSTREAM_LEFT_OUT, backOff.told() + "; until then `" + name() + "` is left out");
    }

    /** On whatever thread says so: nothing here may wait for the lock, since whoever has it may wait for that thread. */
    private void ended(Connection line, String why, Duration lived) {
        if (closed || !line.endedItself()) {
            server.standing().closed();
            return;
        }
        server.standing().died();
        backOff.died(lived, "the server `" + name() + "` is gone: " + why);
        own().line(LogEvent.UPSTREAM_GONE, backOff.told());
        // What was started for it may still be there, and take its time to end.
        Thread.ofVirtual().name("close-" + name()).start(line::close);
    }

    /** Returns why the upstream can't be had and when it is tried again; empty text where nothing is known against it. */
    String absence() {
        return backOff.left().isZero() ? "" : backOff.told();
    }

    private void stopIfIdle() {
        Duration longest = server.policy().line().idle().orElseThrow();
        synchronized (this) {
            Connection line = open;
            if (line == null || line.hasEnded()) {
                return;
            }
            Duration silent = Duration.ofNanos(System.nanoTime() - used);
            if (!watched.isEmpty() || line.isBusy()) {
                idle.in(longest);
            } else if (silent.compareTo(longest) < 0) {
                idle.in(longest.minus(silent));
            } else {
                open = null;
                line.close();
                own().line(
                                LogEvent.UPSTREAM_STOPPED,
                                "`" + name() + "` was not used for " + longest.toSeconds()
                                        + " s and is stopped; it is started when it is needed");
            }
        }
    }

    synchronized Optional<Connection> ifOpen() {
        return openNow();
    }

    /** Returns the line where it is open already; one that is being begun is not waited for. */
    Optional<Connection> openNow() {
        return Optional.ofNullable(open).filter(line -> !line.hasEnded());
    }

    void close() {
        closed = true;
        idle.off();
        Connection unfinished = beginning;
        if (unfinished != null) {
            unfinished.close(); // else a server that does not answer the handshake holds up the end of the session
        }
        synchronized (this) {
            if (open != null) {
                open.close();
                open = null;
            }
        }
    }
}
