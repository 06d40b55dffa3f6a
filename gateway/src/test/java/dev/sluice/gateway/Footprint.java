package dev.sluice.gateway;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat;
import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * What this process holds, when all that can go has gone.
 *
 * @param heap bytes in use after a collection
 * @param threads threads, also virtual ones
 * @param files open files, sockets and pipes
 * @param children processes that it or they started
 */
record Footprint(long heap, long threads, long files, long children) {

    private static final long PATIENCE_NS = 20_000_000_000L;

    /**
     * Waits until there are no more children, threads and files than {@code most} has, for a while at most: what ends
     * takes a moment to be gone. Then it looks at the heap.
     */
    static Footprint within(Footprint most, Path folder) throws IOException {
        long end = System.nanoTime() + PATIENCE_NS;
        Footprint now = look(folder);
        while (System.nanoTime() < end
                && (now.children > most.children || now.threads > most.threads || now.files > most.files)) {
            LockSupport.parkNanos(50_000_000);
            now = look(folder);
        }
        return now;
    }

    static Footprint look(Path folder) throws IOException {
        Path dump = folder.resolve("threads-" + System.nanoTime()).toAbsolutePath();
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                .dumpThreads(dump.toString(), ThreadDumpFormat.TEXT_PLAIN);
        long threads;
        try (Stream<String> lines = Files.lines(dump)) {
            threads = lines.filter(line -> line.startsWith("#")).count();
        }
        Files.delete(dump);
        long children;
        try (Stream<ProcessHandle> below = ProcessHandle.current().descendants()) {
            children = below.filter(ProcessHandle::isAlive).count();
        }
        long files = ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
                ? unix.getOpenFileDescriptorCount()
                : 0;
        return new Footprint(used(), threads, files, children);
    }

    private static long used() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 3; i++) {
            System.gc();
            least = Math.min(
                    least,
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        }
        return least;
    }
}
