package dev.sluice.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.guard.Guard;
import dev.sluice.policy.Mode;
import dev.sluice.policy.PolicyParser;
import dev.sluice.store.MemoryEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What one look at a policy file does; the watch of each test is closed, so that nothing else looks. */
class PolicyWatchTest {

    @TempDir
    private Path folder;

    private final MemoryEngine engine = new MemoryEngine();
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private Path file = Path.of("");
    private Guard guard = new Guard(engine, PolicyParser.firstUse(), Clock.systemUTC(), 0);

    @BeforeEach
    void write() throws IOException {
        file = Files.writeString(folder.resolve("policy.yaml"), "version: 1\nmode: warn\n");
        guard = new Guard(engine, PolicyParser.read(file), Clock.systemUTC(), 0);
    }

    @AfterEach
    void close() {
        engine.close();
    }

    private PolicyWatch watch() {
        PolicyWatch watch = PolicyWatch.start(file, guard, engine, Clock.systemUTC(), lines::add);
        watch.close();
        return watch;
    }

    private void look(PolicyWatch watch, String text) throws IOException {
        Files.writeString(file, text);
        watch.look();
        watch.look();
    }

    private List<String> recorded() {
        return engine.transact(tx -> tx.audit().read(1, 100)).stream()
                .map(record -> JsonMapper.shared().readTree(record.json()))
                .map(PolicyWatchTest::shown)
                .toList();
    }

    private static String shown(JsonNode event) {
        return event.path("kind").asString("") + " " + event.path("what").asString("") + " " + event.path("because");
    }

    @Test
    void stricterFile_isInForceAtOnce() throws IOException {
        look(watch(), "version: 1\nmode: enforce\n");

        assertEquals(Mode.ENFORCE, guard.mode());
        assertEquals(List.of("`" + file + "` changed and is in force now"), lines);
        assertEquals(List.of("policy loaded []"), recorded());
    }

    @Test
    void looserFile_waitsAndIsToldOnce() throws IOException {
        PolicyWatch watch = watch();
        look(watch, "version: 1\nmode: audit\n");

        assertEquals(Mode.WARN, guard.mode());
        assertEquals(1, lines.size());
        assertEquals(List.of("policy held [\"`mode` does less with decisions\"]"), recorded());

        PolicyWatch.accept(
                engine, file, PolicyParser.parse("p", "version: 1\nmode: audit # other\n"), Clock.systemUTC());
        watch.look();
        assertEquals(Mode.WARN, guard.mode());
        PolicyWatch.accept(engine, file, PolicyParser.read(file), Clock.systemUTC());
        watch.look();
        assertEquals(Mode.AUDIT, guard.mode());
    }

    @Test
    void brokenFile_isToldOnceWithItsLineAndChangesNothing() throws IOException {
        PolicyWatch watch = watch();
        look(watch, "version: 1\nmode: loud\n");

        assertEquals(Mode.WARN, guard.mode());
        assertEquals(
                List.of(
                        "the policy file changed and can't be used; what was in force STAYS in force:",
                        file + ":2: `mode` can't be `loud`; write one of audit, warn, enforce"),
                lines);
        assertEquals(1, recorded().size());

        look(watch, "version: 1\nmode: warn\n");
        assertEquals("`" + file + "` is again what is in force", lines.get(lines.size() - 1));
    }

    @Test
    void fileThatIsGone_changesNothing() throws IOException {
        PolicyWatch watch = watch();
        Files.delete(file);
        watch.look();
        watch.look();

        assertEquals(Mode.WARN, guard.mode());
        assertEquals(2, lines.size(), lines::toString);
    }

    @Test
    void newServer_countsFromTheNextStart() throws IOException {
        look(watch(), "version: 1\nmode: warn\nservers: {notes: {command: [notes]}}\n");

        assertTrue(
                lines.contains("a server that is new or is reached otherwise counts from the next start: notes"),
                lines::toString);
    }

    @Test
    void grantThatHasEnded_isToldAtTheStart() throws IOException {
        Files.writeString(file, """
                version: 1
                servers: {notes: {}}
                grants:
                  - {id: old, on: {servers: notes}, endorse: true, owner: ana, until: 2020-01-31}
                """);
        guard = new Guard(engine, PolicyParser.read(file), Clock.systemUTC(), 0);
        watch();

        assertEquals(
                List.of("warning: " + file + ":4: the grant `old` has ended and has no effect; have `ana` give it"
                        + " another `until`, or take it out"),
                lines);
    }

    @Test
    void acceptedFile_isNotInForceAgain_onceAnotherWas() throws IOException {
        String loose = "version: 1\nmode: audit\n";
        PolicyWatch watch = watch();
        look(watch, loose);
        PolicyWatch.accept(engine, file, PolicyParser.read(file), Clock.systemUTC());
        watch.look();
        assertEquals(Mode.AUDIT, guard.mode());

        look(watch, "version: 1\nmode: enforce\n");
        assertEquals(Mode.ENFORCE, guard.mode());
        look(watch, loose);
        assertEquals(Mode.ENFORCE, guard.mode());

        PolicyWatch.accept(engine, file, PolicyParser.read(file), Clock.systemUTC());
        watch.look();
        assertEquals(Mode.AUDIT, guard.mode());
    }

    @Test
    void acceptedFile_isNotInForceAgain_whenAnotherWasAtTheStart() throws IOException {
        String loose = "version: 1\nmode: audit\n";
        PolicyWatch.accept(engine, file, PolicyParser.parse("p", loose), Clock.systemUTC());
        look(watch(), loose);

        assertEquals(Mode.WARN, guard.mode());
    }

    @Test
    void acceptedFile_isNotInForce_whereItWasTakenBackBeforeItWas() throws IOException {
        String loose = "version: 1\nmode: audit\n";
        PolicyWatch watch = watch();
        PolicyWatch.accept(engine, file, PolicyParser.parse("p", loose), Clock.systemUTC());
        watch.look();
        look(watch, loose);

        assertEquals(Mode.WARN, guard.mode());
    }
}
