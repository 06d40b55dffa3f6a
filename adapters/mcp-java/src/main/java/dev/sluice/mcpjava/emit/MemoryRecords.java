package dev.sluice.mcpjava.emit;

import dev.sluice.wire.EvidenceRef;
import dev.sluice.wire.canonical.JcsCanonicalizer;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;

/** Records in memory, for a server that hands them out itself. */
public final class MemoryRecords implements RecordStore {

    private static final int MOST = 1_000_000;

    private final URI base;
    private final Map<String, String> byName;

    MemoryRecords(URI base, int most) {
        if (!base.isAbsolute()
                || base.isOpaque()
                || base.getRawQuery() != null
                || base.getRawFragment() != null
                || !base.toString().endsWith("/")) {
            throw new IllegalArgumentException("`" + base + "` can't start references: give an absolute URI that ends"
                    + " with `/`, without query and fragment, such as `https://host/records/`");
        }
        if (most < 1 || most > MOST) {
            throw new IllegalArgumentException("`" + most + "` records can't be kept: give 1 to " + MOST);
        }
        this.base = base;
        this.byName = new LinkedHashMap<>(16, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
                return size() > most;
            }
        };
    }

    /** Returns the name of a record, the last step of its reference. */
    static String name(EvidenceRef reference) {
        return reference.digest().substring(reference.digest().indexOf(':') + 1) + ".json";
    }

    @Override
    public EvidenceRef keep(EvidenceRecord record, Supplier<JsonNode> result) {
        EvidenceRef plain = INLINE.keep(record, result);
        String name = name(plain);
        synchronized (byName) {
            byName.put(name, JcsCanonicalizer.text(record.json()));
        }
        return new EvidenceRef(
                plain.type(),
                plain.digest(),
                plain.canonicalization(),
                "",
                base.resolve(name).toString(),
                Map.of());
    }

    /** Returns the JSON text of the record of that name, the last step of a reference; empty where it is not kept. */
    public Optional<String> find(String name) {
        synchronized (byName) {
            return Optional.ofNullable(byName.get(name));
        }
    }
}
