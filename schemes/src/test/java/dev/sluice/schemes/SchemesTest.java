package dev.sluice.schemes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.sluice.schemes.dataclass.DataClassScheme;
import dev.sluice.schemes.fides.FidesScheme;
import dev.sluice.schemes.trace.PolicyDecisionScheme;
import dev.sluice.schemes.trace.SequenceScheme;
import dev.sluice.wire.Decoded;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class SchemesTest {

    /** A scheme of somebody else. */
    private record Other(String type) implements LabelScheme {
        @Override
        public Decoded<Claims> read(JsonNode record) {
            return new Decoded<>(Claims.NONE, List.of());
        }
    }

    @Test
    void builtInSchemes_areInstalled() {
        Schemes schemes = Schemes.installed();

        assertEquals(Set.of("data-class.v1", "ifc.fides.v1", "policy-decision", "sequence"), schemes.types());
        assertInstanceOf(DataClassScheme.class, schemes.of(DataClassScheme.TYPE).orElseThrow());
        assertInstanceOf(FidesScheme.class, schemes.of(FidesScheme.TYPE).orElseThrow());
        assertInstanceOf(
                PolicyDecisionScheme.class,
                schemes.of(PolicyDecisionScheme.TYPE).orElseThrow());
        assertInstanceOf(SequenceScheme.class, schemes.of(SequenceScheme.TYPE).orElseThrow());
    }

    @Test
    void unknownType_hasNoScheme() {
        Schemes schemes = Schemes.installed();

        for (String type : List.of("", "Data-Class.v1", "data-class.v2", "com.example.own")) {
            assertEquals(Optional.empty(), schemes.of(type), type);
        }
    }

    @Test
    void twoSchemesOfOneType_areRefused() {
        IllegalArgumentException fault = assertThrows(
                IllegalArgumentException.class,
                () -> Schemes.of(List.of(new Other("com.example.own"), new Other("com.example.own"))));

        assertEquals(
                "two installed schemes read records of type `com.example.own`: remove one of them", fault.getMessage());
    }

    @Test
    void with_putsASchemeInTheOldOnesPlace_andLeavesTheOriginalAlone() {
        Other first = new Other("com.example.own");
        Other second = new Other("com.example.own");
        Schemes one = Schemes.of(List.of(first));

        Schemes changed = one.with(second).with(new Other("com.example.more"));

        assertSame(second, changed.of("com.example.own").orElseThrow());
        assertEquals(Set.of("com.example.own", "com.example.more"), changed.types());
        assertSame(first, one.of("com.example.own").orElseThrow());
        assertEquals(Set.of("com.example.own"), one.types());
    }
}
