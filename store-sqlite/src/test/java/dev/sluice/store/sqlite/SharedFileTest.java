package dev.sluice.store.sqlite;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.labels.SessionLabel;
import dev.sluice.labels.Source;
import dev.sluice.store.AuditChain.Outcome;
import dev.sluice.store.AuditRecord;
import dev.sluice.store.Engine;
import dev.sluice.store.Session;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What several processes leave in one file, killed or not. */
class SharedFileTest {

    @TempDir
    Path folder;

    private Path file;

    @BeforeEach
    void beginShared() {
        file = folder.resolve("state.db");
        try (Engine engine = SqliteEngine.open(file, SqliteEngine.Options.DEFAULT)) {
            engine.transact(transaction -> {
                transaction.sessions().begin(StateFiles.session("shared"));
                return true;
            });
        }
    }

    /** Returns the lines that {@code child} printed whole, until it ends. */
    private static List<String> lines(byte[] printed) {
        String text = new String(printed, StandardCharsets.UTF_8);
        int end = text.lastIndexOf('\n');
        return end < 0 ? List.of() : text.substring(0, end).lines().toList();
    }

    private static boolean holds(Optional<Session> session, String server) {
        return session.map(Session::label)
                .map(SessionLabel::label)
                .map(label -> label.confidentiality().sources().contains(new Source.OfServer(server)))
                .orElse(false);
    }

    /** Checks that the file has what every printed line claims, and one whole chain; returns its length. */
    private long check(List<String> lines) {
        Outcome outcome = SqliteEngine.verifyAudit(file);
        Outcome.Whole whole = assertInstanceOf(Outcome.Whole.class, outcome, outcome::toString);
        try (Engine engine = SqliteEngine.open(file, SqliteEngine.Options.DEFAULT)) {
            return engine.transact(transaction -> {
                for (String line : lines) {
                    String[] parts = line.split(" ", 3);
                    AuditRecord record = transaction
                            .audit()
                            .read(Long.parseLong(parts[0]), 1)
                            .get(0);
                    assertTrue(record.json().contains("\"" + parts[2] + "\""), () -> line + " is not " + record);
                    assertTrue(holds(transaction.sessions().byId(parts[1]), parts[2]), line);
                    assertTrue(holds(transaction.sessions().byId("shared"), "of " + parts[1]), line);
                }
                return whole.count();
            });
        }
    }

    @Test
    void killedProcess_losesNothingThatReturned() throws Exception {
        Random random = new Random(99);
        List<String> lines = new ArrayList<>();
        for (int round = 0; round < 4; round++) {
            Process child = SharedFileChild.start(file, "r" + round, 3, 1_000_000);
            byte[] printed;
            try (InputStream out = child.getInputStream()) {
                byte[] first = out.readNBytes(1 + random.nextInt(8_000));
                Thread.sleep(random.nextInt(20));
                child.toHandle().destroyForcibly(); // the process's own method closes what it printed
                byte[] rest = out.readAllBytes();
                printed = new byte[first.length + rest.length];
                System.arraycopy(first, 0, printed, 0, first.length);
                System.arraycopy(rest, 0, printed, first.length, rest.length);
            } finally {
                child.destroyForcibly().waitFor();
            }
            lines.addAll(lines(printed));
            byte[] main = Files.readAllBytes(file);
            assertInstanceOf(Outcome.Whole.class, SqliteEngine.verifyAudit(file)); // before anybody mended anything
            assertArrayEquals(main, Files.readAllBytes(file));
            long count = check(lines);
            assertTrue(count >= lines.size(), count + " records for " + lines.size() + " lines");
        }
        assertTrue(lines.size() > 100, "only " + lines.size() + " transactions were seen");
    }

    @Test
    void openedAfterAKill_theFileAloneHoldsEverything() throws Exception {
        Process child = SharedFileChild.start(file, "k", 1, 1_000_000);
        try (InputStream out = child.getInputStream()) {
            out.readNBytes(500);
        } finally {
            child.destroyForcibly().waitFor();
        }
        assertTrue(Files.size(folder.resolve("state.db-wal")) > 0);
        try (SqliteEngine engine = SqliteEngine.open(file, SqliteEngine.Options.DEFAULT)) {
            Path copy = folder.resolve("copy.db");
            Files.copy(file, copy); // without the log beside it
            assertEquals(engine.verifyAudit(), SqliteEngine.verifyAudit(copy));
        }
    }

    @Test
    void threeProcesses_loseNothing_andMakeOneChain() throws Exception {
        long each = 100;
        List<Process> children = new ArrayList<>();
        List<String> lines = new ArrayList<>();
        try {
            for (int c = 0; c < 3; c++) {
                children.add(SharedFileChild.start(file, "p" + c, 2, (int) each));
            }
            for (Process child : children) {
                lines.addAll(lines(child.getInputStream().readAllBytes()));
                assertEquals(0, child.waitFor());
            }
        } finally {
            children.forEach(Process::destroyForcibly);
        }
        Set<String> seqs = new HashSet<>();
        lines.forEach(line -> seqs.add(line.split(" ", 2)[0]));
        assertEquals(3 * 2 * each, seqs.size());
        assertEquals(3 * 2 * each, check(lines));
    }
}
