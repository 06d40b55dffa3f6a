package dev.sluice.cli.interop;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * Starts a server, stands between it and whoever starts this, and keeps both streams in files, byte for byte.
 *
 * <p>Arguments: the folder for the files, and the server's command.
 */
final class Relay {

    static final String TO_SERVER = "to-server";
    static final String FROM_SERVER = "from-server";

    private Relay() {}

    /** Ends with the server, or a moment after the input has ended. */
    public static void main(String[] args) throws IOException, InterruptedException {
        Path folder = Path.of(args[0]);
        Process server = new ProcessBuilder(Arrays.asList(args).subList(1, args.length))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        Thread out = new Thread(() -> {
            copy(server.getInputStream(), new FileOutputStream(FileDescriptor.out), folder.resolve(FROM_SERVER));
        });
        out.start();
        Thread in = new Thread(() -> {
            copy(System.in, server.getOutputStream(), folder.resolve(TO_SERVER));
            try {
                if (!server.waitFor(2, TimeUnit.SECONDS)) {
                    server.destroyForcibly(); // server-everything does not end while it has tasks
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        in.setDaemon(true);
        in.start();
        int code = server.waitFor();
        out.join();
        System.exit(code);
    }

    private static void copy(InputStream from, OutputStream to, Path file) {
        try (OutputStream kept = Files.newOutputStream(file);
                to) {
            byte[] buffer = new byte[1 << 16];
            for (int n = from.read(buffer); n >= 0; n = from.read(buffer)) {
                kept.write(buffer, 0, n);
                to.write(buffer, 0, n);
                to.flush();
            }
        } catch (IOException e) {
            // One side is gone, which ends the other.
        }
    }
}
