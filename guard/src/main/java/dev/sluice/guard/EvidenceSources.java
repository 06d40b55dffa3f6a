package dev.sluice.guard;

import dev.sluice.labels.Vocabulary;
import dev.sluice.policy.EvidenceTrust;
import dev.sluice.schemes.LabelScheme;
import dev.sluice.schemes.Schemes;
import dev.sluice.schemes.dataclass.DataClassScheme;
import dev.sluice.schemes.dataclass.Vocabularies;
import dev.sluice.schemes.evidence.EvidenceResolver;
import dev.sluice.schemes.evidence.EvidenceVerifier;
import dev.sluice.schemes.evidence.FileResolver;
import dev.sluice.schemes.evidence.SignatureVerifier;
import dev.sluice.schemes.evidence.TrustStore;
import dev.sluice.schemes.evidence.TrustedKey;
import dev.sluice.store.Engine;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Puts together what checks the evidence of each server, from what the operator allows. */
final class EvidenceSources {

    private final Engine engine;
    private final List<Vocabulary> vocabularies;
    private final Clock clock;
    private @Nullable Schemes schemes;
    private final Map<EvidenceTrust, EvidenceVerifier> verifiers = new ConcurrentHashMap<>();

    EvidenceSources(Engine engine, List<Vocabulary> vocabularies, Clock clock) {
        this.engine = engine;
        this.vocabularies = List.copyOf(vocabularies);
        this.clock = clock;
        if (!vocabularies.isEmpty() || hasPlugIns()) {
            schemes(); // these can be in conflict, which must be told at the start
        }
    }

    /** Schemes are loaded when the first reference is met: most wrappers never meet one, and all of them start often. */
    private synchronized Schemes schemes() {
        if (schemes == null) {
            schemes = Schemes.installed()
                    .with(new DataClassScheme(Vocabularies.shipped().with(vocabularies)));
        }
        return schemes;
    }

    private static boolean hasPlugIns() {
        try {
            String services = "META-INF/services/" + LabelScheme.class.getName();
            return Collections.list(LabelScheme.class.getClassLoader().getResources(services))
                            .size()
                    > 1;
        } catch (IOException e) {
            return true;
        }
    }

    /** Connections to one server share a verifier: one that fetches holds threads. */
    EvidenceVerifier verifier(EvidenceTrust trust) {
        return verifiers.computeIfAbsent(trust, this::make);
    }

    private EvidenceVerifier make(EvidenceTrust trust) {
        List<EvidenceResolver> resolvers = new ArrayList<>();
        resolvers.add(EvidenceResolver.INLINE);
        resolvers.add(new AuditResolver(engine));
        if (!trust.files().isEmpty()) {
            resolvers.add(new FileResolver(Path.of(trust.files())));
        }
        if (!trust.https().isEmpty()) {
            resolvers.add(new HttpsResolver(trust.https()));
        }
        List<TrustedKey> keys = new ArrayList<>();
        trust.keys().forEach((id, key) -> keys.add(TrustedKey.read(id, key)));
        return new EvidenceVerifier(
                schemes(),
                EvidenceResolver.inTurn(resolvers),
                SignatureVerifier.JDK,
                new TrustStore(trust.source(), keys, Duration.ofHours(trust.hours())),
                clock);
    }
}
