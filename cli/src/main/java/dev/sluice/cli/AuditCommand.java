package dev.sluice.cli;

import dev.sluice.gateway.State;
import dev.sluice.store.AuditChain;
import dev.sluice.store.AuditRecord;
import dev.sluice.store.StoreException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Shows what was decided, and checks that nobody changed it since. */
@Command(
        name = "audit",
        mixinStandardHelpOptions = true,
        header = "Show what was decided and why, or check the record of it.",
        synopsisSubcommandLabel = "(show | verify)")
final class AuditCommand {

    private static final int PAGE = 500;

    @Command(
            name = "show",
            mixinStandardHelpOptions = true,
            header = "Show the records, the oldest first.",
            description = {"", "With --json, each line is a record as it is kept.", ""})
    int show(
            @Mixin StateOption state,
            @Mixin Output out,
            @Option(names = "--last", paramLabel = "<n>", description = "Only the last so many of them, from 1.")
                    @Nullable
                    Integer last,
            @Option(names = "--session", paramLabel = "<id>", description = "Only the records of one session.")
                    @Nullable
                    String session) {
        if (last != null && last < 1) {
            throw new Main.InputFailure("`--last` must be 1 or more");
        }
        try (State open = state.openExisting()) {
            long end = open.engine()
                    .transact(tx -> tx.audit().head())
                    .map(head -> head.seq())
                    .orElse(0L);
            // The last of one session may stand anywhere.
            long from = last == null || session != null ? 1 : Math.max(1, end - last + 1);
            Deque<String> kept = new ArrayDeque<>();
            for (long next = from; next <= end; next += PAGE) {
                long page = next;
                for (AuditRecord record :
                        open.engine().transact(tx -> tx.audit().read(page, PAGE))) {
                    Optional<String> line = line(record, session, out.isJson());
                    if (last == null) {
                        line.ifPresent(out::line);
                    } else if (line.isPresent()) {
                        kept.add(line.get());
                        if (kept.size() > last) {
                            kept.remove();
                        }
                    }
                }
            }
            kept.forEach(out::line);
            return 0;
        }
    }

    /** Returns what is shown of a record; empty where it is another session's. */
    private static Optional<String> line(AuditRecord record, @Nullable String session, boolean json) {
        JsonNode event;
        try {
            event = JsonMapper.shared().readTree(record.json());
        } catch (RuntimeException e) {
            return Optional.of(record.seq() + "  can't be read; `sluice audit verify` says more");
        }
        if (session != null && !event.path("session").asString("").equals(session)) {
            return Optional.empty();
        }
        return Optional.of(json ? record.json() : AuditLine.of(record.seq(), event));
    }

    @Command(
            name = "verify",
            mixinStandardHelpOptions = true,
            header = "Check that no record was altered, removed or moved.",
            description = {
                "",
                "Ends with 0 where the log is whole, and with 1 where it is not; then it",
                "names the first record that is not what was written.",
                ""
            })
    int verify(@Mixin StateOption state, @Mixin Output out) {
        Path database = State.database(state.folder());
        if (!Files.exists(database)) {
            throw new StoreException(
                    "there is no audit log in `" + state.folder() + "`; name its folder with `--state`");
        }
        AuditChain.Outcome outcome = State.verifyAudit(state.folder());
        return switch (outcome) {
            case AuditChain.Outcome.Whole whole -> {
                if (out.isJson()) {
                    out.line(JsonNodeFactory.instance
                            .objectNode()
                            .put("whole", true)
                            .put("records", whole.count())
                            .put("head", whole.digest()));
                } else {
                    out.line("the audit log is whole: " + whole.count() + " records, the last is " + whole.digest());
                }
                yield 0;
            }
            case AuditChain.Outcome.Broken broken -> {
                if (out.isJson()) {
                    ObjectNode node = JsonNodeFactory.instance.objectNode();
                    out.line(node.put("whole", false)
                            .put("record", broken.seq())
                            .put("fault", broken.fault().name().toLowerCase(java.util.Locale.ROOT))
                            .put("reason", broken.reason()));
                } else {
                    out.line("the audit log is broken at record " + broken.seq() + ": " + broken.reason());
                }
                yield 1;
            }
        };
    }
}
