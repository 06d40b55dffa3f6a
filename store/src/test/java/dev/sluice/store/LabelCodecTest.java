package dev.sluice.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.labels.Confidentiality;
import dev.sluice.labels.DataClass;
import dev.sluice.labels.Integrity;
import dev.sluice.labels.Label;
import dev.sluice.labels.Origin;
import dev.sluice.labels.SessionLabel;
import dev.sluice.labels.Source;
import dev.sluice.wire.canonical.JcsCanonicalizer;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LabelCodecTest {

    @Test
    void label_hasTheWrittenForm() {
        Label label = Label.of(
                Integrity.UNTRUSTED,
                Confidentiality.of(
                        Source.Readers.of("mail", List.of("user", "ana@clinic.example")),
                        new Source.OfServer("fs"),
                        new Source.OfResource("github", "o/r")),
                DataClass.UNCLASSIFIED,
                new DataClass("phi", "hipaa", "example.clinic"));

        assertEquals(
                "{\"classes\":[{\"class\":\"phi\",\"label\":\"example.clinic\",\"regulatory\":\"hipaa\"},"
                        + "{\"class\":\"unclassified\"}],"
                        + "\"confidentiality\":[{\"readers\":[\"ana@clinic.example\",\"user\"],\"server\":\"mail\"},"
                        + "{\"resource\":\"o/r\",\"server\":\"github\"},{\"server\":\"fs\"}],"
                        + "\"integrity\":\"untrusted\"}",
                JcsCanonicalizer.text(LabelCodec.encode(label)));
    }

    @Test
    void lineage_hasTheWrittenForm() {
        SessionLabel session = SessionLabel.EMPTY.observe(
                Label.of(Integrity.UNTRUSTED, Confidentiality.of(new Source.OfServer("fs")), DataClass.UNCLASSIFIED),
                new Origin(Instant.parse("2026-03-01T10:00:00.5Z"), "c7", "fs", "read_file"));
        String origins =
                "\"origins\":[{\"at\":\"2026-03-01T10:00:00.500Z\",\"call\":\"c7\",\"name\":\"read_file\",\"server\":\"fs\"}]";

        assertEquals(
                "[{\"class\":{\"class\":\"unclassified\"}," + origins + ",\"part\":\"class\"},"
                        + "{" + origins + ",\"part\":\"source\",\"source\":{\"server\":\"fs\"}},"
                        + "{" + origins + ",\"part\":\"untrusted\",\"server\":\"fs\"}]",
                JcsCanonicalizer.text(LabelCodec.encode(session.lineage())));
    }

    @Test
    void anyLabel_comesBackAsItWas() {
        RandomSessionLabels random = new RandomSessionLabels(20260301);
        for (int i = 0; i < 3000; i++) {
            SessionLabel label = random.next();
            String text = LabelCodec.text(label);
            SessionLabel back = LabelCodec.sessionLabel(text);
            assertEquals(label, back, text);
            assertEquals(text, LabelCodec.text(back));
            assertEquals(label.label(), LabelCodec.label(LabelCodec.encode(label.label())));
            assertEquals(label.lineage(), LabelCodec.lineage(LabelCodec.encode(label.lineage())));
        }
    }

    /** Damage to one character gives another label or none, but never silence about a part: cut texts never read. */
    @Test
    void cutLabel_isRefused() {
        RandomSessionLabels random = new RandomSessionLabels(7);
        for (int i = 0; i < 50; i++) {
            String text = LabelCodec.text(random.next());
            for (int length = 0; length < text.length(); length++) {
                String cut = text.substring(0, length);
                assertThrows(StoreException.class, () -> LabelCodec.sessionLabel(cut), cut);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "null",
                "[]",
                "{}",
                "{\"integrity\":\"untrusted\",\"classes\":[]}",
                "{\"integrity\":\"untrusted\",\"confidentiality\":[]}",
                "{\"confidentiality\":[],\"classes\":[]}",
                "{\"integrity\":\"Trusted\",\"confidentiality\":[],\"classes\":[]}",
                "{\"integrity\":true,\"confidentiality\":[],\"classes\":[]}",
                "{\"integrity\":\"trusted\",\"confidentiality\":null,\"classes\":[]}",
                "{\"integrity\":\"trusted\",\"confidentiality\":{},\"classes\":[]}",
                "{\"integrity\":\"trusted\",\"confidentiality\":[],\"classes\":\"pii\"}",
                "{\"integrity\":\"trusted\",\"confidentiality\":[],\"classes\":[],\"more\":1}",
                "{\"integrity\":\"trusted\",\"confidentiality\":[\"fs\"],\"classes\":[]}",
                "{\"integrity\":\"trusted\",\"confidentiality\":[{}],\"classes\":[]}",
                "{\"integrity\":\"trusted\",\"confidentiality\":[{\"server\":1}],\"classes\":[]}",
                "{\"integrity\":\"trusted\",\"confidentiality\":[{\"server\":\"fs\",\"path\":\"x\"}],\"classes\":[]}",
                "{\"integrity\":\"trusted\",\"confidentiality\":[{\"server\":\"fs\",\"resource\":null}],\"classes\":[]}",
                "{\"integrity\":\"trusted\",\"confidentiality\":[{\"server\":\"fs\",\"readers\":\"all\"}],\"classes\":[]}",
                "{\"integrity\":\"trusted\",\"confidentiality\":[{\"server\":\"fs\",\"readers\":[1]}],\"classes\":[]}",
                "{\"integrity\":\"trusted\",\"confidentiality\":[{\"server\":\"f\",\"readers\":[\"a\",\"a\"]}],\"classes\":[]}",
                "{\"integrity\":\"trusted\",\"confidentiality\":[{\"server\":\"f\",\"readers\":[],\"resource\":\"r\"}],\"classes\":[]}",
                "{\"integrity\":\"trusted\",\"confidentiality\":[{\"server\":\"f\"},{\"server\":\"f\"}],\"classes\":[]}",
                "{\"integrity\":\"trusted\",\"confidentiality\":[],\"classes\":[{\"regulatory\":\"hipaa\"}]}",
                "{\"integrity\":\"trusted\",\"confidentiality\":[],\"classes\":[{\"class\":\"phi\",\"regulatory\":null}]}",
                "{\"integrity\":\"trusted\",\"confidentiality\":[],\"classes\":[{\"class\":\"phi\"},{\"class\":\"PHI\"}]}",
            })
    void malformedLabel_isRefusedByName(String json) {
        StoreException refused = assertThrows(StoreException.class, () -> LabelCodec.label(StoredText.parse(json)));
        assertTrue(refused.getMessage().startsWith("the stored label is unreadable: "), refused.getMessage());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "[1]",
                "[{\"origins\":[]}]",
                "[{\"part\":\"other\",\"origins\":[]}]",
                "[{\"part\":\"untrusted\",\"origins\":[]}]",
                "[{\"part\":\"untrusted\",\"server\":\"fs\"}]",
                "[{\"part\":\"untrusted\",\"server\":\"fs\",\"origins\":{}}]",
                "[{\"part\":\"untrusted\",\"server\":\"fs\",\"class\":{\"class\":\"pii\"},\"origins\":[]}]",
                "[{\"part\":\"source\",\"source\":\"fs\",\"origins\":[]}]",
                "[{\"part\":\"class\",\"source\":{\"server\":\"fs\"},\"origins\":[]}]",
                "[{\"part\":\"untrusted\",\"server\":\"f\",\"origins\":[{\"at\":\"now\",\"call\":\"c\",\"server\":\"f\",\"name\":\"n\"}]}]",
                "[{\"part\":\"untrusted\",\"server\":\"f\",\"origins\":[{\"at\":\"2026-03-01T10:00:00Z\",\"call\":\"c\",\"server\":\"f\"}]}]",
                "[{\"part\":\"untrusted\",\"server\":\"f\",\"origins\":[]},{\"part\":\"untrusted\",\"server\":\"f\",\"origins\":[]}]",
            })
    void malformedLineage_isRefused(String json) {
        assertThrows(StoreException.class, () -> LabelCodec.lineage(StoredText.parse(json)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "{}{}",
                "{\"label\":{\"integrity\":\"trusted\",\"confidentiality\":[],\"classes\":[]},\"lineage\":[]}",
                "{\"label\":{\"integrity\":\"trusted\",\"confidentiality\":[],\"classes\":[]},\"lineage\":[],\"untrustedPublic\":0}",
                "{\"label\":{\"integrity\":\"untrusted\",\"integrity\":\"trusted\",\"confidentiality\":[],\"classes\":[]},"
                        + "\"lineage\":[],\"untrustedPublic\":false}",
            })
    void malformedSessionLabel_isRefused(String text) {
        assertThrows(StoreException.class, () -> LabelCodec.sessionLabel(text));
    }

    @Test
    void nameWithHalfASurrogatePair_isNotStored() {
        SessionLabel label = SessionLabel.EMPTY.observe(
                Label.of(Integrity.TRUSTED, Confidentiality.of(new Source.OfServer("\ud800"))),
                new Origin(Instant.EPOCH, "c1", "fs", "read"));
        assertThrows(StoreException.class, () -> LabelCodec.text(label));
    }
}
