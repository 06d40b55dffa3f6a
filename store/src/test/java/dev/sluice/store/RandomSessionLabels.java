package dev.sluice.store;

import dev.sluice.labels.Confidentiality;
import dev.sluice.labels.DataClass;
import dev.sluice.labels.Integrity;
import dev.sluice.labels.Label;
import dev.sluice.labels.Origin;
import dev.sluice.labels.SessionLabel;
import dev.sluice.labels.Source;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Seeded session labels with names that are hard to write: quotes, controls, other planes, nothing at all. */
final class RandomSessionLabels {

    private static final List<String> NAMES = List.of(
            "mail",
            "",
            "a \"b\" \\",
            "ana@clinic.example",
            "user",
            "line\nbreak",
            "\u0000",
            "\u00e9\u4e2d",
            "\ud83d\ude00",
            "\uffff");

    private final Random random;

    RandomSessionLabels(long seed) {
        random = new Random(seed);
    }

    SessionLabel next() {
        SessionLabel session = SessionLabel.EMPTY;
        for (int i = random.nextInt(6); i > 0; i--) {
            session = session.observe(label(), new Origin(instant(), "c" + random.nextInt(99), name(), name()));
        }
        return session;
    }

    private Label label() {
        List<Source> sources = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            sources.add(source());
        }
        DataClass[] classes = new DataClass[random.nextInt(3)];
        for (int i = 0; i < classes.length; i++) {
            classes[i] = new DataClass(name(), name(), name());
        }
        return Label.of(
                random.nextBoolean() ? Integrity.TRUSTED : Integrity.UNTRUSTED, Confidentiality.of(sources), classes);
    }

    private Source source() {
        return switch (random.nextInt(4)) {
            case 0 -> new Source.OfServer(name());
            case 1 -> new Source.OfResource(name(), name());
            case 2 -> Source.Readers.of(name(), List.of());
            default -> Source.Readers.of(name(), List.of(name(), name()));
        };
    }

    private Instant instant() {
        return Instant.ofEpochSecond(random.nextInt(), random.nextInt(1_000_000_000));
    }

    private String name() {
        return NAMES.get(random.nextInt(NAMES.size()));
    }
}
