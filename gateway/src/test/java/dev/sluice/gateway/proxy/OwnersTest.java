package dev.sluice.gateway.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What is remembered of whose each resource is, and for how long. */
class OwnersTest {

    private final Owners<String> owners = new Owners<>();

    @Test
    void whatIsNotListedAnyMore_isForgotten_whereItsOwnerWasAsked() {
        owners.listed(Map.of("x:/1", "a", "x:/2", "a", "y:/1", "b"), Set.of("a", "b"));
        owners.listed(Map.of("x:/2", "a"), Set.of("a"));
        assertEquals(Optional.empty(), owners.of("x:/1"));
        assertEquals(Optional.of("a"), owners.of("x:/2"));
        assertEquals(Optional.of("b"), owners.of("y:/1"), "who is away has what it had");
        owners.listed(Map.of(), Set.of("b"));
        assertEquals(Optional.empty(), owners.of("y:/1"));
    }

    @Test
    void firstOwner_stays_untilAListSaysOtherwise() {
        owners.add("x:/1", "a");
        owners.add("x:/1", "b");
        assertEquals(Optional.of("a"), owners.of("x:/1"));
        owners.listed(Map.of("x:/1", "b"), Set.of("b"));
        assertEquals(Optional.of("a"), owners.of("x:/1"), "nobody takes it while its owner can't say");
        owners.listed(Map.of("x:/1", "b"), Set.of("a", "b"));
        assertEquals(Optional.of("b"), owners.of("x:/1"));
    }

    @Test
    void beyondTheBound_thoseThatWereNotAskedForTheLongest_areForgotten() {
        for (int i = 0; i < Owners.MOST; i++) {
            owners.add("x:/" + i, "a");
        }
        assertEquals(Optional.of("a"), owners.of("x:/0"));
        owners.add("x:/more", "a");
        assertEquals(Optional.of("a"), owners.of("x:/0"));
        assertEquals(Optional.empty(), owners.of("x:/1"));
        assertEquals(Optional.of("a"), owners.of("x:/more"));
    }

    @Test
    void longAddresses_areNotKept() {
        owners.add("x".repeat(Owners.LONGEST), "a");
        owners.add("y".repeat(Owners.LONGEST + 1), "a");
        assertEquals(Optional.of("a"), owners.of("x".repeat(Owners.LONGEST)));
        assertEquals(Optional.empty(), owners.of("y".repeat(Owners.LONGEST + 1)));
    }
}
