package dev.sluice.cli;

import dev.sluice.gateway.State;
import dev.sluice.guard.ApprovalAnswer;
import dev.sluice.guard.approval.ApprovalText;
import dev.sluice.guard.approval.Quoted;
import dev.sluice.store.ApprovalStore.Approval;
import dev.sluice.store.ApprovalStore.Reach;
import dev.sluice.store.ApprovalStore.Status;
import dev.sluice.store.Transaction;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Shows the calls that wait for a person, and takes the person's word. */
@Command(
        name = "approvals",
        mixinStandardHelpOptions = true,
        header = "Show calls that wait for a person, and approve or deny them.",
        synopsisSubcommandLabel = "(list | show | approve | deny | revoke)")
final class ApprovalsCommand {

    private static final String APPROVER = "approver";

    private static final Pattern DURATION = Pattern.compile("([0-9]{1,5})(m|h|d)");
    private static final Duration LONGEST = Duration.ofDays(30);

    @Command(name = "list", mixinStandardHelpOptions = true, header = "List what waits, and approvals that still hold.")
    int list(@Mixin StateOption state, @Mixin Output out) {
        Instant now = Instant.now();
        try (State open = state.openExisting()) {
            List<Approval> all = open.engine().transact(tx -> tx.approvals().open(now)).stream()
                    .filter(each -> each.status() != Status.USED)
                    .toList();
            for (Approval approval : all) {
                if (out.isJson()) {
                    out.line(json(approval, now));
                } else {
                    out.line(new ApprovalText(approval).line(now));
                }
            }
            if (all.isEmpty() && !out.isJson()) {
                out.line("nothing waits for an answer");
            }
            return 0;
        }
    }

    @Command(name = "show", mixinStandardHelpOptions = true, header = "Show what would happen, and why you are asked.")
    int show(
            @Mixin StateOption state,
            @Mixin Output out,
            @Parameters(paramLabel = "<id>", description = "The id, as `list` shows it.") String id) {
        Instant now = Instant.now();
        try (State open = state.openExisting()) {
            Approval approval = open.engine().transact(tx -> find(tx, id));
            if (out.isJson()) {
                out.line(json(approval, now));
                return 0;
            }
            new ApprovalText(approval).lines(now).forEach(out::line);
            if (ApprovalText.state(approval, now).equals("pending")) {
                out.line("");
                out.line("`sluice approvals approve " + id + "` lets it through, `sluice approvals deny " + id
                        + "` does not.");
            }
            return 0;
        }
    }

    @Command(
            name = "approve",
            mixinStandardHelpOptions = true,
            header = "Let a call through that waits.",
            description = {
                "",
                "Look at it first: `sluice approvals show <id>`. The approval is good for",
                "exactly that call, once; with --flow, for every call of that tool with the",
                "same recipients and other steering values that carries no more. Asks for",
                "the approver's secret.",
                ""
            })
    int approve(
            @Mixin StateOption state,
            @Mixin Output out,
            @Parameters(paramLabel = "<id>", description = "The id, as `list` shows it.") String id,
            @Option(names = "--flow", description = "Let later calls of the same flow through too.") boolean flow,
            @Option(
                            names = "--for",
                            paramLabel = "<time>",
                            defaultValue = "1h",
                            description = "How long it holds, such as 30m, 8h or 7d; default: ${DEFAULT-VALUE}.")
                    String time)
            throws IOException {
        Duration holds = duration(time);
        try (State open = state.openExisting()) {
            Approval asked = open.engine().transact(tx -> find(tx, id));
            if (flow
                    && !JsonMapper.shared()
                            .readTree(asked.question())
                            .path("widened")
                            .asBoolean(false)) {
                throw new Main.CommandFailure(
                        "each call of this tool must be looked at, so no flow can be approved; leave `--flow` out");
            }
            state.demandApprover(open);
            Instant now = Instant.now();
            answer(
                    open,
                    asked,
                    new ApprovalAnswer(Status.APPROVED, flow ? Reach.FLOW : Reach.CALL, now.plus(holds), APPROVER),
                    now);
            report(
                    out,
                    open,
                    id,
                    now,
                    flow
                            ? "is approved, and later calls of its flow with it"
                            : "is approved: it goes through when it is made again");
            return 0;
        }
    }

    @Command(
            name = "deny",
            mixinStandardHelpOptions = true,
            header = "Refuse a call that waits.",
            description = {"", "The same call is not asked about again for a while. Asks for the approver's secret.", ""
            })
    int deny(
            @Mixin StateOption state,
            @Mixin Output out,
            @Parameters(paramLabel = "<id>", description = "The id, as `list` shows it.") String id)
            throws IOException {
        try (State open = state.openExisting()) {
            Approval asked = open.engine().transact(tx -> find(tx, id));
            state.demandApprover(open);
            Instant now = Instant.now();
            answer(open, asked, ApprovalAnswer.toCall(asked, false, now, APPROVER), now);
            report(out, open, id, now, "is denied");
            return 0;
        }
    }

    @Command(
            name = "revoke",
            mixinStandardHelpOptions = true,
            header = "Take an approval back that still holds.",
            description = {"", "Asks for no secret: it loosens nothing.", ""})
    int revoke(
            @Mixin StateOption state,
            @Mixin Output out,
            @Parameters(paramLabel = "<id>", description = "The id, as `list` shows it.") String id) {
        Instant now = Instant.now();
        try (State open = state.openExisting()) {
            boolean done = open.engine().transact(tx -> ApprovalAnswer.revoke(tx, find(tx, id), now));
            if (!done) {
                throw new Main.CommandFailure(
                        "`" + id + "` is no approval that holds; `sluice approvals list` has those");
            }
            report(out, open, id, now, "is taken back");
            return 0;
        }
    }

    private static Approval find(Transaction tx, String id) {
        return tx.approvals()
                .byId(id)
                .orElseThrow(() -> new Main.CommandFailure(
                        "there is no question `" + id + "`; `sluice approvals list` shows those that wait"));
    }

    private static void answer(State open, Approval asked, ApprovalAnswer answer, Instant now) {
        if (!open.engine().transact(tx -> answer.give(tx, asked, now))) {
            throw new Main.CommandFailure("`" + asked.id()
                    + "` waits for no answer any more: it was answered or is over; `sluice approvals show "
                    + asked.id() + "` says which");
        }
    }

    private static void report(Output out, State open, String id, Instant now, String what) {
        if (out.isJson()) {
            out.line(json(open.engine().transact(tx -> find(tx, id)), now));
        } else {
            out.line("`" + id + "` " + what);
        }
    }

    private static Duration duration(String time) {
        Matcher matcher = DURATION.matcher(time);
        if (matcher.matches()) {
            long count = Long.parseLong(matcher.group(1));
            Duration duration = switch (matcher.group(2)) {
                case "m" -> Duration.ofMinutes(count);
                case "h" -> Duration.ofHours(count);
                default -> Duration.ofDays(count);
            };
            if (count > 0 && duration.compareTo(LONGEST) <= 0) {
                return duration;
            }
        }
        throw new Main.CommandFailure("`--for " + Quoted.plain(time)
                + "` is no time that an approval can hold; give minutes, hours or days up to 30, such as `30m`");
    }

    private static ObjectNode json(Approval approval, Instant now) {
        ObjectNode node = JsonNodeFactory.instance
                .objectNode()
                .put("id", approval.id())
                .put("state", ApprovalText.state(approval, now))
                .put("principal", approval.principal())
                .put("session", approval.session())
                .put("asked", approval.asked().toString())
                .put("ends", approval.ends().toString())
                .put("uses", approval.uses());
        node.set("question", JsonMapper.shared().readTree(approval.question()));
        return node;
    }
}
