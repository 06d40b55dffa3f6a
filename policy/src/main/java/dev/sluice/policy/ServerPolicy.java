package dev.sluice.policy;

import dev.sluice.labels.Integrity;
import java.util.List;
import java.util.Map;

/**
 * What the operator says of one upstream.
 *
 * @param name its name in labels, records and rules
 * @param command how it is started; empty where the policy leaves that to the command line, or it has a {@code url}
 * @param line how else the line to it is made, and kept
 * @param known the shipped profile that applies, empty for none; {@code auto} where it is found from the command
 * @param defaults what answers are of which nothing more precise is said
 * @param claims what the server's own claims may do
 * @param evidence which of its evidence may be fetched and is trusted
 * @param informed whether it is told what kind of data the session has seen
 * @param resolves whether it is asked before a call what that does, where it can say so
 * @param tools what is said of single tools, by name
 * @param pins the definitions that the policy file pins
 */
public record ServerPolicy(
        String name,
        List<String> command,
        ServerLine line,
        String known,
        Returns defaults,
        ClaimTrust claims,
        EvidenceTrust evidence,
        boolean informed,
        boolean resolves,
        Map<String, ToolStatement> tools,
        DefinitionPins pins) {

    /** Where {@link #known} is to be found from the command. */
    public static final String AUTO = "auto";

    public ServerPolicy {
        command = List.copyOf(command);
        tools = Map.copyOf(tools);
    }

    /** Returns this, for a server that is started by {@code other}. */
    public ServerPolicy startedBy(List<String> other) {
        return reachedBy(other, line.withUrl(""));
    }

    /** Returns this, for a server that is reached at {@code url}. */
    public ServerPolicy reachedAt(String url) {
        return reachedBy(List.of(), line.withUrl(url));
    }

    /** Returns this, for a server that is reached as {@code other} is. */
    public ServerPolicy reachedAs(ServerPolicy other) {
        return reachedBy(other.command, other.line);
    }

    /** Returns this, for a server whose line is never closed for want of use. */
    public ServerPolicy kept() {
        return reachedBy(command, line.kept());
    }

    private ServerPolicy reachedBy(List<String> otherCommand, ServerLine otherLine) {
        return new ServerPolicy(
                name, otherCommand, otherLine, known, defaults, claims, evidence, informed, resolves, tools, pins);
    }

    /** Returns the policy of an upstream of which the operator said nothing. */
    public static ServerPolicy unstated(String name, List<String> command) {
        return new ServerPolicy(
                name,
                command,
                ServerLine.USUAL,
                AUTO,
                Returns.NOTHING,
                ClaimTrust.RAISE_ALL,
                EvidenceTrust.none(name),
                false,
                true,
                Map.of(),
                DefinitionPins.NONE);
    }

    /**
     * What claims may do, per part: raise a label only, or also replace a default.
     *
     * @param integrity whether a claim may replace the default {@link Integrity}
     * @param confidentiality whether a claim may replace the default confidentiality
     * @param classes whether a claim may replace the default classes
     */
    public record ClaimTrust(boolean integrity, boolean confidentiality, boolean classes) {

        /** Claims only raise. */
        public static final ClaimTrust RAISE_ALL = new ClaimTrust(false, false, false);

        /** Claims replace defaults. */
        public static final ClaimTrust FULL_ALL = new ClaimTrust(true, true, true);
    }
}
