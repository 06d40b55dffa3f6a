package dev.sluice.springai.starter;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class IdleConversationsTest {

    @Test
    void faultOfAnyKind_isNotTheLastTry() throws InterruptedException {
        CountDownLatch tries = new CountDownLatch(3);
        try (IdleConversations idle = new IdleConversations(
                () -> {
                    tries.countDown();
                    throw new IllegalStateException("no state");
                },
                Duration.ofMillis(1))) {
            assertNotNull(idle);
            assertTrue(tries.await(1, TimeUnit.MINUTES), "it gave up");
        }
    }
}
