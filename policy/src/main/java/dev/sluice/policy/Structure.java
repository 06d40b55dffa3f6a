package dev.sluice.policy;

import dev.cel.common.types.StructType;
import dev.cel.common.values.StructValue;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A variable of expressions with members that are made when one asks for them, and once. CEL's runtime walks through a whole
 * map whenever an expression names it; from this it takes the member alone.
 */
@SuppressWarnings("Immutable") // to an expression it is: a member that was made does not change
final class Structure extends StructValue<String, Map<String, Object>> {

    private final StructType type;
    private final List<String> names;
    private final Function<String, Object> maker;
    private final @Nullable Object[] made;

    /**
     * Makes one.
     *
     * @param names the names of its members
     * @param maker makes the member of a name
     */
    Structure(StructType type, List<String> names, Function<String, Object> maker) {
        this.type = type;
        this.names = names;
        this.maker = maker;
        this.made = new @Nullable Object[names.size()];
    }

    @Override
    public synchronized Object select(String name) {
        int at = names.indexOf(name);
        if (at < 0) {
            throw new IllegalArgumentException("no member is named " + name); // the type checker knows the names
        }
        Object member = made[at];
        if (member == null) {
            member = maker.apply(name);
            made[at] = member;
        }
        return member;
    }

    @Override
    public Optional<Object> find(String name) {
        return names.contains(name) ? Optional.of(select(name)) : Optional.empty();
    }

    /** Returns all of it, which is what an expression gets that does not name a member. */
    @Override
    public Map<String, Object> value() {
        Map<String, Object> all = new HashMap<>();
        for (String name : names) {
            Object member = select(name);
            all.put(name, member instanceof Structure structure ? structure.value() : member);
        }
        return all;
    }

    @Override
    public boolean isZeroValue() {
        return false;
    }

    @Override
    public StructType celType() {
        return type;
    }
}
