package dev.sluice.wire;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Values of this room's records, built component by component: each part present, absent, empty, null or unknown. */
final class RandomRecords {

    private static final JsonMapper JSON = JsonMapper.shared();
    private static final List<String> OTHERS =
            List.of("null", "{}", "[]", "\"\"", "1.5", "{\"sensitive\":[true,null]}");
    private static final List<String> NAMES =
            List.of("org.example/0", "org.example/1", "note", VendorKeys.RECORD, VendorKeys.ENVELOPE);
    private static final List<String> TEXTS =
            List.of("", "ifc.fides.v1", "https://example.org/s", "\u00e9\n\ud83d\ude00");
    private static final List<String> UNKNOWN = List.of("", "weird", "PUBLIC", "{\"x\":1}", "5");
    private static final List<Sensitivity> SENSITIVITIES = List.of(
            Sensitivity.NONE,
            Sensitivity.USER,
            Sensitivity.PII,
            Sensitivity.FINANCIAL,
            Sensitivity.CREDENTIALS,
            Sensitivity.regulated(Set.of("HIPAA")),
            Sensitivity.regulated(new LinkedHashSet<>(List.of("GDPR", "any string"))));

    private final Random random;

    RandomRecords(Random random) {
        this.random = random;
    }

    <T> T next(Class<T> type) {
        return type.cast(value(type));
    }

    private Object value(Type type) {
        if (type instanceof ParameterizedType generic) {
            return parameterized((Class<?>) generic.getRawType(), generic.getActualTypeArguments());
        }
        Class<?> plain = (Class<?>) type;
        if (plain == String.class) {
            return one(TEXTS);
        }
        if (plain == Sensitivity.class) {
            return one(SENSITIVITIES);
        }
        if (plain.isEnum()) {
            return one(Arrays.asList(plain.getEnumConstants()));
        }
        if (plain.isRecord()) {
            return record(plain);
        }
        throw new IllegalArgumentException("teach this generator to build " + type);
    }

    private Object parameterized(Class<?> raw, Type[] arguments) {
        if (raw == Map.class) {
            return others();
        }
        if (raw == Dimension.class) {
            return dimension(arguments[0]);
        }
        if (raw == List.class || raw == Set.class) {
            Set<Object> values = new LinkedHashSet<>();
            for (int i = random.nextInt(4); i > 0; i--) {
                values.add(arguments[0] == String.class ? TEXTS.get(1 + random.nextInt(3)) : value(arguments[0]));
            }
            return raw == List.class ? new ArrayList<>(values) : values;
        }
        throw new IllegalArgumentException("teach this generator to build " + raw);
    }

    private Object record(Class<?> type) {
        RecordComponent[] components = type.getRecordComponents();
        Class<?>[] types = new Class<?>[components.length];
        Object[] values = new Object[components.length];
        for (int i = 0; i < components.length; i++) {
            types[i] = components[i].getType();
            values[i] = value(components[i].getGenericType());
        }
        try {
            Constructor<?> canonical = type.getDeclaredConstructor(types);
            return canonical.newInstance(values);
        } catch (NoSuchMethodException
                | InstantiationException
                | IllegalAccessException
                | InvocationTargetException e) {
            throw new IllegalStateException("teach this generator to build " + type, e);
        }
    }

    private Dimension<Object> dimension(Type vocabulary) {
        if (random.nextInt(4) == 0) {
            return Dimension.absent();
        }
        Set<Object> values = new LinkedHashSet<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            values.add(value(vocabulary));
        }
        Set<String> unknown = new LinkedHashSet<>();
        for (int i = Math.max(0, random.nextInt(6) - 3); i > 0; i--) {
            unknown.add(one(UNKNOWN));
        }
        return new Dimension<>(true, values, unknown);
    }

    private Map<String, JsonNode> others() {
        Map<String, JsonNode> others = new LinkedHashMap<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            others.put(one(NAMES), JSON.readTree(one(OTHERS)));
        }
        return others;
    }

    private <T> T one(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }
}
