package dev.sluice.mcpjava.emit;

import dev.sluice.wire.EvidenceRef;
import dev.sluice.wire.canonical.JcsCanonicalizer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;

/** Records as files, named by their digests. */
final class FolderRecords implements RecordStore {

    private final Path folder;

    FolderRecords(Path folder) {
        this.folder = folder.toAbsolutePath().normalize();
    }

    @Override
    public EvidenceRef keep(EvidenceRecord record, Supplier<JsonNode> result) {
        EvidenceRef plain = INLINE.keep(record, result);
        Path file = folder.resolve(MemoryRecords.name(plain));
        try {
            byte[] bytes = JcsCanonicalizer.canonicalize(record.json());
            if (!holds(file, bytes)) {
                Files.createDirectories(folder);
                write(file, bytes);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "a record can't be written to `" + folder + "`: make it a folder that can be written", e);
        }
        return new EvidenceRef(
                plain.type(),
                plain.digest(),
                plain.canonicalization(),
                "",
                file.toUri().toString(),
                Map.of());
    }

    /** A file is not taken for the record by its name alone: it may have been cut or changed since. */
    private static boolean holds(Path file, byte[] bytes) throws IOException {
        return Files.isRegularFile(file)
                && Files.size(file) == bytes.length
                && Arrays.equals(Files.readAllBytes(file), bytes);
    }

    /** Moves it into its place as a whole, so that nobody reads half of it. */
    private void write(Path file, byte[] bytes) throws IOException {
        // No temporary file of the JDK, which its owner alone may read: clients of other users may be meant.
        Path part = folder.resolve("record" + UUID.randomUUID() + ".part");
        try {
            Files.write(part, bytes, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(part);
        }
    }
}
