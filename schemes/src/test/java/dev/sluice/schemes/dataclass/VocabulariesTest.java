package dev.sluice.schemes.dataclass;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.labels.Vocabulary;
import dev.sluice.labels.Vocabulary.Meaning;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Vocabulary documents; the bad ones are files under {@code bad-vocabularies}, each named after its fault. */
class VocabulariesTest {

    private static final Path BAD = Path.of("src/test/resources/bad-vocabularies");

    private static final Map<String, String> FAULTS = Map.ofEntries(
            Map.entry("not-an-object", "a vocabulary is a JSON object with `id` and `classes`"),
            Map.entry("no-json", "a vocabulary is no JSON: "),
            Map.entry("duplicate-member", "a vocabulary is no JSON: "),
            Map.entry("id-missing", "`/id` of a vocabulary is missing or no string: give it a URI"),
            Map.entry("id-no-string", "`/id` of a vocabulary is missing or no string: give it a URI"),
            Map.entry("id-blank", "a vocabulary has no id: give it a URI, which records refer to"),
            Map.entry(
                    "classes-missing",
                    "`/classes` of a vocabulary is missing or no object: map each class name to `public` or `sensitive`"),
            Map.entry(
                    "classes-a-list",
                    "`/classes` of a vocabulary is missing or no object: map each class name to `public` or `sensitive`"),
            Map.entry(
                    "meaning-unknown",
                    "`Public` at `/classes/open` is no meaning of a class: use `public` or `sensitive`"),
            Map.entry(
                    "meaning-no-string",
                    "`true` at `/classes/open` is no meaning of a class: use `public` or `sensitive`"),
            Map.entry(
                    "class-with-two-meanings", "the class `OPEN` stands twice in `urn:x`, with two meanings: keep one"),
            Map.entry("regulatory-a-string", "`/regulatory` of a vocabulary is no array of strings: list names"),
            Map.entry("labels-of-numbers", "`/labels` of a vocabulary is no array of strings: list names"),
            Map.entry(
                    "unknown-member",
                    "`/order` is no member of a vocabulary: use `id`, `classes`, `regulatory` or `labels`"));

    private static Vocabulary read(String json) {
        return Vocabularies.read(json.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    static Stream<String> faults() {
        return FAULTS.keySet().stream().sorted();
    }

    @ParameterizedTest
    @MethodSource("faults")
    void badDocument_isRefusedWithThePlaceAndTheMend(String fault) throws IOException {
        byte[] document = Files.readAllBytes(BAD.resolve(fault + ".json"));

        String message = assertThrows(IllegalArgumentException.class, () -> Vocabularies.read(document))
                .getMessage();

        String expected = FAULTS.get(fault);
        if (expected.endsWith(" ")) {
            // The reader of JSON tells the place in words of its own.
            assertTrue(message.startsWith(expected) && message.length() > expected.length(), message);
        } else {
            assertEquals(expected, message);
        }
    }

    @Test
    void everyBadDocument_isTested() throws IOException {
        try (Stream<Path> files = Files.list(BAD)) {
            assertEquals(
                    new TreeSet<>(FAULTS.keySet()),
                    new TreeSet<>(
                            files.map(each -> each.getFileName().toString().replace(".json", ""))
                                    .toList()));
        }
    }

    @Test
    void document_isReadMemberByMember() {
        Vocabulary read = read("{'id':'urn:x','classes':{'Open':'public','Ward':'sensitive'},"
                + "'regulatory':['HIPAA'],'labels':['com.x.y']}");

        assertEquals(
                new Vocabulary(
                        "urn:x",
                        Map.of("open", Meaning.PUBLIC, "ward", Meaning.SENSITIVE),
                        Set.of("hipaa"),
                        Set.of("com.x.y")),
                read);
        assertEquals(Optional.of(Meaning.PUBLIC), read.meaning("OPEN"));
        assertEquals(Optional.empty(), read.meaning("closed"));
        assertTrue(read.hasRegulatory("Hipaa"));
        assertFalse(read.hasRegulatory("glba"));
        assertTrue(read.hasLabel("COM.x.y"));
        assertFalse(read.hasLabel("com.x.z"));
    }

    @Test
    void documentWithoutNames_letsAnyBeNamed() {
        Vocabulary read = read("{'id':'urn:x','classes':{}}");

        assertTrue(read.hasRegulatory("glba"));
        assertTrue(read.hasLabel("com.x.z"));
    }

    @Test
    void idThatIsTaken_isRefused() {
        Vocabulary other = read("{'id':'urn:sluice:vocabulary:sep-2061','classes':{}}");

        assertEquals(
                "two vocabularies have the id `urn:sluice:vocabulary:sep-2061`: give one of them another",
                assertThrows(
                                IllegalArgumentException.class,
                                () -> Vocabularies.shipped().with(List.of(other)))
                        .getMessage());
    }

    @Test
    void with_addsAndLeavesTheOriginalAlone() {
        Vocabularies shipped = Vocabularies.shipped();
        Vocabulary mine = read("{'id':'urn:x','classes':{'open':'public'}}");

        Vocabularies more = shipped.with(List.of(mine));

        assertEquals(Optional.of(mine), more.of("urn:x"));
        assertEquals(Optional.empty(), shipped.of("urn:x"));
        assertEquals(4, more.ids().size());
        assertEquals(Optional.of(Meaning.PUBLIC), more.meaning("Open"));
        assertEquals(Optional.empty(), shipped.meaning("open"));
    }
}
