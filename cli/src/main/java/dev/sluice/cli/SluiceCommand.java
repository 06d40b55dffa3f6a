package dev.sluice.cli;

import dev.sluice.policy.PlainName;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command {@code sluice}, which all others are parts of. */
@Command(
        name = "sluice",
        mixinStandardHelpOptions = true,
        versionProvider = SluiceCommand.Version.class,
        subcommands = {
            RunCommand.class,
            GatewayCommand.class,
            DemoCommand.class,
            AuditCommand.class,
            SessionsCommand.class,
            ApprovalsCommand.class,
            TypedCommand.class,
            TokenCommand.class,
            PinsCommand.class,
            ClassifyCommand.class,
            PolicyCommand.class,
            AnnotationsCommand.class,
            EvidenceCommand.class,
            InitCommand.class,
            CheckCommand.class,
            ExplainCommand.class,
            ReplayCommand.class,
            CommandLine.HelpCommand.class
        },
        synopsisSubcommandLabel = "<command>",
        description = {
            "",
            "Keeps private data and untrusted text apart in agents that speak MCP.",
            "Put it between a client and its servers: it remembers what each session has",
            "seen, and stops the call that would show private data to somebody who may",
            "not read it, or that an outsider's words have steered.",
            ""
        },
        footer = {
            "",
            "Begin here:",
            "  sluice demo                see an exfiltration stopped, in 20 seconds",
            "  sluice run -- <command>    wrap one server: put this where your client's",
            "                             configuration has the server's own command",
            "  sluice init -- <command>   draft a policy for that server",
            "  sluice sessions list       what each session has seen",
            "  sluice audit show          what was decided, and why",
            "  sluice approvals list      calls that wait for your word",
            "",
            "Exit codes: 0 done, 1 it did not go well, 2 the command was not understood"
        })
final class SluiceCommand implements Runnable {

    private static final Pattern QUOTED = Pattern.compile("'([^']*)'");

    private final Map<String, String> environment;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    private SluiceCommand(Map<String, String> environment) {
        this.environment = environment;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "name a command");
    }

    static int execute(Map<String, String> environment, String... args) {
        return commandLine(environment).execute(args);
    }

    /** Returns a variable of the environment that a part of this command was started in; empty where it is not set. */
    static Optional<String> variable(CommandSpec part, String name) {
        return Optional.ofNullable(((SluiceCommand) part.root().userObject()).environment.get(name));
    }

    /** Returns what reads the words of the command line and does what they say. */
    static CommandLine commandLine(Map<String, String> environment) {
        return new CommandLine(new SluiceCommand(environment))
                // A word such as `@scope/package` in a server's command is that word, also where there is such a file.
                .setExpandAtFiles(false)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setUsageHelpAutoWidth(true)
                .setParameterExceptionHandler((fault, words) -> notUnderstood(fault))
                .setExecutionExceptionHandler((fault, command, parsed) -> Main.failed(fault));
    }

    /** Says what was wrong last, so that it is not scrolled away by all that could have been said. */
    private static int notUnderstood(ParameterException fault) {
        CommandLine part = fault.getCommandLine();
        PrintWriter err = part.getErr();
        String message = String.valueOf(fault.getMessage());
        if (fault instanceof UnmatchedArgumentException unmatched) {
            String word = unmatched.getUnmatched().get(0);
            if (word.startsWith("-")) {
                message = "there is no option `" + PlainName.of(word.replaceFirst("=.*", "")) + "`" + near(unmatched);
            } else if (!part.getSubcommands().isEmpty()) {
                message = "`" + part.getCommandSpec().qualifiedName() + "` has no `" + PlainName.of(word) + "`; it has "
                        + String.join(", ", part.getSubcommands().keySet());
            } else {
                message = "nothing is to be done with the word `" + PlainName.of(word) + "`; take it out";
            }
        } else if (!part.getSubcommands().isEmpty()) {
            part.usage(err);
        }
        err.println("sluice: " + plain(message));
        err.println("`" + part.getCommandSpec().qualifiedName() + " --help` says what it takes");
        return part.getCommandSpec().exitCodeOnInvalidInput();
    }

    private static String near(UnmatchedArgumentException unmatched) {
        List<String> near = unmatched.getSuggestions().stream()
                .filter(word -> word.startsWith("--"))
                .toList();
        return near.isEmpty() ? "" : "; did you mean `" + String.join("` or `", near) + "`?";
    }

    /** Returns a message of the library's in the words of ours. */
    private static String plain(String message) {
        String quoted = QUOTED.matcher(message)
                .replaceAll("`$1`")
                .replaceFirst(" is not an? (int|long)$", " is no whole number");
        return quoted.substring(0, 1).toLowerCase(Locale.ROOT) + quoted.substring(1);
    }

    /** The version of this build. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Main.class.getPackage().getImplementationVersion();
            return new String[] {"sluice " + (version == null ? "development build" : version)};
        }
    }
}
