package dev.sluice.cli;

import dev.sluice.gateway.State;
import dev.sluice.store.StoreException;
import java.io.BufferedReader;
import java.io.Console;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Where the state is: an option of most commands. */
final class StateOption {

    static final String SECRET_VARIABLE = "SLUICE_APPROVER_SECRET";

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command = CommandSpec.create();

    @Option(
            names = "--state",
            paramLabel = "<folder>",
            description = "Where labels and the audit log are kept; default: the user's state folder.")
    private Path folder = State.usualFolder();

    Path folder() {
        return folder;
    }

    State open() {
        return State.open(folder);
    }

    /** Opens a state that must be there, so that a mistyped folder is not made and shown as empty. */
    State openExisting() {
        if (!Files.exists(State.database(folder))) {
            throw new StoreException("there is no state in `" + folder
                    + "` yet; run a server through sluice first, or name its `--state`");
        }
        return open();
    }

    /** Asks for the approver's secret: from the environment, else on the terminal, else from standard input. */
    void demandApprover(State state) throws IOException {
        String secret = secret(state);
        if (secret.isBlank()) {
            throw new Main.CommandFailure(
                    "this needs the approver's secret, and none was given: run it in a terminal, or"
                            + " give what stands in `" + state.secretFile() + "` in `" + SECRET_VARIABLE
                            + "` or on standard input");
        }
        if (!state.isApprover(secret)) {
            throw new Main.CommandFailure(
                    "that is not the approver's secret; it stands in `" + state.secretFile() + "`");
        }
    }

    private String secret(State state) throws IOException {
        Optional<String> variable = SluiceCommand.variable(command, SECRET_VARIABLE);
        if (variable.isPresent() && !variable.get().isBlank()) {
            return variable.get();
        }
        if (Paint.isTerminal()) {
            Console console = Objects.requireNonNull(System.console());
            char[] typed = console.readPassword("approver's secret (it stands in %s): ", state.secretFile());
            return typed == null ? "" : new String(typed);
        }
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset()));
        return Optional.ofNullable(in.readLine()).orElse("");
    }
}
