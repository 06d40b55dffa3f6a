package dev.sluice.guard;

import dev.sluice.schemes.evidence.EvidenceResolver;
import dev.sluice.schemes.evidence.UnresolvableException;
import dev.sluice.store.AuditRecord;
import dev.sluice.store.Engine;
import dev.sluice.store.StoreException;
import dev.sluice.wire.EvidenceRef;
import dev.sluice.wire.json.JsonIndex;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Resolves {@code audit://} and the number of a record in our own log, which is how our own decisions are referred to. */
final class AuditResolver implements EvidenceResolver {

    private static final String SCHEME = "audit://";
    private static final Pattern NUMBER = Pattern.compile("[1-9][0-9]{0,17}");

    private final Engine engine;

    AuditResolver(Engine engine) {
        this.engine = engine;
    }

    @Override
    public Optional<byte[]> resolve(EvidenceRef reference) throws UnresolvableException {
        if (!reference.ref().startsWith(SCHEME)) {
            return Optional.empty();
        }
        String number = reference.ref().substring(SCHEME.length());
        if (!NUMBER.matcher(number).matches()) {
            throw new UnresolvableException("an `audit://` reference names no record: write the record's number");
        }
        long seq = Long.parseLong(number);
        try {
            List<AuditRecord> records = engine.transact(tx -> tx.audit().read(seq, 1));
            Optional<JsonIndex.Value> record = records.stream()
                    .filter(each -> each.seq() == seq)
                    .findFirst()
                    .map(each -> JsonIndex.parse(each.json().getBytes(StandardCharsets.UTF_8))
                            .root())
                    .flatMap(root -> root.member("evidence"))
                    .filter(evidence -> evidence.kind() == JsonIndex.Kind.OBJECT);
            if (record.isEmpty()) {
                throw new UnresolvableException(
                        "the audit log has no decision `" + number + "`: name one with `audit://` and its number");
            }
            return Optional.of(record.get().bytes());
        } catch (StoreException e) {
            throw new UnresolvableException("the audit log can't be read");
        }
    }
}
