package dev.sluice.gateway.transport;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.concurrent.locks.ReentrantLock;

/** The client that started this process and speaks over its standard input and output. */
public final class StdioClient implements ClientSide {

    private final OutputStream out;
    private final ReentrantLock writing = new ReentrantLock();

    public StdioClient(OutputStream out) {
        this.out = out;
    }

    @Override
    public void answer(byte[] message, String request) {
        send(message, request);
    }

    @Override
    public boolean send(byte[] message, String request) {
        writing.lock();
        try {
            out.write(MessageLines.oneLine(message));
            out.write('\n');
            out.flush();
            return true;
        } catch (IOException e) {
            throw new UncheckedIOException("the client closed its end", e);
        } finally {
            writing.unlock();
        }
    }

    @Override
    public void finish(String request) {}
}
