package dev.sluice.policy;

import java.util.EnumMap;
import java.util.Map;

/** Compiles the expressions of one policy. Nothing of CEL is loaded before the first one: most policies have none. */
final class Expressions {

    /** What an expression is about, and so which variables it has. */
    enum About {
        /** {@code item}, {@code args}, {@code server}, {@code principal}. */
        ITEM,
        /** The same, and {@code match} and {@code groups}. */
        SPAN,
        /** {@code call}. */
        CALL,
        /** {@code label}, {@code server}, {@code tool}, {@code principal}. */
        PART,
        /** {@code answer}. */
        ANSWER
    }

    /** What an expression must give. */
    enum Kind {
        TEXT("'trusted' or 'untrusted'", "; write `condition ? 'trusted' : 'untrusted'`"),
        LIST("a list of texts", "; write such as `flat(item.from, item.to)`"),
        TRUTH("true or false", "; compare it, such as with `== true`");

        private final String words;
        private final String mend;

        Kind(String words, String mend) {
            this.words = words;
            this.mend = mend;
        }

        String mend() {
            return mend;
        }

        String words() {
            return words;
        }
    }

    private final Map<String, Audience> audiences;
    private final Map<About, ExpressionCompiler> compilers = new EnumMap<>(About.class);

    Expressions(Map<String, Audience> audiences) {
        this.audiences = audiences;
    }

    /**
     * Returns the expression that {@code text} writes.
     *
     * @throws Expression.Failure where it is none, or can't give what it must; the message has the mend
     */
    Expression compile(About about, Kind kind, String text) throws Expression.Failure {
        return compilers
                .computeIfAbsent(about, each -> new ExpressionCompiler(each, audiences))
                .compile(kind, text);
    }
}
