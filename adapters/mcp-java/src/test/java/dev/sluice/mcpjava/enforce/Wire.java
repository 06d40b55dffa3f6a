package dev.sluice.mcpjava.enforce;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** Two ends of a connection on this machine. */
record Wire(Socket client, Socket server) implements AutoCloseable {

    static Wire open() {
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Socket client = new Socket(InetAddress.getLoopbackAddress(), listening.getLocalPort());
            return new Wire(client, listening.accept());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        try {
            client.close();
            server.close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
