package dev.sluice.guard.client;

import dev.sluice.guard.AgentSession;
import dev.sluice.guard.Guard;
import dev.sluice.labels.SessionLabel;
import dev.sluice.policy.ServerPolicy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One conversation of an agent, under an {@link Enforcement}: what it has seen through any of its lines is in one label,
 * which only grows.
 *
 * <p>Whatever shares a model's context must share one conversation. Safe for use by several threads.
 */
public final class Conversation {

    private final Enforcement enforcement;
    private final String id;
    private final AgentSession agent;
    private final Map<String, LocalFunctions> functions = new ConcurrentHashMap<>();

    Conversation(Enforcement enforcement, String id, AgentSession agent) {
        this.enforcement = enforcement;
        this.id = id;
        this.agent = agent;
    }

    /** Returns its id. */
    public String id() {
        return id;
    }

    /** Returns what finds its label: no other conversation's. */
    String key() {
        return agent.key();
    }

    /**
     * Takes note of what the user typed, before the model gets it: values in calls that the user named are known as such
     * from then on. Never with the words of a model, a tool or a page.
     *
     * @throws dev.sluice.store.StoreException where that can't be kept, or the conversation is over
     */
    public void typed(String userPrompt) {
        enforcement.guard().typed(agent, userPrompt);
    }

    /**
     * Returns a new line to a server: one for each connection of a client.
     *
     * @param server its name in the policy. Of one that the policy does not name, nothing is known: what it answers is
     *     untrusted and private to it, and its tools may do anything
     * @param own carries messages of Sluice's own to the server
     * @throws IllegalArgumentException where no server can have that name
     */
    public Line connect(String server, ToServer own) {
        Enforcement.checkServerName(server);
        Guard guard = enforcement.guard();
        ServerPolicy said = guard.policy().servers().get(server);
        if (said == null) {
            enforcement.unstated(server);
            said = ServerPolicy.unstated(server, List.of());
        }
        return new Line(enforcement, agent, id, guard.connect(said), said.line().timeout(), own);
    }

    /**
     * Returns functions of the agent's own process as tools of a server: always the same for one name.
     *
     * @param server a name in the policy, such as {@code local}
     * @throws IllegalArgumentException where no server can have that name
     */
    public LocalFunctions functions(String server) {
        return functions.computeIfAbsent(server, name -> new LocalFunctions(this, name));
    }

    boolean takesOut() {
        return enforcement.guard().takesOut();
    }

    /**
     * Returns what it has seen.
     *
     * @throws dev.sluice.store.StoreException where the state can't be read, or the conversation is over
     */
    public SessionLabel seen() {
        return enforcement.guard().open(agent).label();
    }

    /**
     * Ends it: everything that is asked on its lines afterwards is refused. Only for a conversation whose context is gone;
     * one that is begun later under the same id has seen nothing.
     *
     * @throws dev.sluice.store.StoreException where that can't be kept
     */
    public void end() {
        enforcement.guard().end(agent);
    }
}
