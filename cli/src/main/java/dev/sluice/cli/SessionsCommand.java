package dev.sluice.cli;

import dev.sluice.gateway.State;
import dev.sluice.guard.approval.Words;
import dev.sluice.store.LabelCodec;
import dev.sluice.store.Session;
import java.io.IOException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Shows sessions and what they have seen, and ends them. */
@Command(
        name = "sessions",
        mixinStandardHelpOptions = true,
        header = "Show sessions and what they have seen, or end one.",
        synopsisSubcommandLabel = "(list | show | end)")
final class SessionsCommand {

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm").withZone(ZoneId.systemDefault());

    @Command(name = "list", mixinStandardHelpOptions = true, header = "List the live sessions, the last used first.")
    int list(@Mixin StateOption state, @Mixin Output out) {
        try (State open = state.openExisting()) {
            List<Session> sessions = open.engine().transact(tx -> tx.sessions().live());
            for (Session session : sessions) {
                if (out.isJson()) {
                    out.line(json(session));
                } else {
                    out.line(session.id() + "  " + time(session.seen()) + "  " + session.display() + ": "
                            + Words.seen(session.label()));
                }
            }
            if (sessions.isEmpty() && !out.isJson()) {
                out.line("no session is live");
            }
            return 0;
        }
    }

    @Command(name = "show", mixinStandardHelpOptions = true, header = "Show what one session has seen, and from where.")
    int show(
            @Mixin StateOption state,
            @Mixin Output out,
            @Parameters(paramLabel = "<id>", description = "The session's id, as `list` shows it.") String id) {
        try (State open = state.openExisting()) {
            Session session = find(open, id);
            if (out.isJson()) {
                out.line(json(session));
                return 0;
            }
            out.line("session " + session.id() + " of " + session.display() + ", for " + session.principal());
            out.line("began " + time(session.started()) + ", last used " + time(session.seen()));
            out.line(Words.seen(session.label()));
            session.label()
                    .lineage()
                    .origins()
                    .forEach((part, origins) -> out.line("  " + Words.part(part)
                            + " came with "
                            + String.join(
                                    "; ", origins.stream().map(Words::origin).toList())));
            return 0;
        }
    }

    @Command(
            name = "end",
            mixinStandardHelpOptions = true,
            header = "End a session: its client goes on with a clean one.",
            description = {
                "",
                "What its client has seen stays in that client's memory, so end a session",
                "only when its conversation is over. Asks for the approver's secret.",
                ""
            })
    int end(
            @Mixin StateOption state,
            @Mixin Output out,
            @Parameters(paramLabel = "<id>", description = "The session's id, as `list` shows it.") String id)
            throws IOException {
        try (State open = state.openExisting()) {
            Session session = find(open, id);
            state.demandApprover(open);
            boolean ended = open.engine().transact(tx -> {
                boolean live = tx.sessions().end(session.id(), Instant.now());
                if (live) {
                    tx.audit()
                            .append(JsonNodeFactory.instance
                                    .objectNode()
                                    .put("at", Instant.now().toString())
                                    .put("kind", "session")
                                    .put("event", "end")
                                    .put("session", session.id())
                                    .put("principal", session.principal())
                                    .put("by", "approver"));
                }
                return live;
            });
            if (out.isJson()) {
                out.line(JsonNodeFactory.instance
                        .objectNode()
                        .put("id", session.id())
                        .put("ended", ended));
            } else {
                out.line("session " + session.id() + (ended ? " is ended" : " had ended before"));
            }
            return 0;
        }
    }

    private static Session find(State state, String id) {
        return state.engine()
                .transact(tx -> tx.sessions().byId(id))
                .orElseThrow(() -> new Main.CommandFailure(
                        "there is no session `" + id + "`; `sluice sessions list` shows those that live"));
    }

    private static String time(Instant instant) {
        return TIME.format(instant);
    }

    private static ObjectNode json(Session session) {
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        node.put("id", session.id())
                .put("display", session.display())
                .put("principal", session.principal())
                .put("started", session.started().toString())
                .put("seen", session.seen().toString());
        node.setAll(LabelCodec.encode(session.label()));
        return node;
    }
}
