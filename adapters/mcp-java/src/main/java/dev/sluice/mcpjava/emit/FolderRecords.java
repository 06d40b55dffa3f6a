package dev.sluice.mcpjava.emit;

import dev.sluice.wire.EvidenceRef;
import dev.sluice.wire.canonical.JcsCanonicalizer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
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
            if (!Files.isRegularFile(file)) {
                Files.createDirectories(folder);
                // Moved into its place as a whole: nobody reads half of it.
                Path part = Files.createTempFile(folder, "record", ".part");
                Files.write(part, JcsCanonicalizer.canonicalize(record.json()));
                Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
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
}
