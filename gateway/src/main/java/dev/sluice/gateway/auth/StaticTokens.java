package dev.sluice.gateway.auth;

import dev.sluice.guard.Secrets;
import dev.sluice.policy.GatewaySettings.Token;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Tokens that the operator gave out. Only their digests are kept. */
final class StaticTokens {

    /** A guess at a shorter one could come true. */
    static final int LEAST_LENGTH = 16;

    private record Entry(String principal, String digest) {}

    private final List<Entry> entries = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();

    /**
     * Reads the tokens.
     *
     * @param environment gives the value of a variable, or null
     */
    StaticTokens(List<Token> tokens, Function<String, @Nullable String> environment) {
        for (Token token : tokens) {
            if (!token.sha256().isEmpty()) {
                entries.add(new Entry(token.principal(), token.sha256()));
                continue;
            }
            Secrets.add(token.variable());
            String value = environment.apply(token.variable());
            if (value == null || value.strip().length() < LEAST_LENGTH) {
                problems.add("the token of `" + token.principal() + "` is not in the variable `" + token.variable()
                        + "`, or has less than " + LEAST_LENGTH
                        + " characters, so nobody is let in with it; set the variable to one that `sluice token` made");
            } else {
                entries.add(new Entry(token.principal(), digest(value.strip())));
            }
        }
    }

    /** Returns in words which tokens are not there. */
    List<String> problems() {
        return List.copyOf(problems);
    }

    /** Returns whose token it is. All are compared, whichever it is, so time tells nothing. */
    Optional<String> principal(String token) {
        byte[] given = digest(token).getBytes(StandardCharsets.US_ASCII);
        Optional<String> found = Optional.empty();
        for (Entry entry : entries) {
            if (MessageDigest.isEqual(entry.digest().getBytes(StandardCharsets.US_ASCII), given)) {
                found = Optional.of(entry.principal());
            }
        }
        return found;
    }

    private static String digest(String token) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
