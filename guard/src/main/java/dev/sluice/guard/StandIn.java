package dev.sluice.guard;

import java.util.Set;

/**
 * That a value in the arguments of a rehearsed call stands for handles: an agent that works with
 * {@linkplain Hidden hidden values} would have written those.
 *
 * @param argument which value of the call, by a pointer into its arguments
 * @param whole whether it is the whole of a hidden value; else hidden values are parts of it
 * @param calls the numbers of the calls whose answers the hidden values were in
 */
public record StandIn(String argument, boolean whole, Set<String> calls) {

    public StandIn {
        calls = Set.copyOf(calls);
    }
}
