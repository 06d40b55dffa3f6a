package dev.sluice.cli;

import dev.sluice.policy.PolicyException;
import dev.sluice.store.StoreException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code sluice}. */
@Command(
        name = "sluice",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        subcommands = {
            RunCommand.class,
            GatewayCommand.class,
            DemoCommand.class,
            AuditCommand.class,
            SessionsCommand.class,
            PinsCommand.class,
            ClassifyCommand.class
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
            "  sluice sessions list       what each session has seen",
            "  sluice audit show          what was decided, and why",
            "",
            "Exit codes: 0 done, 1 it did not go well, 2 the command was not understood"
        })
public final class Main implements Runnable {

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "name a command");
    }

    /** Runs the command that {@code args} are, and ends the process with its exit code. */
    public static void main(String[] args) {
        System.exit(execute(args));
    }

    static int execute(String... args) {
        Optional<Wrapper> plain = Wrapper.plain(args);
        return plain.isPresent() ? wrap(plain.get()) : commandLine().execute(args);
    }

    private static int wrap(Wrapper wrapper) {
        try {
            return wrapper.run();
        } catch (IOException | RuntimeException fault) {
            try {
                return failed(fault);
            } catch (Exception ours) {
                ours.printStackTrace();
                return 1;
            }
        }
    }

    static CommandLine commandLine() {
        return new CommandLine(new Main())
                // A word such as `@scope/package` in a server's command is that word, also where there is such a file.
                .setExpandAtFiles(false)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setUsageHelpAutoWidth(true)
                .setExecutionExceptionHandler((fault, command, parsed) -> failed(fault));
    }

    /** Faults that a person can mend are told in one line; any other is a fault of ours and is told whole. */
    private static int failed(Exception fault) throws Exception {
        if (fault instanceof PolicyException
                || fault instanceof StoreException
                || fault instanceof IOException
                || fault instanceof UncheckedIOException
                || fault instanceof CommandFailure) {
            System.err.println("sluice: " + fault.getMessage());
            return 1;
        }
        throw fault;
    }

    /** That a command can't do what was asked, in words for the person who asked. */
    static final class CommandFailure extends RuntimeException {
        private static final long serialVersionUID = 1L;

        CommandFailure(String message) {
            super(message);
        }
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
