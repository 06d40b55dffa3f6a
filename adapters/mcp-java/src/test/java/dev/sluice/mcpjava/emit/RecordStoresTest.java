package dev.sluice.mcpjava.emit;

import static dev.sluice.mcpjava.emit.EvidenceRecord.dataClass;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.schemes.Claims;
import dev.sluice.schemes.LabelScheme;
import dev.sluice.schemes.Schemes;
import dev.sluice.schemes.dataclass.DataClassScheme;
import dev.sluice.schemes.evidence.Evidence;
import dev.sluice.schemes.evidence.Evidence.Outcome;
import dev.sluice.schemes.evidence.EvidenceResolver;
import dev.sluice.schemes.evidence.EvidenceVerifier;
import dev.sluice.schemes.evidence.FileResolver;
import dev.sluice.schemes.evidence.SignatureVerifier;
import dev.sluice.schemes.evidence.TrustStore;
import dev.sluice.wire.Decoded;
import dev.sluice.wire.EvidenceRef;
import dev.sluice.wire.TrustAnnotations;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Records, where they are kept, and whether a client can check them. */
class RecordStoresTest {

    @TempDir
    private Path folder;

    private static CallToolResult result() {
        return CallToolResult.builder()
                .addTextContent("one")
                .structuredContent(Map.of("n", 1.5))
                .build();
    }

    private static List<Evidence> verify(CallToolResult result, EvidenceResolver resolver, TrustStore trusted) {
        JsonNode sent = LegacyOutgoing.tree(result);
        return new EvidenceVerifier(Schemes.installed(), resolver, SignatureVerifier.JDK, trusted, Clock.systemUTC())
                .verify(TrustAnnotations.decodeResult(sent).value().result().evidence(), sent);
    }

    @Test
    void inlineRecord_isVerified() {
        CallToolResult labelled =
                Labels.of(result()).evidence(dataClass("restricted", "HIPAA")).build();

        assertEquals(
                List.of(Outcome.VERIFIED_UNBOUND),
                verify(labelled, EvidenceResolver.INLINE, TrustStore.EMPTY).stream()
                        .map(Evidence::outcome)
                        .toList());
    }

    @Test
    void recordInAFolder_isWrittenOnce_andVerifiedFromThere() throws Exception {
        Path records = folder.resolve("made when needed");
        RecordStore store = RecordStore.folder(records);
        List<Evidence> checked = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            CallToolResult labelled = Labels.of(result())
                    .store(store)
                    .evidence(dataClass("restricted", "HIPAA"))
                    .build();
            checked.addAll(verify(labelled, new FileResolver(records), TrustStore.EMPTY));
        }

        assertEquals(
                List.of(Outcome.VERIFIED_UNBOUND, Outcome.VERIFIED_UNBOUND),
                checked.stream().map(Evidence::outcome).toList());
        EvidenceRef reference = checked.get(0).reference();
        assertTrue(reference.inlineRecord().isEmpty(), "it stands in the file alone");
        try (Stream<Path> files = Files.list(records)) {
            List<Path> all = files.toList();
            assertEquals(1, all.size(), all.toString());
            assertEquals("{\"class\":\"restricted\",\"regulatory\":[\"HIPAA\"]}", Files.readString(all.get(0)));
        }
    }

    private static Path kept(RecordStore store, Path records) throws IOException {
        Labels.of(result()).store(store).evidence(dataClass("pii")).build();
        try (Stream<Path> files = Files.list(records)) {
            List<Path> all = files.toList();
            assertEquals(1, all.size(), all.toString());
            return all.get(0);
        }
    }

    @Test
    void recordThatWasChanged_isWrittenAnew() throws Exception {
        RecordStore store = RecordStore.folder(folder);
        Path file = kept(store, folder);
        for (String changed : List.of("", "{\"class\":\"pi", "{\"class\":\"pix\"}")) {
            Files.writeString(file, changed);

            assertEquals(file, kept(store, folder));

            assertEquals("{\"class\":\"pii\"}", Files.readString(file));
        }
    }

    @Test
    void record_hasTheRightsOfAnyNewFile() throws Exception {
        Path records = folder.resolve("records");
        Path file = kept(RecordStore.folder(records), records);
        Path any = Files.createFile(folder.resolve("any"));

        assertEquals(rights(any), rights(file));
    }

    /** Returns who may do what with a file; nothing where the file system has no such rights. */
    private static Set<PosixFilePermission> rights(Path file) throws IOException {
        PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
        return view == null ? Set.of() : view.readAttributes().permissions();
    }

    @Test
    void failedWriting_leavesNothingBehind() throws Exception {
        RecordStore store = RecordStore.folder(folder);
        Path file = kept(store, folder);
        Files.delete(file);
        Files.createDirectories(file.resolve("in the way"));

        assertThrows(UncheckedIOException.class, () -> kept(store, folder));

        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(List.of(file), files.toList());
        }
    }

    @Test
    void folderThatCannotBeWritten_keepsTheResultBack() throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "x");
        Labels<CallToolResult> labels =
                Labels.of(result()).store(RecordStore.folder(file)).evidence(dataClass("pii"));

        Exception e = assertThrows(UncheckedIOException.class, labels::build);

        assertEquals(
                "a record can't be written to `" + file + "`: make it a folder that can be written", e.getMessage());
    }

    @Test
    void recordInMemory_isHandedOutByItsName_untilOthersAreNewer() {
        MemoryRecords store = RecordStore.memory(URI.create("https://records.example/r/"), 2);
        List<String> names = new ArrayList<>();
        for (String name : List.of("a", "b", "a", "c")) {
            JsonNode label = PlainJson.tree(Labels.of(result())
                            .store(store)
                            .evidence(dataClass(name))
                            .build()
                            .meta())
                    .path(TrustAnnotations.KEY);
            String reference = label.path("evidenceRef").path("ref").asString("");
            assertTrue(reference.startsWith("https://records.example/r/"), reference);
            names.add(reference.substring(reference.lastIndexOf('/') + 1));
        }

        assertEquals(Optional.of("{\"class\":\"a\"}"), store.find(names.get(0)));
        assertEquals(Optional.empty(), store.find(names.get(1)), "it was referred to longest ago");
        assertEquals(Optional.of("{\"class\":\"c\"}"), store.find(names.get(3)));
    }

    @Test
    void recordInMemory_isVerifiedWhereItIsHandedOut() {
        MemoryRecords store = RecordStore.memory(URI.create("https://records.example/"), 10);
        CallToolResult labelled =
                Labels.of(result()).store(store).evidence(dataClass("pii")).build();
        EvidenceResolver client =
                reference -> store.find(reference.ref().substring("https://records.example/".length()))
                        .map(json -> json.getBytes(StandardCharsets.UTF_8));

        assertEquals(
                Outcome.VERIFIED_UNBOUND,
                verify(labelled, client, TrustStore.EMPTY).get(0).outcome());
    }

    @Test
    void memoryWithoutABaseOrASize_isRefused() {
        for (String base : List.of(
                "records/",
                "https://records.example/r",
                "urn:records/",
                "https://records.example/?of=/",
                "https://records.example/#/")) {
            Exception e = assertThrows(IllegalArgumentException.class, () -> RecordStore.memory(URI.create(base), 2));
            assertEquals(
                    "`" + base + "` can't start references: give an absolute URI that ends with `/`, without query and"
                            + " fragment, such as `https://host/records/`",
                    e.getMessage());
        }
        Exception e = assertThrows(
                IllegalArgumentException.class, () -> RecordStore.memory(URI.create("https://records.example/"), 0));
        assertEquals("`0` records can't be kept: give 1 to 1000000", e.getMessage());
    }

    @Test
    void signedRecord_isBoundToItsResult_blocksIncluded_andToNoOther() {
        SignedRecords signed = new SignedRecords();
        CallToolResult labelled = Labels.of(result())
                .store(signed.store())
                .block(0, PartLabel::untrusted)
                .item("/n", PartLabel::trusted)
                .evidence(dataClass("pii"))
                .build();

        assertEquals(List.of(Outcome.VERIFIED_BOUND), signed.checked(LegacyOutgoing.tree(labelled)));
        CallToolResult moved = CallToolResult.builder()
                .addTextContent("other")
                .meta(labelled.meta())
                .build();
        assertEquals(List.of(Outcome.MISMATCH), signed.checked(LegacyOutgoing.tree(moved)));
    }

    @Test
    void signedRecordOfAPart_isRefused() {
        RecordStore store = new SignedRecords().store();
        for (String part : List.of("block 0", "the item `/n`")) {
            Labels<CallToolResult> labels = Labels.of(result()).store(store);
            if (part.startsWith("block")) {
                labels.block(0, label -> label.evidence(dataClass("pii")));
            } else {
                labels.item("/n", label -> label.evidence(dataClass("pii")));
            }

            Exception e = assertThrows(IllegalStateException.class, labels::build);

            assertEquals(
                    "a record of " + part
                            + " can't be bound by a signature, which is for a whole result: give the record"
                            + " to the result, or keep it in another store",
                    e.getMessage());
        }
    }

    @Test
    void badRecords_areRefused() {
        Map<String, Runnable> bad = Map.of(
                "a record `data-class.v1` is wrong at `/class`: `class` is no name: write strings of 1 to 128 visible"
                        + " characters; read as unknown",
                () -> dataClass(" "),
                "a record `data-class.v1` is wrong at `/class`: `public` is public, but the record names a regulation or a"
                        + " label: state what it is; read as sensitive",
                () -> dataClass("public", "HIPAA"),
                "a record `ifc.fides.v1` has no `labels`: only one of a data class has",
                () -> EvidenceRecord.fides("trusted", "public").labels("x"));
        bad.forEach((message, make) -> assertEquals(
                message, assertThrows(IllegalArgumentException.class, make::run).getMessage()));
        Exception word = assertThrows(IllegalArgumentException.class, () -> EvidenceRecord.fides("Trusted", "public"));
        assertTrue(
                word.getMessage().startsWith("a record `ifc.fides.v1` is wrong at `/integrity`: `Trusted` is"),
                word.getMessage());
    }

    @Test
    void labelsOfSeveralCalls_allStand_eachOnce() {
        assertEquals(
                "{\"class\":\"restricted\",\"labels\":[\"a.b\",\"a.c\",\"a.d\"]}",
                dataClass("restricted")
                        .labels("a.b", "a.c")
                        .labels("a.c", "a.d", "a.d")
                        .json()
                        .toString());
        ObjectNode one =
                JsonNodeFactory.instance.objectNode().put("class", "restricted").put("labels", "a.b");
        assertEquals(
                "{\"class\":\"restricted\",\"labels\":[\"a.b\",\"a.c\"]}",
                EvidenceRecord.of(new DataClassScheme(), one)
                        .labels("a.c")
                        .json()
                        .toString());
    }

    @Test
    void recordOfOnesOwnScheme_isReadByThatScheme() {
        LabelScheme scheme = new LabelScheme() {
            @Override
            public String type() {
                return "com.acme.review.v1";
            }

            @Override
            public Decoded<Claims> read(JsonNode record) {
                return new Decoded<>(Claims.STRICTEST, List.of());
            }
        };
        ObjectNode record = JsonNodeFactory.instance.objectNode().put("by", "me");

        EvidenceRecord own = EvidenceRecord.of(scheme, record);
        record.put("by", "somebody else");

        assertEquals("com.acme.review.v1", own.type());
        assertEquals("{\"by\":\"me\"}", own.json().toString());
        JsonNode label =
                PlainJson.tree(Labels.of(result()).evidence(own).build().meta()).path(TrustAnnotations.KEY);
        assertTrue(label.path("sensitive").booleanValue());
        assertFalse(label.path("untrusted").isMissingNode());
    }
}
