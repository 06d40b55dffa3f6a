package dev.sluice.cli;

import dev.sluice.gateway.State;
import dev.sluice.store.AuditRecord;
import dev.sluice.store.PinStore.Pin;
import dev.sluice.store.Transaction;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;

/** Shows the definitions that calls rely on, and accepts changed ones. */
@Command(
        name = "pins",
        mixinStandardHelpOptions = true,
        header = "Show pinned definitions, or accept changed ones.",
        synopsisSubcommandLabel = "(list | accept)")
final class PinsCommand {

    private static final int PAGE = 500;

    @Command(name = "list", mixinStandardHelpOptions = true, header = "List what is pinned.")
    int list(@Mixin StateOption state, @Mixin Output out) {
        try (State open = state.openExisting()) {
            for (Pin pin : open.engine().transact(tx -> tx.pins().all())) {
                if (pin.server().isEmpty()) {
                    continue; // an accepted policy file, which is no definition
                }
                if (out.isJson()) {
                    out.line(JsonNodeFactory.instance
                            .objectNode()
                            .put("server", pin.server())
                            .put("kind", pin.kind())
                            .put("name", pin.name())
                            .put("digest", pin.digest())
                            .put("at", pin.at().toString()));
                } else {
                    out.line(pin.server() + "  " + pin.kind() + (pin.name().isEmpty() ? "" : " " + pin.name()) + "  "
                            + pin.digest());
                }
            }
            return 0;
        }
    }

    @Command(
            name = "accept",
            mixinStandardHelpOptions = true,
            header = "Accept definitions that changed since they were pinned.",
            description = {
                "",
                "Read what the server's tools say now before you accept it: a changed",
                "description can be an attack. Pins exactly what was seen last. Asks for",
                "the approver's secret. A running wrapper notices when it is started again.",
                ""
            })
    int accept(
            @Mixin StateOption state,
            @Mixin Output out,
            @Parameters(index = "0", paramLabel = "<server>", description = "The server's name.") String server,
            @Parameters(
                            index = "1",
                            arity = "0..1",
                            paramLabel = "<tool>",
                            description = "One tool; without it, all that changed, and the instructions.")
                    @Nullable
                    String tool)
            throws IOException {
        try (State open = state.openExisting()) {
            state.demandApprover(open);
            List<Pin> accepted = open.engine().transact(tx -> accept(tx, server, tool));
            for (Pin pin : accepted) {
                if (out.isJson()) {
                    out.line(JsonNodeFactory.instance
                            .objectNode()
                            .put("accepted", true)
                            .put("kind", pin.kind())
                            .put("name", pin.name()));
                } else {
                    out.line("accepted the " + pin.kind() + (pin.name().isEmpty() ? "" : " `" + pin.name() + "`"));
                }
            }
            if (accepted.isEmpty()) {
                throw new Main.CommandFailure("nothing of `" + server
                        + "` was seen changed; `sluice pins list` shows the names of servers and tools, and what a"
                        + " policy file pins is accepted there");
            }
            return 0;
        }
    }

    private static List<Pin> accept(Transaction tx, String server, @Nullable String tool) {
        List<Pin> changed = changed(tx, server).values().stream()
                .filter(pin ->
                        tool == null || (pin.kind().equals("tool") && pin.name().equals(tool)))
                .toList();
        for (Pin pin : changed) {
            tx.pins().pin(pin);
            tx.audit()
                    .append(JsonNodeFactory.instance
                            .objectNode()
                            .put("at", pin.at().toString())
                            .put("kind", "pin")
                            .put("server", server)
                            .put("what", pin.kind())
                            .put("name", pin.name())
                            .put("digest", pin.digest())
                            .put("result", "accepted")
                            .put("by", "approver"));
        }
        return changed;
    }

    /** Returns the last definition of each kind and name that was seen and is not the pinned one. */
    private static Map<String, Pin> changed(Transaction tx, String server) {
        Map<String, Pin> changed = new TreeMap<>();
        List<AuditRecord> page = tx.audit().read(1, PAGE);
        while (!page.isEmpty()) {
            for (AuditRecord record : page) {
                JsonNode event = JsonMapper.shared().readTree(record.json());
                if (!event.path("kind").asString("").equals("pin")
                        || !event.path("server").asString("").equals(server)) {
                    continue;
                }
                String kind = event.path("what").asString("");
                String name = event.path("name").asString("");
                if (event.path("by").asString("").equals("policy")) {
                    continue; // a policy file pins it, and its digest is changed there
                }
                if (event.path("result").asString("").equals("changed")) {
                    changed.put(
                            kind + " " + name,
                            new Pin(server, kind, name, event.path("digest").asString(""), Instant.now()));
                } else {
                    changed.remove(kind + " " + name);
                }
            }
            page = tx.audit().read(page.get(page.size() - 1).seq() + 1, PAGE);
        }
        return changed;
    }
}
