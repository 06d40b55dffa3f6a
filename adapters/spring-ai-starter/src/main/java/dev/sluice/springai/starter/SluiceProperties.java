package dev.sluice.springai.starter;

import dev.sluice.springai.Sluice;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What an application says of Sluice in its properties.
 *
 * @param policy the policy file, or its place on the class path after {@code classpath:}; without one no application starts
 * @param state the folder of the SQLite state, or {@code memory}: then labels die with the process
 * @param conversation the id of the one conversation of an application that only ever has one; empty for all others
 * @param localServer the name that the application's own tools have in the policy as a server
 * @param principal on whose behalf conversations run of which nothing else is said; the user of the process where it is empty
 * @param idle after how long without use a conversation ends; never where it is zero
 * @param idleOutlivesChatMemory whether the application clears its chat memory before a conversation ends so
 * @param userMessagesAreTyped whether user messages hold what users typed and nothing else
 */
@ConfigurationProperties("sluice")
public record SluiceProperties(
        @DefaultValue("") String policy,
        @DefaultValue("") String state,
        @DefaultValue("") String conversation,
        @DefaultValue(Sluice.LOCAL) String localServer,
        @DefaultValue("") String principal,
        @DefaultValue("0s") Duration idle,
        @DefaultValue("false") boolean idleOutlivesChatMemory,
        @DefaultValue("false") boolean userMessagesAreTyped) {

    static final String MEMORY = "memory";

    boolean isInMemory() {
        return state.isEmpty() || state.equals(MEMORY);
    }
}
