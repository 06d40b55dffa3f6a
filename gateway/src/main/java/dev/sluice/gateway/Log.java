package dev.sluice.gateway;

/** Where Sluice says what a person who runs it should know: one line at a time, never a payload or a secret. */
@FunctionalInterface
public interface Log {

    /** Says one line. */
    void line(String text);

    /** Returns a log on standard error, each line begun with {@code sluice: }. */
    static Log stderr() {
        return text -> System.err.println("sluice: " + text.replace('\n', ' ').replace('\r', ' '));
    }
}
