package dev.sluice.gateway;

/**
 * What a line of the log is about, by a name that stays: {@code docs/observability.md} lists them.
 */
public enum LogEvent {
    /** Anything that has no name of its own. */
    MESSAGE("message", Level.INFO),
    SESSION_JOINED("session.joined", Level.INFO),
    SESSION_SWEEP_FAILED("session.sweep_failed", Level.ERROR),
    CALL_DENIED("call.denied", Level.WARN),
    CALL_WAITING("call.waiting", Level.INFO),
    CALL_FAULT("call.fault", Level.ERROR),
    QUESTION_ANSWERED("question.answered", Level.INFO),
    QUESTION_TOO_LONG("question.too_long", Level.WARN),
    QUESTION_UNREADABLE("question.unreadable", Level.ERROR),
    CLIENT_SKIPPED("client.skipped", Level.WARN),
    CLIENT_SLOW("client.slow", Level.WARN),
    CLIENT_ROOTS_WITHHELD("client.roots_withheld", Level.WARN),
    CLIENT_READ_FAILED("client.read_failed", Level.ERROR),
    NOTIFICATION_DROPPED("notification.dropped", Level.WARN),
    UPSTREAM_LEFT_OUT("upstream.left_out", Level.ERROR),
    UPSTREAM_BEGUN_ANEW("upstream.begun_anew", Level.INFO),
    UPSTREAM_STOPPED("upstream.stopped", Level.INFO),
    UPSTREAM_GONE("upstream.gone", Level.ERROR),
    UPSTREAM_SKIPPED("upstream.skipped", Level.WARN),
    UPSTREAM_FAULT("upstream.fault", Level.ERROR),
    UPSTREAM_READ_FAILED("upstream.read_failed", Level.ERROR),
    UPSTREAM_HELD_BACK("upstream.held_back", Level.WARN),
    PIN_CHANGED("pin.changed", Level.WARN),
    POLICY_IN_FORCE("policy.in_force", Level.INFO),
    POLICY_HELD("policy.held", Level.WARN),
    POLICY_UNUSABLE("policy.unusable", Level.ERROR),
    POLICY_NEEDS_START("policy.needs_start", Level.WARN),
    POLICY_WARNING("policy.warning", Level.WARN),
    STATE_UNUSABLE("state.unusable", Level.ERROR),
    AUTH_WARNING("auth.warning", Level.WARN),
    AUTH_KEYS_UNREACHABLE("auth.keys_unreachable", Level.ERROR),
    CERTIFICATE_RENEWED("certificate.renewed", Level.INFO),
    CERTIFICATE_UNUSABLE("certificate.unusable", Level.ERROR),
    HTTP_FAULT("http.fault", Level.ERROR),
    TRACES_LOST("traces.lost", Level.WARN);

    /** How much it matters. */
    public enum Level {
        /** Worth knowing. */
        INFO,
        /** Something was refused, held back or left out, as it should be. */
        WARN,
        /** Somebody should look. */
        ERROR
    }

    private final String id;
    private final Level level;

    LogEvent(String id, Level level) {
        this.id = id;
        this.level = level;
    }

    /** Returns the name. */
    public String id() {
        return id;
    }

    /** Returns how much it matters. */
    public Level level() {
        return level;
    }
}
