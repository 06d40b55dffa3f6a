package dev.sluice.guard;

import dev.sluice.labels.Source;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * Starts a program for each question. It gets the question as one line of JSON on its standard input, never as an
 * argument, which it could take for an option, and answers on its standard output; it must end with 0.
 *
 * <p>It gets neither the approver's secret nor the host's token from the environment. A program that takes too long is killed, and the processes
 * that it started too.
 */
final class CommandReaders implements ReaderResolver {

    private static final long PAUSE_MS = 2;

    private final List<String> words;
    private final Duration within;

    CommandReaders(List<String> words, Duration within) {
        this.words = List.copyOf(words);
        this.within = within;
    }

    @Override
    public Set<String> readers(Source.OfResource resource) throws UnresolvedException {
        long deadline = System.nanoTime() + within.toNanos();
        ProcessBuilder builder = new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.DISCARD);
        Secrets.takeOut(builder);
        Process process;
        try {
            process = builder.start();
        } catch (IOException e) {
            throw new UnresolvedException("the program can't be started");
        }
        try {
            return ReaderAnswers.read(answer(process, ReaderAnswers.question(resource), deadline));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UnresolvedException("asking the program was interrupted");
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    /** Looks for output instead of waiting for it: a process that was left behind could hold the line open for ever. */
    private static byte[] answer(Process process, byte[] question, long deadline)
            throws UnresolvedException, InterruptedException {
        try (OutputStream out = process.getOutputStream()) {
            out.write(question);
        } catch (IOException e) {
            // it may know the answer without the question
        }
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        try (InputStream in = process.getInputStream()) {
            boolean ended = false;
            while (true) {
                int there = in.available();
                if (there > 0) {
                    answer.write(in.readNBytes(Math.min(there, ReaderAnswers.MOST_BYTES + 1)));
                } else if (ended) {
                    break;
                }
                if (answer.size() > ReaderAnswers.MOST_BYTES) {
                    throw new UnresolvedException("the program's answer is too long");
                }
                if (System.nanoTime() - deadline > 0) {
                    throw new UnresolvedException("the program did not answer in time");
                }
                if (there == 0) {
                    ended = !process.isAlive(); // what it wrote before it ended is looked for once more
                    Thread.sleep(ended ? 0 : PAUSE_MS);
                }
            }
        } catch (IOException e) {
            throw new UnresolvedException("the program's answer can't be read");
        }
        if (process.exitValue() != 0) {
            throw new UnresolvedException("the program ended with " + process.exitValue());
        }
        return answer.toByteArray();
    }
}
