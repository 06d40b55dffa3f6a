package dev.sluice.policy;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * How the line to one upstream is made and kept, beside the command that starts it.
 *
 * @param url where it is reached over Streamable HTTP; empty for one that a command starts
 * @param headers what is sent with each request there, by name
 * @param env variables of the process that the command starts, beside ours
 * @param shared whether it is stateless, so that one line serves all sessions
 * @param idle after how long without use the line is closed; empty for never
 * @param timeout how long a call may show no progress
 * @param era which revisions of the protocol are spoken there
 */
public record ServerLine(
        String url,
        Map<String, EnvironmentText> headers,
        Map<String, EnvironmentText> env,
        boolean shared,
        Optional<Duration> idle,
        Duration timeout,
        ServerEra era) {

    /** After how long without use a line is closed, where nobody says otherwise. */
    public static final Duration USUAL_IDLE = Duration.ofMinutes(10);

    /** How long a call may show no progress, where nobody says otherwise. */
    public static final Duration USUAL_TIMEOUT = Duration.ofMinutes(5);

    /** What holds where nothing is said: a command starts it. */
    public static final ServerLine USUAL = to("");

    public ServerLine {
        headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
        env = Collections.unmodifiableMap(new LinkedHashMap<>(env));
    }

    /** Returns the line to {@code url} of which nothing else is said. */
    public static ServerLine to(String url) {
        return new ServerLine(url, Map.of(), Map.of(), false, Optional.of(USUAL_IDLE), USUAL_TIMEOUT, ServerEra.AUTO);
    }

    /** Returns this, to {@code other}. */
    ServerLine withUrl(String other) {
        return new ServerLine(other, headers, env, shared, idle, timeout, era);
    }

    /** Returns this, never closed for want of use. */
    ServerLine kept() {
        return new ServerLine(url, headers, env, shared, Optional.empty(), timeout, era);
    }
}
