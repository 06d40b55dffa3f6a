package dev.sluice.schemes;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Objects;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The records and digests that the drafts publish, and short words for JSON in tests. */
public final class Vectors {

    private Vectors() {}

    /** Returns the published vectors, each with {@code name}, {@code type}, {@code canonicalization}, {@code record}. */
    public static List<JsonNode> all() {
        try (InputStream in = Objects.requireNonNull(Vectors.class.getResourceAsStream("/evidence-vectors.json"))) {
            return List.copyOf(JsonMapper.shared()
                    .readTree(in.readAllBytes())
                    .path("vectors")
                    .valueStream()
                    .toList());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Reads JSON that is written with single quotes. */
    public static JsonNode json(String text) {
        return JsonMapper.shared().readTree(text.replace('\'', '"'));
    }
}
