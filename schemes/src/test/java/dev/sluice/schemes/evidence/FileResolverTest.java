package dev.sluice.schemes.evidence;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.sluice.wire.EvidenceRef;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FileResolverTest {

    private static final byte[] RECORD = "{\"a\":1}".getBytes(StandardCharsets.UTF_8);
    private static final String OUTSIDE =
            "a `file:` reference leads to no file of the folder for evidence: put the record there";
    private static final String UNREADABLE =
            "the file of a reference can't be read: put it into the folder for evidence, readable";
    private static final String RELATIVE =
            "a `file:` reference has no absolute path on this machine: write `file:///` and the path";
    private static final String NO_URI = "a `file:` reference is no URI: write `file:///` and the path, encoded";

    @TempDir
    private Path all;

    private Path folder;
    private FileResolver resolver;

    @BeforeEach
    void write() throws IOException {
        all = all.toRealPath();
        folder = Files.createDirectory(all.resolve("evidence"));
        Files.write(folder.resolve("record.json"), RECORD);
        Files.write(folder.resolve("a b.json"), RECORD);
        Files.write(all.resolve("secret.json"), RECORD);
        Files.createDirectory(folder.resolve("sub"));
        Files.write(folder.resolve("sub/deep.json"), RECORD);
        Files.write(Files.createDirectory(all.resolve("evidence-other")).resolve("x.json"), RECORD);
        resolver = new FileResolver(folder);
    }

    private Optional<byte[]> resolve(String ref) throws UnresolvableException {
        return resolver.resolve(new EvidenceRef("t", "", "", "", ref, Map.of()));
    }

    private void assertRefused(String because, String ref) {
        assertEquals(
                because,
                assertThrows(UnresolvableException.class, () -> resolve(ref)).getMessage(),
                ref);
    }

    @Test
    void fileInTheFolder_isRead() throws UnresolvableException {
        for (String ref : new String[] {
            "file://" + folder + "/record.json",
            "file:" + folder + "/record.json",
            "FILE://" + folder + "/record.json",
            "file://" + folder + "/a%20b.json",
            "file://" + folder + "/sub/deep.json",
            "file://" + folder + "/sub/../record.json",
            "file://" + folder + "/record.json?query#fragment",
            "file://" + folder + "/%72ecord.json"
        }) {
            assertArrayEquals(RECORD, resolve(ref).orElseThrow(), ref);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "https://x.example/", "audit://1", "record.json", "/etc/passwd", " file:///etc/passwd"})
    void otherReferences_areNotForIt(String ref) throws UnresolvableException {
        assertEquals(Optional.empty(), resolve(ref));
    }

    @Test
    void dotsOutOfTheFolder_areRefused() {
        assertRefused(OUTSIDE, "file://" + folder + "/../secret.json");
        assertRefused(OUTSIDE, "file://" + folder + "/%2e%2e/secret.json");
        assertRefused(OUTSIDE, "file://" + folder + "/..%2fsecret.json");
        assertRefused(OUTSIDE, "file://" + folder + "/sub/../../secret.json");
        assertRefused(OUTSIDE, "file://" + all + "/secret.json");
        assertRefused(OUTSIDE, "file://" + all + "/evidence-other/x.json");
        assertRefused(OUTSIDE, "file:///etc/passwd");
        assertRefused(UNREADABLE, "file://" + folder + "/%252e%252e/secret.json");
    }

    @Test
    void linksOutOfTheFolder_areRefused() throws IOException {
        Files.createSymbolicLink(folder.resolve("link.json"), all.resolve("secret.json"));
        Files.createSymbolicLink(folder.resolve("up"), all);

        assertRefused(OUTSIDE, "file://" + folder + "/link.json");
        assertRefused(OUTSIDE, "file://" + folder + "/up/secret.json");
    }

    @Test
    void linksInsideTheFolder_andToTheFolder_areFollowed() throws Exception {
        Files.createSymbolicLink(folder.resolve("same.json"), folder.resolve("record.json"));
        Path alias = Files.createSymbolicLink(all.resolve("alias"), folder);

        assertArrayEquals(RECORD, resolve("file://" + folder + "/same.json").orElseThrow());
        resolver = new FileResolver(alias);
        assertArrayEquals(RECORD, resolve("file://" + alias + "/record.json").orElseThrow());
        assertRefused(OUTSIDE, "file://" + alias + "/../secret.json");
    }

    @Test
    void whatIsNoFile_isRefused() {
        assertRefused(UNREADABLE, "file://" + folder + "/missing.json");
        assertRefused(UNREADABLE, "file://" + folder + "/record.json/more");
        assertRefused(OUTSIDE, "file://" + folder + "/sub");
        assertRefused(OUTSIDE, "file://" + folder);
        assertRefused(OUTSIDE, "file:///");
    }

    @Test
    void referenceWithoutAnAbsolutePath_isRefused() {
        assertRefused(RELATIVE, "file:record.json");
        assertRefused(RELATIVE, "file:./record.json");
        assertRefused(RELATIVE, "file://host.example" + folder + "/record.json");
        assertRefused(RELATIVE, "file://localhost" + folder + "/record.json");
        assertRefused(RELATIVE, "file://host.example");
    }

    @Test
    void whatIsNoUri_isRefused() {
        assertRefused(NO_URI, "file://" + folder + "/a b.json");
        assertRefused(NO_URI, "file:");
        assertRefused(NO_URI, "file://" + folder + "/%zz");
        assertRefused(NO_URI, "file://" + folder + "/record.json%00.txt");
    }

    @Test
    void fileOverTheSize_isRefused() throws Exception {
        Files.write(folder.resolve("large"), new byte[EvidenceResolver.MOST_BYTES + 1]);
        Files.write(folder.resolve("largest"), new byte[EvidenceResolver.MOST_BYTES]);

        assertRefused("a record is larger than 262144 bytes: make it smaller", "file://" + folder + "/large");
        assertEquals(
                EvidenceResolver.MOST_BYTES,
                resolve("file://" + folder + "/largest").orElseThrow().length);
    }

    @Test
    void folderThatIsNotThere_resolvesNothing() {
        resolver = new FileResolver(all.resolve("missing"));

        assertRefused(UNREADABLE, "file://" + folder + "/record.json");
    }
}
