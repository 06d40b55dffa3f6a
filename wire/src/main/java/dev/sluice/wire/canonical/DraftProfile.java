package dev.sluice.wire.canonical;

import dev.sluice.wire.json.JsonIndex;
import dev.sluice.wire.json.JsonIndex.Kind;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The value profile that the trust-annotations draft sets for evidence records: strings, arrays, objects, booleans, null
 * and integers from 0 to 2^53-1.
 *
 * <p>In it, every reader of JSON and of CBOR sees the same values. Anything else must be refused.
 */
public final class DraftProfile {

    private static final String LARGEST = "9007199254740991";

    private DraftProfile() {}

    /**
     * Checks that {@code record} holds nothing but what the profile has.
     *
     * @throws CanonicalizationException for the first value that is outside it
     */
    public static void check(JsonIndex.Value record) {
        JsonIndex index = record.index();
        int end = index.next(record.id());
        for (int node = record.id(); node < end; node++) {
            String fault = fault(index, node);
            if (fault != null) {
                String place = Refusals.place(Refusals.pointer(index, record.id(), node));
                throw new CanonicalizationException(place + " doesn't fit an evidence record: " + fault);
            }
        }
    }

    private static @Nullable String fault(JsonIndex index, int node) {
        if (index.kind(node) == Kind.STRING && index.isEscaped(node)) {
            return JcsOutput.hasLoneSurrogate(index.text(node)) ? Refusals.LONE_SURROGATE : null;
        }
        if (index.kind(node) != Kind.NUMBER) {
            return null;
        }
        int start = index.start(node);
        int end = index.end(node);
        if (index.array()[start] == '-') {
            return "it is a negative number; write it as a string";
        }
        if (!JcsOutput.isInteger(index.array(), start, end)) {
            return "it is a number with a fraction or an exponent; write it as a string";
        }
        int digits = end - start;
        String written = new String(index.array(), start, digits, StandardCharsets.ISO_8859_1);
        boolean tooLarge = digits > LARGEST.length() || (digits == LARGEST.length() && written.compareTo(LARGEST) > 0);
        return tooLarge ? "it is an integer beyond 2^53-1; write it as a string" : null;
    }
}
