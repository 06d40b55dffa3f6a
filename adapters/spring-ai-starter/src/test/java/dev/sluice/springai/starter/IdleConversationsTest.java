package dev.sluice.springai.starter;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
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
            tries.await();
            assertEquals(0, tries.getCount(), idle.toString());
        }
    }
}
