package dev.sluice.examples.mail;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/**
 * The server as a process that has ended.
 *
 * @param out all of its standard output
 * @param err all of its standard error
 */
record ServerProcess(int exitCode, String out, String err) {

    /** The command line that starts the server, with its own classes and libraries alone. */
    static List<String> command(String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                MailServer.class.getName()));
        command.addAll(List.of(arguments));
        return command;
    }

    /** Starts the server, gives it this input, closes the input and waits for the end. */
    static ServerProcess run(String input, String... arguments) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command(arguments)).start();
        // Threads of their own: a shared pool of one would leave a pipe unread, and the server waiting.
        FutureTask<String> out = reading(process.getInputStream());
        FutureTask<String> err = reading(process.getErrorStream());
        try (OutputStream in = process.getOutputStream()) {
            in.write(input.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // The server has ended before it has read all: its exit code says why.
        }
        try {
            // No assertion on speed: a server that never ends must not hold up the build for ever.
            if (!process.waitFor(2, TimeUnit.MINUTES)) {
                throw new IOException("the server does not end after its input");
            }
            return new ServerProcess(process.exitValue(), out.get(), err.get());
        } catch (ExecutionException e) {
            throw new IOException(e);
        } finally {
            process.destroyForcibly();
        }
    }

    private static FutureTask<String> reading(InputStream stream) {
        FutureTask<String> text = new FutureTask<>(() -> new String(stream.readAllBytes(), StandardCharsets.UTF_8));
        Thread thread = new Thread(text, "pipe");
        thread.setDaemon(true);
        thread.start();
        return text;
    }
}
