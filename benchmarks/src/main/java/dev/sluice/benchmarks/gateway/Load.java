package dev.sluice.benchmarks.gateway;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;

/** What is asked of a server: as much as it can take, or a fixed number of calls a second whether it keeps up or not. */
final class Load {

    private static final double SECOND = 1e9;

    private Load() {}

    /** One connection's part of the work; returns what it measured. */
    @FunctionalInterface
    private interface Part {
        long[] run(LoadClient client, int number, LoadClient.Prepared prepared, long start) throws IOException;
    }

    /** Calls on all connections, each as soon as the last one was answered; returns how many were answered. */
    static long closed(List<LoadClient> clients, LoadClient.Template template, double seconds) throws IOException {
        return LongStream.of(onAll(clients, template, (client, number, prepared, start) -> {
                    long calls = 0;
                    while (System.nanoTime() - start < seconds * SECOND) {
                        client.call(template, prepared);
                        calls++;
                    }
                    return new long[] {calls};
                }))
                .sum();
    }

    /**
     * Calls at a fixed rate, which the connections take in turns. A call that has to wait since the one before it on its
     * connection is not answered has waited all the same: times count from when it was due.
     *
     * @param rate calls a second
     * @return nanoseconds from when each call was due to its answer, in order of size; those far too late are left out
     */
    static long[] open(List<LoadClient> clients, LoadClient.Template template, double rate, double seconds)
            throws IOException {
        int calls = (int) (rate * seconds);
        long[] times = onAll(clients, template, (client, number, prepared, start) -> {
            long[] own = new long[calls / clients.size() + 1];
            int done = 0;
            for (int i = number; i < calls; i += clients.size()) {
                long due = start + (long) (i * SECOND / rate);
                for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                    LockSupport.parkNanos(left);
                }
                if (System.nanoTime() - start > 2 * seconds * SECOND) {
                    break; // it does not keep up, by far
                }
                client.call(template, prepared);
                own[done++] = System.nanoTime() - due;
            }
            return Arrays.copyOf(own, done);
        });
        Arrays.sort(times);
        return times;
    }

    private static long[] onAll(List<LoadClient> clients, LoadClient.Template template, Part part) throws IOException {
        for (LoadClient client : clients) {
            client.connect();
        }
        // A tenth of a second for all threads to be there.
        long start = System.nanoTime() + (long) (SECOND / 10);
        try (ExecutorService threads = Executors.newThreadPerTaskExecutor(
                Thread.ofPlatform().name("load").factory())) {
            List<Future<long[]>> parts = new ArrayList<>();
            for (int i = 0; i < clients.size(); i++) {
                int number = i;
                LoadClient client = clients.get(i);
                parts.add(threads.submit(() -> {
                    LoadClient.Prepared prepared = client.prepare(template);
                    while (System.nanoTime() < start) {
                        LockSupport.parkNanos(start - System.nanoTime());
                    }
                    return part.run(client, number, prepared, start);
                }));
            }
            List<long[]> measured = new ArrayList<>();
            for (Future<long[]> each : parts) {
                measured.add(each.get());
            }
            return measured.stream().flatMapToLong(LongStream::of).toArray();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } catch (ExecutionException e) {
            throw new IOException(String.valueOf(e.getCause()), e);
        }
    }
}
