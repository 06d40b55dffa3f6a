package dev.sluice.guard.client;

import dev.sluice.guard.AgentSession;
import dev.sluice.guard.Denial;
import dev.sluice.guard.Guard;
import dev.sluice.guard.Inbound;
import dev.sluice.guard.ReaderResolver;
import dev.sluice.policy.PlainName;
import dev.sluice.policy.Policy;
import dev.sluice.policy.PolicyParser;
import dev.sluice.policy.ReaderLookup;
import dev.sluice.store.Engine;
import dev.sluice.store.MemoryEngine;
import dev.sluice.wire.canonical.Digest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A policy that is enforced inside an agent: made once, it gives a {@link Conversation} for each conversation, and that a
 * {@link Line} for each connection to a server.
 *
 * <p>Nothing here judges: every message takes the one path of {@link Guard}. Safe for use by several threads.
 */
public final class Enforcement implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger("dev.sluice");

    /** Of the audit log in memory, some 10 MB. */
    private static final int MOST_RECORDS = 10_000;

    private static final Executor THREADS = Executors.newCachedThreadPool(work -> {
        Thread thread = new Thread(work, "sluice-enforcement");
        thread.setDaemon(true);
        return thread;
    });

    private final Guard guard;
    private final @Nullable Engine own;
    private final Executor executor;
    private final String principal;
    private final @Nullable Asking asking;
    private final @Nullable Duration patience;
    private final List<Path> ours;

    /** The servers of which it was said that the policy does not name them. */
    private final Set<String> unstated = ConcurrentHashMap.newKeySet();

    private Enforcement(Builder said) {
        Engine engine = said.engine;
        this.own = engine == null ? MemoryEngine.keeping(MOST_RECORDS) : null;
        this.executor = said.executor;
        this.principal = said.principal;
        this.patience = said.patience;
        this.ours = List.copyOf(said.ours);
        this.guard = new Guard(
                engine == null ? Objects.requireNonNull(own) : engine,
                said.policy,
                said.clock,
                said.idle.toMinutes(),
                said.readers,
                executor);
        this.asking = said.approver == null ? null : new Asking(guard, said.approver, said.clock, executor);
        if (asking == null && (engine == null || !engine.isShared())) {
            guard.asksNobody();
        }
        said.policy
                .warnings(said.clock.instant())
                .forEach(problem -> say(System.Logger.Level.WARNING, "warning: " + problem));
    }

    /**
     * Returns the enforcement of a policy file, with state in memory and nobody to ask.
     *
     * @throws dev.sluice.policy.PolicyException where the file can't be read or says anything that can't be meant
     */
    public static Enforcement of(Path policy) {
        return builder(policy).build();
    }

    /**
     * Begins an enforcement of a policy file.
     *
     * @throws dev.sluice.policy.PolicyException where the file can't be read or says anything that can't be meant
     */
    public static Builder builder(Path policy) {
        return new Builder(PolicyParser.read(policy)).withheld(policy);
    }

    /** Begins an enforcement of a policy. */
    public static Builder builder(Policy policy) {
        return new Builder(policy);
    }

    /**
     * Returns the conversation of that id of the one principal, begun where it is new.
     *
     * @param id the same for as long as the model's context lives, and no other conversation's; not blank
     * @throws dev.sluice.store.StoreException where the state can't be read or written
     */
    public Conversation conversation(String id) {
        return conversation(principal, id);
    }

    /**
     * Returns the conversation of that id of one of several principals, begun where it is new. Conversations of two
     * principals are two, whatever their ids.
     *
     * @param who on whose behalf it runs; not blank, and never chosen by a model
     * @param id the same for as long as the model's context lives; not blank
     * @throws dev.sluice.store.StoreException where the state can't be read or written
     */
    public Conversation conversation(String who, String id) {
        if (who.isBlank() || id.isBlank()) {
            throw new IllegalArgumentException("a conversation needs an id and somebody on whose behalf it runs");
        }
        String digest =
                Digest.sha256(id.getBytes(StandardCharsets.UTF_8)).text().substring(7);
        // The principal stands before the digest, which has one length, so no two principals share a key.
        AgentSession agent = new AgentSession(
                "conversation:" + who + ":" + digest,
                who,
                "conversation " + digest.substring(0, 8) + " of " + who,
                AgentSession.Start.CLEAN,
                "");
        guard.open(agent);
        return new Conversation(this, id, agent.whileItLives());
    }

    /**
     * Returns a new connection to a server that several conversations share: one for each connection of a client.
     *
     * @param server its name in the policy
     * @param whose says which conversation a message belongs to that is given without one
     * @param own carries messages of Sluice's own to the server
     * @throws IllegalArgumentException where no server can have that name
     * @throws dev.sluice.store.StoreException where the state can't be read or written
     */
    public SharedLine share(String server, SharedLine.Membership whose, ToServer own) {
        checkServerName(server);
        return new SharedLine(this, nobodys(), server, whose, own);
    }

    /**
     * Returns the same for a client that gives each message together with its conversation.
     *
     * @param server its name in the policy
     * @param why what is told of a message that is given without
     * @param own carries messages of Sluice's own to the server
     * @see SharedLine#fromClient(Conversation, byte[])
     */
    public SharedLine share(String server, String why, ToServer own) {
        return share(
                server,
                meta -> {
                    throw new IllegalArgumentException(why);
                },
                own);
    }

    /** Returns a new conversation for what belongs to none, such as a handshake; no caller can name it. */
    Conversation nobodys() {
        AgentSession agent = new AgentSession(
                "connection:" + principal + ":" + UUID.randomUUID(),
                principal,
                "a connection of " + principal,
                AgentSession.Start.CLEAN, // begun anew where nobody used it for long
                "");
        guard.open(agent);
        return new Conversation(this, "", agent);
    }

    /**
     * Makes sure that a server can have a name.
     *
     * @throws IllegalArgumentException where none can
     */
    public static void checkServerName(String name) {
        if (!PolicyParser.isServerName(name)) {
            throw new IllegalArgumentException("`" + PlainName.of(name)
                    + "` can't be the name of a server: use letters, digits, `-` and single `_`, 40 at most");
        }
    }

    /** Puts {@code next} in force, for every conversation and line, from the next message on. */
    public void adopt(Policy next) {
        guard.adopt(next);
    }

    /** Ends the conversations that nobody used for the time that was said; returns how many. */
    public int endIdle() {
        return guard.endIdle();
    }

    /** Returns what decides. */
    Guard guard() {
        return guard;
    }

    Executor executor() {
        return executor;
    }

    /** Completes with whether a person has answered what {@code denial} asks, by which the call can be decided anew. */
    CompletionStage<Boolean> answered(
            AgentSession agent, String conversation, Inbound inbound, Denial denial, Duration within) {
        return asking == null
                ? CompletableFuture.completedFuture(false)
                : asking.answered(agent, conversation, inbound, denial, within);
    }

    /** Returns how long a call may wait for a person. */
    Duration patience() {
        return patience != null ? patience : guard.policy().gateway().ask().time();
    }

    /** Returns whether a folder that a server would be given holds what none may have. */
    boolean holdsOurs(String root) {
        return ours.stream().anyMatch(path -> GivenFolders.holds(root, path));
    }

    /** Says once that the policy does not name a server. */
    void unstated(String server) {
        if (unstated.add(server)) {
            say(
                    System.Logger.Level.WARNING,
                    "the policy does not name the server `" + server
                            + "`: all that it answers counts as untrusted and private, and its tools as able to do anything;"
                            + " write what is known of it under `servers: " + server + ":`");
        }
    }

    void say(System.Logger.Level level, String line) {
        LOG.log(level, line);
    }

    void fault(String line, Throwable fault) {
        LOG.log(System.Logger.Level.ERROR, line, fault);
    }

    /** Releases the state in memory; an engine that was given stays its giver's. Everything asked afterwards is refused. */
    @Override
    public void close() {
        if (own != null) {
            own.close();
        }
    }

    /** What can be said of an enforcement before it is made. */
    public static final class Builder {

        private final Policy policy;
        private final List<Path> ours = new ArrayList<>();
        private @Nullable Engine engine;
        private Clock clock = Clock.systemUTC();
        private Executor executor = THREADS;
        private String principal = "user:" + System.getProperty("user.name", "");
        private @Nullable Approver approver;
        private @Nullable Duration patience;
        private Duration idle = Duration.ZERO;
        private Function<ReaderLookup, ReaderResolver> readers = ReaderResolver::of;

        private Builder(Policy policy) {
            this.policy = policy;
        }

        /**
         * Says where labels and records are kept. In memory where nothing is said: then they die with the process, and
         * of the records the newest 10,000 are kept.
         */
        public Builder engine(Engine kept) {
            this.engine = kept;
            return this;
        }

        /** Says what time it is; the system's where nothing is said. */
        public Builder clock(Clock time) {
            this.clock = time;
            return this;
        }

        /** Says what runs all that had to wait, and asks approvers; it may be held up by either. Own threads by default. */
        public Builder executor(Executor threads) {
            this.executor = threads;
            return this;
        }

        /** Says on whose behalf conversations run of which nothing else is said; the user of this process by default. */
        public Builder principal(String who) {
            this.principal = who;
            return this;
        }

        /** Says who is asked; where nobody is, a call that policy puts to a person is denied. */
        public Builder approver(Approver person) {
            this.approver = person;
            return this;
        }

        /**
         * Says how long a call may wait for a person; what the policy says under {@code ask} by default. A client's own time
         * limit must be longer.
         */
        public Builder patience(Duration longest) {
            this.patience = longest;
            return this;
        }

        /**
         * Says after how long without use a conversation ends, which must be longer than its context can live anywhere: one
         * that is begun later under the same id has seen nothing. In minutes; never by default.
         */
        public Builder idle(Duration longest) {
            if (!longest.isZero() && longest.toMinutes() < 1) {
                throw new IllegalArgumentException(
                        "a conversation is idle after a minute at least, or never: say zero");
            }
            this.idle = longest;
            return this;
        }

        /** Says who is asked who may read a resource, for what the policy says of each server. */
        public Builder readers(Function<ReaderLookup, ReaderResolver> resolvers) {
            this.readers = resolvers;
            return this;
        }

        /** Says that no server may be given a root that holds {@code path}, such as the folder of an engine's state. */
        public Builder withheld(Path path) {
            ours.add(path);
            return this;
        }

        /**
         * Makes the enforcement.
         *
         * @throws IllegalArgumentException where the policy's vocabularies can't be used together with the installed schemes
         */
        public Enforcement build() {
            return new Enforcement(this);
        }
    }
}
