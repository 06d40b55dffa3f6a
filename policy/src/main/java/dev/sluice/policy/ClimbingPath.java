package dev.sluice.policy;

import java.util.Locale;
import tools.jackson.databind.JsonNode;

/**
 * A text that leaves its place where somebody puts it into a path or URL: more {@code ..} than there are folders before.
 *
 * <p>Read as the WHATWG URL standard reads paths, and stricter: {@code \} and escaped separators separate too, tabs and
 * line ends count as nothing, and so do empty folders.
 */
final class ClimbingPath {

    private ClimbingPath() {}

    /** Returns whether {@code value} is such a text, or holds one at any depth. */
    static boolean isIn(JsonNode value) {
        if (value.isString()) {
            return climbs(value.stringValue());
        }
        for (JsonNode element : value) {
            if (isIn(element)) {
                return true;
            }
        }
        return false;
    }

    private static boolean climbs(String text) {
        if (text.indexOf('.') < 0 && text.indexOf('%') < 0) {
            return false;
        }
        String path = text.replaceAll("[\\t\\r\\n]", "")
                .toLowerCase(Locale.ROOT)
                .replaceAll("%(25)+", "%")
                .replace("%2e", ".")
                .replaceAll("\\\\|%2f|%5c", "/");
        int depth = 0;
        for (String folder : path.split("/", -1)) {
            if (folder.equals("..")) {
                depth--;
            } else if (!folder.isEmpty() && !folder.equals(".")) {
                depth++;
            }
            if (depth < 0) {
                return true;
            }
        }
        return false;
    }
}
