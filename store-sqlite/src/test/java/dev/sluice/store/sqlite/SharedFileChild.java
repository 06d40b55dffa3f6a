package dev.sluice.store.sqlite;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * A process that works on a shared file: {@code <file> <name> <threads> <transactions per thread>}. Prints one line for
 * each transaction that returned: the record's number, the session and the server that was joined into its label.
 */
final class SharedFileChild {

    private static final int PER_SESSION = 50;

    private SharedFileChild() {}

    public static void main(String[] arguments) throws Exception {
        String name = arguments[1];
        int threads = Integer.parseInt(arguments[2]);
        int each = Integer.parseInt(arguments[3]);
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        try (SqliteEngine engine = SqliteEngine.open(Path.of(arguments[0]), SqliteEngine.Options.DEFAULT)) {
            List<Thread> running = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                String prefix = name + "-" + t + "-";
                running.add(new Thread(() -> {
                    for (int n = 0; n < each; n++) {
                        out.println(transact(engine, prefix + n / PER_SESSION, prefix + n));
                    }
                }));
            }
            running.forEach(Thread::start);
            for (Thread thread : running) {
                thread.join();
            }
        }
    }

    private static String transact(SqliteEngine engine, String session, String server) {
        long seq = engine.transact(transaction -> {
            if (transaction.sessions().byId(session).isEmpty()) {
                transaction.sessions().begin(StateFiles.session(session));
            }
            transaction.sessions().join(session, StateFiles.entered(server));
            transaction.sessions().join("shared", StateFiles.entered("of " + session));
            return transaction
                    .audit()
                    .append(JsonNodeFactory.instance.objectNode().put("server", server))
                    .seq();
        });
        return seq + " " + session + " " + server;
    }

    /** Starts one in a Java process of its own. */
    static Process start(Path file, String name, int threads, int each) throws Exception {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                Optional.ofNullable(System.getProperty("surefire.test.class.path"))
                        .orElse(System.getProperty("java.class.path")),
                SharedFileChild.class.getName(),
                file.toString(),
                name,
                Integer.toString(threads),
                Integer.toString(each));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }
}
