package dev.sluice.labels;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Seeded generators over a small world, so that labels overlap, include each other and repeat often. */
final class RandomLabels {

    private static final List<String> SERVERS = List.of("mail", "files", "forge");
    private static final List<String> PEOPLE = List.of("ana", "bo", "user");
    private final Random random;

    RandomLabels(long seed) {
        random = new Random(seed);
    }

    Label label() {
        List<Source> sources = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            sources.add(source());
        }
        DataClass[] classes = new DataClass[random.nextInt(3)];
        for (int i = 0; i < classes.length; i++) {
            classes[i] =
                    new DataClass(pick(List.of("pii", "PII", "financial")), pick(List.of("", "HIPAA", "hipaa")), "");
        }
        return Label.of(
                random.nextBoolean() ? Integrity.TRUSTED : Integrity.UNTRUSTED, Confidentiality.of(sources), classes);
    }

    Source source() {
        String server = pick(SERVERS);
        return switch (random.nextInt(3)) {
            case 0 -> new Source.OfServer(server);
            case 1 -> new Source.OfResource(server, pick(List.of("o/r", "o/s")));
            default -> Source.Readers.of(server, List.of(pick(PEOPLE), pick(PEOPLE)));
        };
    }

    Origin origin() {
        return new Origin(
                Instant.ofEpochSecond(random.nextInt(9)),
                "c" + random.nextInt(9),
                pick(SERVERS),
                pick(List.of("read", "list")));
    }

    SessionLabel session() {
        SessionLabel session = SessionLabel.EMPTY;
        for (int i = random.nextInt(5); i > 0; i--) {
            session = session.observe(label(), origin());
        }
        return session;
    }

    <T> T pick(List<T> from) {
        return from.get(random.nextInt(from.size()));
    }
}
