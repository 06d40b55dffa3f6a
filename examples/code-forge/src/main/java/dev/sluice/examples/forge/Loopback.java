package dev.sluice.examples.forge;

import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.server.McpServerFeatures.SyncToolSpecification;
import io.modelcontextprotocol.server.McpSyncServer;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/**
 * A server in this process and the client's transport to it, with a connection of the machine's own between them, so that
 * every message really becomes bytes. A host would start the server as a process.
 */
final class Loopback implements McpClientTransport {

    private final McpJsonMapper mapper = McpJsonDefaults.getMapper();
    private final Socket client;
    private final McpSyncServer server;
    private final List<String> answers = new CopyOnWriteArrayList<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();

    private Loopback(Socket client, McpSyncServer server) {
        this.client = client;
        this.server = server;
    }

    /** Starts a server with these tools. */
    static Loopback to(String name, List<SyncToolSpecification> tools) {
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Socket client = new Socket(InetAddress.getLoopbackAddress(), listening.getLocalPort());
            Socket end = listening.accept();
            return new Loopback(client, ForgeServer.serve(name, tools, end.getInputStream(), end.getOutputStream()));
        } catch (IOException e) {
            throw new UncheckedIOException("no connection on this machine's loopback address: allow some", e);
        }
    }

    /** Returns what the server sent, line by line, as it was on the wire. */
    List<String> answers() {
        return List.copyOf(answers);
    }

    /** Returns what the server got, line by line. */
    List<String> requests() {
        return List.copyOf(requests);
    }

    @Override
    public Mono<Void> connect(Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
        Thread reader = new Thread(() -> read(handler), "loopback");
        reader.setDaemon(true);
        reader.start();
        return Mono.empty();
    }

    private void read(Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                answers.add(line);
                handler.apply(Mono.just(McpSchema.deserializeJsonRpcMessage(mapper, line)))
                        .subscribe();
            }
        } catch (IOException e) {
            // The connection is closed.
        }
    }

    @Override
    public Mono<Void> sendMessage(JSONRPCMessage message) {
        return Mono.fromCallable(() -> {
            String line = mapper.writeValueAsString(message);
            OutputStream out = client.getOutputStream();
            synchronized (this) {
                requests.add(line);
                out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
                out.flush();
            }
            return null;
        });
    }

    @Override
    public <T> T unmarshalFrom(Object data, TypeRef<T> type) {
        return mapper.convertValue(data, type);
    }

    @Override
    public Mono<Void> closeGracefully() {
        return Mono.fromRunnable(() -> {
            try {
                client.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            server.close();
        });
    }
}
