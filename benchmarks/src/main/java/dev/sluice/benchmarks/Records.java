package dev.sluice.benchmarks;

import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Records as tools answer them, the same ones in every run; the members of none are in order. */
final class Records {

    private static final String[] WORDS = {
        "invoice",
        "meeting",
        "draft",
        "quarter",
        "budget",
        "review",
        "shipping",
        "contract",
        "renewal",
        "ticket",
        "Zürich",
        "backup",
        "notes",
        "release"
    };

    private Records() {}

    /** Returns one record, some 300 bytes. */
    static byte[] one() {
        return record(new SplittableRandom(300), 17).getBytes(StandardCharsets.UTF_8);
    }

    /** Returns a document of 310 records, some 100 KB. */
    static byte[] many() {
        SplittableRandom random = new SplittableRandom(310);
        return IntStream.range(0, 310)
                .mapToObj(i -> record(random, i))
                .collect(Collectors.joining(",", "{\"results\":[", "],\"next\":null,\"count\":310}"))
                .getBytes(StandardCharsets.UTF_8);
    }

    private static String record(SplittableRandom random, int number) {
        return "{\"id\":\"rec-%06d\",\"type\":\"message\",\"subject\":\"%s\",\"from\":\"%s@example.com\","
                        .formatted(number, words(random, 4), words(random, 1))
                + "\"labels\":[\"%s\",\"%s\"],\"size\":%d,\"score\":0.%d1,"
                        .formatted(words(random, 1), words(random, 1), random.nextInt(100_000), random.nextInt(1000))
                + "\"created\":%d,\"read\":%b,\"body\":\"%s\",\"meta\":{\"thread\":%d,\"box\":\"%s\",\"flag\":null}}"
                        .formatted(
                                1_760_000_000_000L + random.nextInt(1_000_000_000),
                                random.nextBoolean(),
                                words(random, 8),
                                random.nextInt(5000),
                                words(random, 1));
    }

    private static String words(SplittableRandom random, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> WORDS[random.nextInt(WORDS.length)])
                .collect(Collectors.joining(" "));
    }
}
