package dev.sluice.policy;

import dev.sluice.labels.Source;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Who may read resources such as repositories, as it was answered for this decision.
 *
 * @param known the readers of each resource that was asked about; none where that failed
 */
public record ResolvedReaders(Map<Source, Set<String>> known) {

    /** Nobody was asked. */
    public static final ResolvedReaders NONE = new ResolvedReaders(Map.of());

    public ResolvedReaders {
        Map<Source, Set<String>> copied = new TreeMap<>();
        known.forEach(
                (source, readers) -> copied.put(source, java.util.Collections.unmodifiableSet(new TreeSet<>(readers))));
        known = java.util.Collections.unmodifiableMap(copied);
    }

    /**
     * Returns whether {@code source} permits {@code member}, by itself or by the readers of its resource. Those who can see
     * another resource are permitted where each of its readers is, and it is known who they are: by
     * its own name, since whoever has the name of an audience there need not be who is in it.
     */
    boolean permit(Policy policy, Source source, AudienceMember member) {
        if (policy.permits(source, member)) {
            return true;
        }
        boolean ofResource = source instanceof Source.OfResource;
        Source readers = ofResource ? Source.Readers.of(source.server(), known.getOrDefault(source, Set.of())) : source;
        if (member instanceof AudienceMember.OfResource of) {
            Set<String> all = known.getOrDefault(new Source.OfResource(of.server(), of.key()), Set.of());
            return !all.isEmpty()
                    && all.stream()
                            .allMatch(each ->
                                    AudienceMember.recipient(of.server(), each).permittedBy(readers));
        }
        return ofResource && policy.permits(readers, member);
    }

    /** Returns what must be asked, since nothing else can show that {@code sources} permit all of {@code audience}. */
    Set<Source> missing(Policy policy, Set<Source> sources, Set<AudienceMember> audience) {
        Set<Source> missing = new TreeSet<>();
        for (AudienceMember member : audience) {
            Set<Source> all = new TreeSet<>();
            boolean open = true;
            for (Source source : sources) {
                if (open && !permit(policy, source, member)) {
                    Set<Source> some = missing(policy, source, member);
                    open = !some.isEmpty(); // a source that no answer can open makes the others of no account
                    all.addAll(some);
                }
            }
            if (open) {
                missing.addAll(all);
            }
        }
        return missing;
    }

    private Set<Source> missing(Policy policy, Source source, AudienceMember member) {
        Set<Source> missing = new TreeSet<>();
        if (isSomebody(policy, member)) {
            addMissing(policy, source, missing);
            if (member instanceof AudienceMember.OfResource of) {
                addMissing(policy, new Source.OfResource(of.server(), of.key()), missing);
            }
        }
        return missing;
    }

    private void addMissing(Policy policy, Source source, Set<Source> missing) {
        if (source instanceof Source.OfResource
                && policy.readers().containsKey(source.server())
                && !known.containsKey(source)) {
            missing.add(source);
        }
    }

    /** A server is among readers only by an audience; anybody, and somebody whom nobody could name, never are. */
    private static boolean isSomebody(Policy policy, AudienceMember member) {
        AudienceMember who = member instanceof AudienceMember.Named named ? named.who() : member;
        return who instanceof AudienceMember.Upstream upstream
                ? policy.audiences().values().stream()
                        .anyMatch(each -> each.servers().contains(upstream.server()))
                : !(who instanceof AudienceMember.Anyone) && !(who instanceof AudienceMember.Unresolved);
    }
}
