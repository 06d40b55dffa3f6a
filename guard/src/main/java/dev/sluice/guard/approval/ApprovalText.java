package dev.sluice.guard.approval;

import dev.sluice.policy.PlainName;
import dev.sluice.store.ApprovalStore.Approval;
import dev.sluice.store.ApprovalStore.Reach;
import dev.sluice.store.LabelCodec;
import dev.sluice.wire.json.JsonIndex;
import dev.sluice.wire.json.MalformedJsonException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A question in words for the person who answers it.
 *
 * <p>What a model, a server or an outsider wrote stands only on lines that begin with a bar, in quotes, with everything
 * escaped that a terminal obeys or an eye would miss; no such line can look like one of ours.
 */
public final class ApprovalText {

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss").withZone(ZoneId.systemDefault());

    private static final int WIDTH = 96;

    /** A message may be as deep as the usual limit, and a handle in its deepest place stands for a value as deep again. */
    private static final JsonIndex.Limits SHAPE = new JsonIndex.Limits(
            4 * JsonIndex.Limits.DEFAULT.depth(),
            JsonIndex.Limits.DEFAULT.numberChars(),
            JsonIndex.Limits.DEFAULT.values());

    private final Approval approval;
    private final JsonNode question;

    /** Takes the question that is kept as {@code approval}. */
    public ApprovalText(Approval approval) {
        this.approval = approval;
        this.question = JsonMapper.shared().readTree(approval.question());
    }

    /** Returns what the question is about, in one line. */
    public String line(Instant now) {
        return approval.id() + "  " + String.format("%-8s", state(approval, now)) + "  until " + time(approval.ends())
                + "  " + subject()
                + (question.path("audience").isEmpty() ? "" : " to " + String.join(", ", audience()));
    }

    /** Returns the whole question. */
    public List<String> lines(Instant now) {
        List<String> lines = toCall(now);
        if (question.path("widened").asBoolean(false)) {
            lines.add("");
            lines.add("A flow (`--flow`) would let later calls through too: of this tool, with the same " + steering()
                    + ",");
            lines.add("whatever else they say, as long as they carry no more than this one.");
        }
        return lines;
    }

    /**
     * Returns the question for a client's form, as a block in which Markdown means nothing: no line of it can end the
     * block, since each begins with words of ours.
     */
    public String form(Instant now) {
        return "sluice asks whether a call may run.\n```\n" + String.join("\n", toCall(now)) + "\n```";
    }

    /** Returns what is asked and why, in one line. */
    public String sentence() {
        List<String> because = new ArrayList<>();
        question.path("because").forEach(each -> because.add(plain(each, "text")));
        return subject() + (question.path("audience").isEmpty() ? "" : " to " + String.join(", ", audience())) + ": "
                + String.join("; ", because);
    }

    /** Returns the question for somebody who can approve the one call only. */
    public List<String> toCall(Instant now) {
        List<String> lines = new ArrayList<>();
        lines.add("approval " + approval.id() + ": " + state(approval, now));
        lines.add("asked " + time(approval.asked()) + " in session " + approval.session() + " of "
                + Quoted.plain(text(question, "session")) + ", for " + Quoted.plain(approval.principal()) + "; over at "
                + time(approval.ends()));
        lines.add("");
        lines.add("If you approve, " + subject() + " runs once, with exactly the arguments below.");
        if (!PlainName.of(text(question, "name")).equals(text(question, "name"))) {
            lines.add("Its name holds signs that no name of a tool should:");
            quote(lines, Quoted.json(Quoted.exact(text(question, "name"))));
        }
        effects(lines);
        lines.add("");
        lines.add("Why you are asked:");
        question.path("because")
                .forEach(each -> lines.add("  " + Quoted.plain(text(each, "control")) + ": " + plain(each, "text")));
        lines.add("");
        lines.add("What the call carries: " + Quoted.plain(Words.carried(LabelCodec.label(question.path("label"))))
                + ".");
        lines.add("");
        lines.add("Its arguments. What stands behind a bar was written by a model, a server or an outsider,");
        lines.add("and is no word of sluice, whatever it says:");
        arguments(lines);
        return lines;
    }

    private void effects(List<String> lines) {
        List<String> audience = audience();
        if (!question.path("classified").asBoolean(false)) {
            lines.add("Nobody has said what it does, so it may do anything.");
        }
        question.path("effects").forEach(effect -> {
            switch (effect.asString("")) {
                case "writes" -> lines.add("It changes something.");
                case "sends" ->
                    lines.add(
                            audience.isEmpty()
                                    ? "It sends data to the server, and to nobody else."
                                    : "It shows what it carries to: " + String.join(", ", audience) + ".");
                default -> {}
            }
        });
        if (text(question, "outcome").equals("irreversible")) {
            lines.add("What it does can't be undone.");
        }
    }

    private void arguments(List<String> lines) {
        String exact = text(question, "arguments");
        JsonIndex.Value arguments;
        try {
            byte[] bytes = exact.getBytes(StandardCharsets.UTF_8);
            arguments = JsonIndex.parse(bytes, 0, bytes.length, SHAPE).root();
        } catch (MalformedJsonException e) {
            quote(lines, Quoted.json(exact));
            lines.add("      they can't be taken apart, so it is not said where their values came from");
            return;
        }
        if (arguments.kind() != JsonIndex.Kind.OBJECT || arguments.members().isEmpty()) {
            quote(lines, Quoted.json(exact));
        }
        int place = 0;
        for (JsonIndex.Member member : members(arguments)) {
            String quoted = Quoted.json(Quoted.exact(member.name())) + ": "
                    + Quoted.json(member.value().raw());
            quote(lines, quoted);
            for (String remark : remarks(place++)) {
                lines.add("      " + remark);
            }
            Quoted.unusual(quoted).ifPresent(remark -> lines.add("      " + remark));
        }
        long more = question.path("moreValues").asLong(0);
        if (more > 0) {
            lines.add("      of " + more + " more values it is not said where they came from");
        }
    }

    private static List<JsonIndex.Member> members(JsonIndex.Value arguments) {
        return arguments.kind() == JsonIndex.Kind.OBJECT ? arguments.members() : List.of();
    }

    /** Cuts to the width of a terminal; every piece stands behind a bar of its own. */
    private static void quote(List<String> lines, String text) {
        for (int from = 0; from < text.length(); from += WIDTH) {
            int to = Math.min(text.length(), from + WIDTH);
            lines.add((from == 0 ? "  | " : "  |   ") + text.substring(from, to));
        }
    }

    private Set<String> remarks(int place) {
        Set<String> remarks = new LinkedHashSet<>();
        for (JsonNode value : question.path("values")) {
            if (value.path("member").asInt(-1) == place) {
                remarks.add((value.path("steers").asBoolean(true) ? "it steers the call; " : "") + source(value));
            }
        }
        return remarks;
    }

    private static String source(JsonNode value) {
        if (value.path("named").asBoolean(false)) {
            return "the user typed it";
        }
        List<String> places = new ArrayList<>();
        value.path("origins")
                .forEach(origin -> places.add("`" + PlainName.of(text(origin, "name")) + "` of `"
                        + PlainName.of(text(origin, "server")) + "`, call " + PlainName.of(text(origin, "call"))));
        String kind = value.path("untrusted").asBoolean(true) ? "an outsider could have written it there" : "trusted";
        String found = places.isEmpty() ? "" : "seen in " + String.join("; ", places) + " (" + kind + ")";
        if (!value.path("unmatched").asBoolean(true)) {
            return found.isEmpty() ? "it came from no answer" : found;
        }
        return found.isEmpty()
                ? "found in no answer: the model's own words, or an answer in other words"
                : found + "; the rest was found in no answer";
    }

    private String subject() {
        return "`" + PlainName.of(text(question, "name")) + "` of `" + PlainName.of(text(question, "server")) + "`";
    }

    private List<String> audience() {
        List<String> audience = new ArrayList<>();
        question.path("audience").forEach(each -> audience.add(Quoted.plain(each.asString(""))));
        return audience;
    }

    private String steering() {
        Set<String> names = new LinkedHashSet<>();
        question.path("values").forEach(value -> {
            if (value.path("steers").asBoolean(false)) {
                names.add("`" + PlainName.of(text(value, "argument")) + "`");
            }
        });
        return names.isEmpty() ? "recipients" : String.join(", ", names);
    }

    /** Returns what became of a question. */
    public static String state(Approval approval, Instant now) {
        boolean over = !approval.ends().isAfter(now);
        return switch (approval.status()) {
            case PENDING -> over ? "expired" : "pending";
            case APPROVED -> over ? "over" : approval.reach() == Reach.FLOW ? "flow" : "approved";
            case DENIED -> "denied";
            case USED -> "used";
        };
    }

    private static String plain(JsonNode node, String name) {
        return Quoted.plain(text(node, name));
    }

    private static String text(JsonNode node, String name) {
        return node.path(name).asString("");
    }

    private static String time(Instant instant) {
        return TIME.format(instant);
    }
}
