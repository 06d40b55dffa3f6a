package dev.sluice.guard.client;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** In how many ways one folder can be written. */
class GivenFoldersTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "%s",
                " %s",
                "file:%s",
                "file://%s",
                " file://%s",
                "file://localhost%s",
                "FILE://%s",
                "File://LocalHost%s",
                "FILE:%s/.",
                "file://%s/x/.."
            })
    void folder_isFoundHoweverItIsWritten(String form, @TempDir Path folder) {
        String path = folder.toUri().getPath().replaceAll("/$", "");
        assertTrue(GivenFolders.holds(form.formatted(path), folder.resolve("state")));
        assertFalse(GivenFolders.holds(form.formatted(path + "x"), folder.resolve("state")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "file:",
                "file:relative",
                "file://%zz",
                "file:///a b",
                "file:///a%00",
                "file:///a?b",
                "file://localhost",
                "file://elsewhere/a",
                "FILE://localhost:80/a"
            })
    void fileAddressThatCannotBeRead_mayHoldAnything(String root, @TempDir Path folder) {
        assertTrue(GivenFolders.holds(root, folder));
    }

    @Test
    void addressOfNoFile_holdsNothing(@TempDir Path folder) {
        assertFalse(GivenFolders.holds("", folder));
        assertFalse(GivenFolders.holds(" ", folder));
        assertFalse(GivenFolders.holds("https://localhost" + folder, folder));
    }
}
