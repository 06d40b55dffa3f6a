package dev.sluice.schemes;

import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;

/** The schemes at hand, by the type of the records they read. Immutable. */
public final class Schemes {

    private final Map<String, LabelScheme> byType;

    private Schemes(Map<String, LabelScheme> byType) {
        this.byType = byType;
    }

    /**
     * Returns the schemes on the class path, Sluice's own among them.
     *
     * @throws IllegalArgumentException where two of them read the same type: none of both can be preferred
     * @throws java.util.ServiceConfigurationError where one can't be loaded
     */
    public static Schemes installed() {
        // Sluice's own class loader and not the thread's: what the caller happens to run in must not add or hide
        // schemes.
        return of(ServiceLoader.load(LabelScheme.class, LabelScheme.class.getClassLoader()).stream()
                .map(ServiceLoader.Provider::get)
                .toList());
    }

    /**
     * Returns these schemes.
     *
     * @throws IllegalArgumentException where two of them read the same type
     */
    public static Schemes of(Collection<? extends LabelScheme> schemes) {
        Map<String, LabelScheme> byType = new TreeMap<>();
        for (LabelScheme scheme : schemes) {
            if (byType.putIfAbsent(scheme.type(), scheme) != null) {
                throw new IllegalArgumentException(
                        "two installed schemes read records of type `" + scheme.type() + "`: remove one of them");
            }
        }
        return new Schemes(byType);
    }

    /** Returns these schemes with {@code scheme} in the place of one that reads the same type. */
    public Schemes with(LabelScheme scheme) {
        Map<String, LabelScheme> changed = new TreeMap<>(byType);
        changed.put(scheme.type(), scheme);
        return new Schemes(changed);
    }

    /** Returns the scheme that reads records of {@code type}; empty where none does. */
    public Optional<LabelScheme> of(String type) {
        return Optional.ofNullable(byType.get(type));
    }

    /** Returns the types that can be read. */
    public Set<String> types() {
        return Set.copyOf(byType.keySet());
    }
}
