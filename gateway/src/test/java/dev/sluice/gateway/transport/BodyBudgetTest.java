package dev.sluice.gateway.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class BodyBudgetTest {

    @Test
    void longMessagesOfOne_leaveRoomForOthers() {
        BodyBudget budget = new BodyBudget(100);
        assertTrue(budget.take("ana", 50));
        assertFalse(budget.take("ana", 1));
        assertTrue(budget.take("bo", 30));
        assertTrue(budget.take("cleo", 20));
        assertFalse(budget.take("dan", 1), "nothing is left");
        budget.give("ana", 50);
        assertTrue(budget.take("ana", 50));
        budget.give("ana", 50);
        budget.give("bo", 30);
        budget.give("cleo", 20);
        assertEquals(0, budget.held());
    }

    @Test
    void thereIsAlwaysRoomForFourMessages() {
        assertEquals(1L << 29, BodyBudget.usual(4L << 30, 16 << 20));
        assertEquals(64 << 20, BodyBudget.usual(64 << 20, 16 << 20));
        assertEquals(8_589_934_588L, BodyBudget.usual(64 << 20, Integer.MAX_VALUE));
    }
}
