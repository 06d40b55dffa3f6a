package dev.sluice.mcpjava.emit;

import dev.sluice.schemes.evidence.EvidenceWriter;
import dev.sluice.schemes.evidence.EvidenceWriter.Signer;
import dev.sluice.wire.EvidenceRef;
import dev.sluice.wire.canonical.Canonicalizations;
import java.net.URI;
import java.nio.file.Path;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;

/** Where the records of labels are kept. Called by several threads at once. */
public interface RecordStore {

    /** Nowhere but in the reference itself: whoever gets the label can check it without asking anybody. */
    RecordStore INLINE =
            (record, result) -> new EvidenceWriter(Canonicalizations.JCS).write(record.type(), record.json());

    /**
     * Keeps a record and returns the reference to it.
     *
     * @param result gives the result whose label it supports, as it will be sent but for its own {@code _meta}
     * @throws IllegalStateException where {@code result} is asked for and the record is of a part of the result
     * @throws java.io.UncheckedIOException where it can't be kept; the result is not sent then
     */
    EvidenceRef keep(EvidenceRecord record, Supplier<JsonNode> result);

    /**
     * Returns a store that writes each record into {@code folder}, once, and refers to it by {@code file:}. That is for
     * clients on the same machine; the folder is made where it is missing. Who may read the records is left to the folder
     * and to the rights that the process gives to new files (its {@code umask}): mostly every user who may enter the
     * folder. A record names classes of data, and holds none.
     */
    static RecordStore folder(Path folder) {
        return new FolderRecords(folder);
    }

    /**
     * Returns a store in memory, for a server that hands records out itself.
     *
     * @param base what the references start with, an absolute URI that ends with {@code /}, without query and fragment
     * @param most how many records are kept at most, 1 to 1,000,000; beyond that the one that was asked for or referred to
     *     longest ago is forgotten
     */
    static MemoryRecords memory(URI base, int most) {
        return new MemoryRecords(base, most);
    }

    /**
     * Returns a store that puts each record into its reference, bound by a signature to the result it speaks of. It
     * signs what the handler returns: nothing may change the result behind it.
     */
    static RecordStore signed(Signer signer) {
        EvidenceWriter writer = new EvidenceWriter(Canonicalizations.JCS);
        return (record, result) -> writer.write(record.type(), record.json(), result.get(), signer);
    }
}
