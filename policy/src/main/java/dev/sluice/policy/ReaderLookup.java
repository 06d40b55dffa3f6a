package dev.sluice.policy;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Who is asked who may read a resource of one server, such as a repository.
 *
 * @param place who is asked
 * @param within how long an answer may take
 * @param keep how long an answer counts; what failed counts for a shorter time
 */
public record ReaderLookup(Place place, Duration within, Duration keep) {

    /** How long an answer may take where nobody says otherwise. */
    public static final Duration USUAL_WITHIN = Duration.ofSeconds(2);

    /** How long an answer counts where nobody says otherwise. */
    public static final Duration USUAL_KEEP = Duration.ofSeconds(60);

    /** Where the answer comes from. */
    public sealed interface Place {

        /**
         * The policy itself says it.
         *
         * @param readers the readers of each resource, by its key in lower case
         */
        record Stated(Map<String, Set<String>> readers) implements Place {
            public Stated {
                Map<String, Set<String>> copied = new LinkedHashMap<>();
                readers.forEach((key, names) -> copied.put(key, new TreeSet<>(names)));
                readers = java.util.Collections.unmodifiableMap(copied);
            }
        }

        /**
         * A program is started for each question.
         *
         * @param words the program and its arguments, word by word
         */
        record Command(List<String> words) implements Place {
            public Command {
                words = List.copyOf(words);
            }
        }

        /**
         * A service is asked over HTTP.
         *
         * @param url its address: https, or http on this machine
         * @param tokenEnv the environment variable that holds its bearer token; empty for none
         */
        record Service(String url, String tokenEnv) implements Place {}
    }
}
