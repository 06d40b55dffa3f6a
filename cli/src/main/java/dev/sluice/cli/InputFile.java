package dev.sluice.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Parameters;

/** The file that a command reads; {@code -} is standard input. */
final class InputFile {

    private static final int MOST_BYTES = 64 << 20;

    @Parameters(paramLabel = "<file>", description = "The file to read, or - for standard input.")
    private Path file = Path.of("-");

    /**
     * Returns all bytes.
     *
     * @throws Main.InputFailure where it can't be read
     */
    byte[] read() {
        return read(file);
    }

    /**
     * Returns all bytes of a file.
     *
     * @throws Main.InputFailure where it can't be read
     */
    static byte[] read(Path file) {
        boolean standard = file.toString().equals("-");
        try (InputStream in = standard ? System.in : Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(MOST_BYTES + 1);
            if (bytes.length > MOST_BYTES) {
                throw new Main.InputFailure("`" + file + "` is larger than 64 MiB");
            }
            return bytes;
        } catch (IOException e) {
            throw new Main.InputFailure(
                    "`" + file + "` can't be read; name a readable file, or `-` for standard input");
        }
    }
}
