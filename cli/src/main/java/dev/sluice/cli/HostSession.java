package dev.sluice.cli;

import dev.sluice.gateway.HostProcess;
import dev.sluice.guard.AgentSession;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Which session a process belongs to that a host started. */
final class HostSession {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    private HostSession() {}

    /**
     * Returns the session of a name, else that of the host which started this process, else the one of all that have none.
     *
     * @param session the name; null for none
     */
    static AgentSession of(@Nullable String session) {
        String principal = "user:" + System.getProperty("user.name", "");
        if (session != null) {
            if (!NAME.matcher(session).matches()) {
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
