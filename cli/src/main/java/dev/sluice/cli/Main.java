package dev.sluice.cli;

import dev.sluice.policy.PolicyException;
import dev.sluice.store.StoreException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;

/**
 * Where a process of Sluice begins.
 *
 * <p>It names no class of the command line's library, which the usual start of a wrapper never loads.
 */
public final class Main {

    private Main() {}

    /** Runs the command that {@code args} are, and ends the process with its exit code. */
    public static void main(String[] args) {
        System.exit(execute(System.getenv(), args));
    }

    /**
     * Runs the command that {@code args} are, within this process: its streams are those of {@link System}.
     *
     * @param environment the variables that the command may read
     * @return the exit code
     */
    static int execute(Map<String, String> environment, String... args) {
        Optional<Wrapper> plain = Wrapper.plain(args);
        return plain.isPresent() ? wrap(plain.get()) : SluiceCommand.execute(environment, args);
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

    /** Faults that a person can mend are told in one line; any other is a fault of ours and is told whole. */
    static int failed(Exception fault) throws Exception {
        if (fault instanceof PolicyException
                || fault instanceof StoreException
                || fault instanceof IOException
                || fault instanceof UncheckedIOException
                || fault instanceof CommandFailure) {
            System.err.println("sluice: " + fault.getMessage());
            return 1;
        }
        if (fault instanceof InputFailure) {
            System.err.println("sluice: " + fault.getMessage());
            return 2;
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

    /** That what a command was given to read is not what it reads. */
    static final class InputFailure extends RuntimeException {
        private static final long serialVersionUID = 1L;

        InputFailure(String message) {
            super(message);
        }
    }
}
