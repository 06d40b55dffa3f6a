package dev.sluice.benchmarks.gateway;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.VirtualThreadPool;
import org.jspecify.annotations.Nullable;

/**
 * The least that can stand between HTTP and a server on standard input and output, on the same Jetty: lines are passed, and
 * nobody looks into them. With a database it keeps two records of each call, as small as they can be, each in a transaction
 * before what it is about goes on. What a gateway takes beyond this is for what it does.
 *
 * <p>It is of no use but to be measured: whoever calls must wait for one answer before the next call of that session.
 */
final class LeastProxy extends Handler.Abstract {

    private static final byte[] RECORD = "x".repeat(500).getBytes(StandardCharsets.US_ASCII);

    /** Who waits for the next line of a server. */
    private record Waiting(Response response, Callback callback) {}

    /** A server of one session. */
    private final class Line {
        private final Process process;
        private final OutputStream out;
        private final ConcurrentLinkedQueue<Waiting> waiting = new ConcurrentLinkedQueue<>();

        Line() throws IOException {
            process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            out = process.getOutputStream();
            Thread.ofPlatform().daemon().start(this::read);
        }

        private void read() {
            try (BufferedReader in =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.ISO_8859_1))) {
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    Waiting next = waiting.remove();
                    keep();
                    next.response().setStatus(200);
                    next.response().getHeaders().put("Content-Type", "application/json");
                    next.response()
                            .write(true, ByteBuffer.wrap(line.getBytes(StandardCharsets.ISO_8859_1)), next.callback());
                }
            } catch (IOException e) {
                process.destroy();
            }
        }

        void send(byte[] message) throws IOException {
            out.write(message);
            out.write('\n');
            out.flush();
        }
    }

    private final List<String> command;
    private final Map<String, Line> lines = new ConcurrentHashMap<>();
    private final @Nullable PreparedStatement insert;

    private LeastProxy(List<String> command, @Nullable PreparedStatement insert) {
        this.command = command;
        this.insert = insert;
    }

    /** Takes the file of its database, or {@code -} for none, and the server's command; prints where it listens. */
    public static void main(String[] args) throws Exception {
        PreparedStatement insert = null;
        if (!args[0].equals("-")) {
            Connection database = DriverManager.getConnection("jdbc:sqlite:" + args[0]);
            try (Statement setting = database.createStatement()) {
                setting.execute("PRAGMA journal_mode=WAL");
                setting.execute("PRAGMA synchronous=NORMAL");
                setting.execute("CREATE TABLE record (number INTEGER PRIMARY KEY, text BLOB NOT NULL)");
            }
            insert = database.prepareStatement("INSERT INTO record (text) VALUES (?)");
        }
        Server server = new Server(new VirtualThreadPool(-1));
        ServerConnector connector = new ServerConnector(server, 1, 1);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        LeastProxy proxy = new LeastProxy(List.of(args).subList(1, args.length), insert);
        server.setHandler(proxy);
        server.start();
        Runtime.getRuntime()
                .addShutdownHook(new Thread(() -> proxy.lines.values().forEach(line -> line.process.destroy())));
        System.out.println("http://127.0.0.1:" + connector.getLocalPort() + "/mcp");
    }

    private void keep() throws IOException {
        PreparedStatement record = insert;
        if (record == null) {
            return;
        }
        synchronized (this) {
            try {
                record.setBytes(1, RECORD);
                record.executeUpdate();
            } catch (SQLException e) {
                throw new IOException(e);
            }
        }
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        byte[] body = BufferUtil.toArray(Content.Source.asByteBuffer(request));
        String session = request.getHeaders().get("Mcp-Session-Id");
        if (session == null) {
            session = UUID.randomUUID().toString();
            lines.put(session, new Line());
            response.getHeaders().put("Mcp-Session-Id", session);
        }
        Line line = lines.get(session);
        if (line == null) {
            Response.writeError(request, response, callback, 404);
            return true;
        }
        boolean asks = new String(body, 0, Math.min(60, body.length), StandardCharsets.ISO_8859_1).contains("\"id\"");
        if (asks) {
            keep();
            line.waiting.add(new Waiting(response, callback));
            line.send(body);
        } else {
            line.send(body);
            response.setStatus(202);
            callback.succeeded();
        }
        return true;
    }

    /** Returns how it is started, with the class path of whoever asks. */
    static List<String> command(String database, List<String> server) {
        List<String> command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElse("java"),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                LeastProxy.class.getName(),
                database));
        command.addAll(server);
        return command;
    }
}
