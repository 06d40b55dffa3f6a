package dev.sluice.guard;

import dev.sluice.guard.ReaderResolver.UnresolvedException;
import dev.sluice.labels.Source;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;

/** The question who may read a resource and its answer, as programs and services see them. */
final class ReaderAnswers {

    /** Longer answers count as failed. */
    static final int MOST_BYTES = 1 << 20;

    private static final int MOST_READERS = 10_000;
    private static final int LONGEST_READER = 320;

    private ReaderAnswers() {}

    /** Returns the question: {@code {"server":…,"resource":…}} and a line's end. */
    static byte[] question(Source.OfResource resource) {
        String text = JsonNodeFactory.instance
                .objectNode()
                .put("server", resource.server())
                .put("resource", resource.key())
                .toString();
        return (text + "\n").getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Returns the readers in an answer: a JSON list of texts.
     *
     * @throws UnresolvedException where it is anything else
     */
    static Set<String> read(byte[] answer) throws UnresolvedException {
        JsonNode list;
        try {
            list = JsonMapper.shared().readTree(answer);
        } catch (RuntimeException e) {
            throw new UnresolvedException("the answer is no JSON");
        }
        if (list == null || !list.isArray() || list.size() > MOST_READERS) {
            throw new UnresolvedException("the answer is no JSON list of " + MOST_READERS + " texts at most");
        }
        Set<String> readers = new TreeSet<>();
        for (JsonNode reader : list) {
            if (!reader.isString()
                    || reader.stringValue().isEmpty()
                    || reader.stringValue().length() > LONGEST_READER) {
                throw new UnresolvedException("a reader in the answer is no short text");
            }
            readers.add(reader.stringValue());
        }
        return readers;
    }
}
