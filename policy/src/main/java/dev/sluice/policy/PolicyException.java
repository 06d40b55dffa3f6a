package dev.sluice.policy;

import java.util.List;

/** That a policy file can't be used: every problem, each with its place and its mend. */
public final class PolicyException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient List<Problem> problems;

    /**
     * One problem.
     *
     * @param file the file, as the caller named it
     * @param line the line, from 1; 0 where it is about the whole file
     * @param message what is wrong and how to mend it
     */
    public record Problem(String file, int line, String message) {
        @Override
        public String toString() {
            return line == 0 ? file + ": " + message : file + ":" + line + ": " + message;
        }
    }

    public PolicyException(List<Problem> problems) {
        super(String.join("\n", problems.stream().map(Problem::toString).toList()));
        this.problems = List.copyOf(problems);
    }

    /** Returns all problems, in the order of their lines. */
    public List<Problem> problems() {
        return problems;
    }
}
