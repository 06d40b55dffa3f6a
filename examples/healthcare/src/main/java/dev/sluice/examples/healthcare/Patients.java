package dev.sluice.examples.healthcare;

import java.io.IOException;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/** The clinic's records and staff, in memory. Safe for use by several threads. */
final class Patients {

    private final Map<String, Map<String, Object>> byId = new TreeMap<>();
    private final List<Map<String, Object>> staff;

    private Patients(Map<String, List<Map<String, Object>>> fixture) {
        fixture.getOrDefault("patients", List.of())
                .forEach(each -> byId.put(String.valueOf(each.get("id")), new LinkedHashMap<>(each)));
        staff = fixture.getOrDefault("staff", List.of());
    }

    /** Returns the fixed records that come with the example; nobody in them exists. */
    static Patients fixture() {
        try (InputStream in = Patients.class.getResourceAsStream("clinic.json")) {
            if (in == null) {
                throw new IllegalStateException("the records are missing from the jar: build it again");
            }
            return new Patients(JsonMapper.shared().readValue(in, new TypeReference<>() {}));
        } catch (IOException e) {
            throw new IllegalStateException("the records can't be read: build the jar again", e);
        }
    }

    synchronized Optional<Map<String, Object>> find(String id) {
        return Optional.ofNullable(byId.get(id)).map(LinkedHashMap::new);
    }

    /** Returns the records that hold {@code word}, in any case of letters. */
    synchronized List<Map<String, Object>> holding(String word) {
        return byId.values().stream()
                .filter(each -> each.toString().toLowerCase(Locale.ROOT).contains(word.toLowerCase(Locale.ROOT)))
                .<Map<String, Object>>map(LinkedHashMap::new)
                .toList();
    }

    /** Writes a note into a record; returns whether there is one of that id. */
    synchronized boolean note(String id, String note) {
        return Optional.ofNullable(byId.get(id))
                .map(each -> each.put("note", note))
                .isPresent();
    }

    List<Map<String, Object>> staff() {
        return staff;
    }
}
