package dev.sluice.schemes.dataclass;

import static dev.sluice.schemes.Vectors.json;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.labels.DataClass;
import dev.sluice.labels.Vocabulary;
import dev.sluice.labels.Vocabulary.Meaning;
import dev.sluice.schemes.Claims;
import dev.sluice.wire.Claim;
import dev.sluice.wire.Decoded;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.node.JsonNodeFactory;

class DataClassSchemeTest {

    private static final DataClassScheme SHIPPED = new DataClassScheme();
    private static final String CLINIC = "https://clinic.example/vocabulary";
    private static final DataClassScheme WITH_CLINIC = new DataClassScheme(Vocabularies.shipped()
            .with(List.of(new Vocabulary(
                    CLINIC,
                    Map.of("Ward-Note", Meaning.SENSITIVE, "leaflet", Meaning.PUBLIC, "internal", Meaning.PUBLIC),
                    Set.of("HIPAA"),
                    Set.of("com.clinic.secret")))));

    private static Decoded<Claims> read(String record) {
        return WITH_CLINIC.read(json(record));
    }

    private static List<String> told(String record) {
        return read(record).findings().stream()
                .map(each -> each.pointer() + " " + each.message())
                .toList();
    }

    private static Claims sensitive(DataClass... classes) {
        return new Claims(Claim.ABSENT, Claim.TRUE, new TreeSet<>(Arrays.asList(classes)));
    }

    private static final Claims PUBLIC = new Claims(Claim.ABSENT, Claim.FALSE, new TreeSet<>());

    static Stream<String[]> presets() {
        Map<String, String> presets = Map.of(
                "trust-annotations", "public! personal confidential highly_confidential unknown",
                "data-class", "public! internal confidential restricted unknown",
                "sep-2061", "none! user pii financial credentials regulated");
        return presets.entrySet().stream()
                .flatMap(preset ->
                        Arrays.stream(preset.getValue().split(" ")).map(name -> new String[] {preset.getKey(), name}));
    }

    @ParameterizedTest
    @MethodSource("presets")
    void classOfAPreset_meansWhatThePresetSays(String preset, String name) {
        String bare = name.replace("!", "");
        Claims expected = name.endsWith("!") ? PUBLIC : sensitive(DataClass.of(bare));
        for (String record : List.of(
                "{'class':'" + bare + "','policyRef':'urn:sluice:vocabulary:" + preset + "'}",
                "{'class':'" + bare + "'}")) {
            assertEquals(new Decoded<>(expected, List.of()), SHIPPED.read(json(record)), record);
        }
    }

    @Test
    void presets_haveJustTheseClasses() {
        for (String preset : List.of("trust-annotations", "data-class", "sep-2061")) {
            assertEquals(
                    presets()
                            .filter(each -> each[0].equals(preset))
                            .map(each -> each[1].replace("!", ""))
                            .collect(Collectors.toCollection(TreeSet::new)),
                    new TreeSet<>(Vocabularies.shipped()
                            .of(Vocabularies.SHIPPED + preset)
                            .orElseThrow()
                            .classes()
                            .keySet()));
        }
        assertEquals(3, Vocabularies.shipped().ids().size());
    }

    @Test
    void namesAreComparedFolded() {
        assertEquals(PUBLIC, read("{'class':'PUBLIC'}").value());
        assertEquals(
                sensitive(new DataClass("pii", "gdpr", "com.example.x")),
                read("{'class':'Pii','regulatory':'GDPR','labels':'COM.example.X'}")
                        .value());
        assertEquals(List.of(), told("{'class':'WARD-note','policyRef':'" + CLINIC + "','regulatory':'hipaa'}"));
        assertEquals(
                Claim.TRUE,
                read("{'class':'none','origin':'OPEN_WORLD'}").value().untrusted());
    }

    @Test
    void classNobodyKnows_isKeptAndSensitive() {
        assertEquals(
                sensitive(DataClass.of("ward-x")), read("{'class':'ward-x'}").value());
        assertEquals(
                List.of(
                        "/class `ward-x` is no class of a vocabulary known here: name one of its classes, or the vocabulary"
                                + " in `policyRef`; kept, and read as sensitive"),
                told("{'class':'ward-x'}"));
    }

    @Test
    void classThatTheNamedVocabularyLacks_isSensitiveEvenIfAnotherCallsItPublic() {
        String record = "{'class':'public','policyRef':'" + CLINIC + "'}";

        assertEquals(sensitive(DataClass.of("public")), read(record).value());
        assertEquals(
                List.of("/class `public` is no class of `" + CLINIC
                        + "`: name one of its classes, or the vocabulary in `policyRef`; kept, and read as sensitive"),
                told(record));
    }

    @Test
    void vocabularyNobodyKnows_makesEveryClassSensitive() {
        String record = "{'class':'public','policyRef':'https://else.example/v'}";

        assertEquals(sensitive(DataClass.of("public")), read(record).value());
        assertEquals(
                List.of("/policyRef `https://else.example/v` is no vocabulary known here: have the operator add it; its"
                        + " classes are read as sensitive"),
                told(record));
    }

    /** Nobody named a vocabulary, so what one of them calls sensitive is. */
    @Test
    void wordOfTwoMeanings_isSensitiveWithoutAPolicyRef() {
        assertEquals(
                sensitive(DataClass.of("internal")),
                read("{'class':'internal'}").value());
        assertEquals(
                PUBLIC,
                read("{'class':'internal','policyRef':'" + CLINIC + "'}").value());
        assertEquals(PUBLIC, read("{'class':'leaflet'}").value());
    }

    @Test
    void regulationsAndLabels_makeAllPairs() {
        assertEquals(
                sensitive(
                        new DataClass("pii", "hipaa", "a.b"),
                        new DataClass("pii", "hipaa", "c.d"),
                        new DataClass("pii", "gdpr", "a.b"),
                        new DataClass("pii", "gdpr", "c.d")),
                read("{'class':'pii','regulatory':['HIPAA','GDPR'],'labels':['a.b','c.d']}")
                        .value());
    }

    @ParameterizedTest
    @ValueSource(strings = {"'regulatory':'HIPAA'", "'regulatory':['HIPAA']", "'labels':['a.b']", "'regulatory':7"})
    void publicClassBesideARegulationOrLabel_isSensitive(String beside) {
        String record = "{'class':'public'," + beside + "}";

        assertEquals(Claim.TRUE, read(record).value().sensitive());
        assertTrue(
                told(record)
                        .contains(
                                "/class `public` is public, but the record names a regulation or a label: state what it"
                                        + " is; read as sensitive"),
                told(record).toString());
    }

    /** Serialisers write lists that hold nothing; they name nothing. */
    @Test
    void emptyLists_nameNothing() {
        assertEquals(new Decoded<>(PUBLIC, List.of()), read("{'class':'public','regulatory':[],'labels':[]}"));
        assertEquals(
                new Decoded<>(sensitive(DataClass.of("pii")), List.of()),
                read("{'class':'pii','regulatory':[],'labels':[]}"));
    }

    @Test
    void namesThatTheVocabularyLacks_areKeptAndTold() {
        String record =
                "{'class':'ward-note','policyRef':'" + CLINIC + "','regulatory':['HIPAA','GLBA'],'labels':'a.b'}";

        assertEquals(
                sensitive(new DataClass("ward-note", "hipaa", "a.b"), new DataClass("ward-note", "glba", "a.b")),
                read(record).value());
        assertEquals(
                List.of(
                        "/regulatory `GLBA` is no regulation of `" + CLINIC + "`; kept",
                        "/labels `a.b` is no label of `" + CLINIC + "`; kept"),
                told(record));
    }

    @ParameterizedTest
    @CsvSource({
        "first_party, ABSENT, ''",
        "FIRST_PARTY, ABSENT, ''",
        "open_world, TRUE, ''",
        "unestablished, TRUE, ''",
        "partner, TRUE, '/origin `partner` is no origin known here: use `first_party`, `open_world` or `unestablished`;"
                + " read as untrusted'"
    })
    void origin_neverClaimsTrust(String origin, Claim untrusted, String told) {
        String record = "{'class':'pii','origin':'" + origin + "'}";

        assertEquals(untrusted, read(record).value().untrusted());
        assertEquals(told, String.join("\n", told(record)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"null", "7", "{}", "['first_party']", "''"})
    void originThatIsNoName_isUntrusted(String origin) {
        String record = "{'class':'pii','origin':" + origin + "}";

        assertEquals(Claim.TRUE, read(record).value().untrusted());
        assertEquals(
                List.of("/origin `origin` is no name: write strings of 1 to 128 visible characters; read as unknown"),
                told(record));
    }

    @Test
    void missingClass_isUnknownAndSensitive() {
        assertEquals(sensitive(DataClass.of("unknown")), read("{}").value());
        assertEquals(List.of("/class `class` is missing: name one; read as sensitive"), told("{}"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"null", "7", "true", "{}", "['public']", "''", "' '", "'a\\u0007'", "'\\ud800'"})
    void classThatIsNoName_isUnknownAndSensitive(String name) {
        String record = "{'class':" + name + "}";

        assertEquals(sensitive(DataClass.of("unknown")), read(record).value());
        assertEquals(
                List.of("/class `class` is no name: write strings of 1 to 128 visible characters; read as unknown"),
                told(record));
    }

    @ParameterizedTest
    @ValueSource(strings = {"null", "7", "''", "[]"})
    void policyRefThatIsNoName_makesEveryClassSensitive(String policy) {
        String record = "{'class':'leaflet','policyRef':" + policy + "}";

        assertEquals(sensitive(DataClass.of("leaflet")), read(record).value());
        assertEquals(
                List.of(
                        "/policyRef `policyRef` is no name: write strings of 1 to 128 visible characters; read as unknown"),
                told(record));
    }

    @ParameterizedTest
    @ValueSource(strings = {"regulatory", "labels"})
    void listMemberThatIsNoName_isUnknownAndTold(String member) {
        for (String bad : List.of("null", "7", "['']", "[{}]", "{}", "[['HIPAA']]", "'" + "x".repeat(129) + "'")) {
            String record = "{'class':'pii','" + member + "':" + bad + "}";

            assertEquals(
                    sensitive(
                            member.equals("labels")
                                    ? new DataClass("pii", "", "unknown")
                                    : new DataClass("pii", "unknown", "")),
                    read(record).value(),
                    record);
            assertEquals(
                    List.of("/" + member + " `" + member
                            + "` holds what is no name: write strings of 1 to 128 visible characters; read as unknown"),
                    told(record));
        }
    }

    /** A label is kept with its session for good, so one record must not fill it. */
    @Test
    void tooManyOrTooLongNames_areCut() {
        String many = IntStream.range(0, 40).mapToObj(i -> "'n" + i + "'").collect(Collectors.joining(","));
        String record = "{'class':'pii','regulatory':[" + many + "],'labels':[" + many + "]}";

        SortedSet<DataClass> classes = read(record).value().classes();

        assertEquals(DataClassScheme.MOST_NAMES * DataClassScheme.MOST_NAMES, classes.size());
        assertTrue(classes.contains(new DataClass("pii", "unknown", "unknown")));
        assertEquals(
                List.of(
                        "/regulatory `regulatory` names more than 16: write several records; the rest is read as unknown",
                        "/labels `labels` names more than 16: write several records; the rest is read as unknown"),
                told(record));
        assertEquals(
                sensitive(DataClass.of("unknown")),
                read("{'class':'" + "x".repeat(200_000) + "'}").value());
        assertEquals(
                sensitive(DataClass.of("x".repeat(128))),
                read("{'class':'" + "x".repeat(128) + "'}").value());
    }

    @Test
    void recordThatIsNoObject_isTheStrictest() {
        for (String record : List.of("'public'", "[]", "null", "7")) {
            assertEquals(Claims.STRICTEST, read(record).value(), record);
            assertEquals(
                    List.of(" a data-class record is an object with `class`; read as the strictest"), told(record));
        }
    }

    @Test
    void longNamesInFindings_areCut() {
        String message =
                told("{'class':'pii','policyRef':'" + "p".repeat(120) + "'}").get(0);

        assertTrue(message.startsWith("/policyRef `" + "p".repeat(80) + "…` is no vocabulary"), message);
    }

    @Test
    void unknownMembers_areIgnored() {
        assertEquals(
                new Decoded<>(PUBLIC, List.of()),
                SHIPPED.read(JsonNodeFactory.instance
                        .objectNode()
                        .put("class", "public")
                        .put("resource_kind", "readme")
                        .put("sensitive", true)));
    }
}
