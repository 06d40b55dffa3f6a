package dev.sluice.cli;

import java.util.Map;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

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
            ReplayCommand.class
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
                .setExecutionExceptionHandler((fault, command, parsed) -> Main.failed(fault));
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
