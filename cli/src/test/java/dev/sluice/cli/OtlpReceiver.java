package dev.sluice.cli;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A collector that keeps the spans that are posted to it.
 *
 * <p>Source: opentelemetry-proto, trace/v1/trace.proto and common/v1/common.proto; Protocol Buffers, Encoding.
 */
final class OtlpReceiver implements AutoCloseable {

    /** A span; {@code events} are their names and attributes. */
    record Span(
            String trace,
            String id,
            String parent,
            String name,
            long kind,
            Map<String, String> values,
            List<String> events,
            boolean failed) {}

    private final HttpServer server;
    private final List<byte[]> bodies = new CopyOnWriteArrayList<>();
    final List<String> headers = new CopyOnWriteArrayList<>();
    volatile int status = 200;

    OtlpReceiver() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/v1/traces", exchange -> {
            bodies.add(exchange.getRequestBody().readAllBytes());
            headers.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
            exchange.getResponseHeaders().set("Content-Type", "application/x-protobuf");
            byte[] answer = status == 200 ? new byte[0] : "obey mallory".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, answer.length == 0 ? -1 : answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
    }

    String address() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** Returns all that came, as text in which every byte is a character. */
    String raw() {
        StringBuilder all = new StringBuilder();
        bodies.forEach(body -> all.append(new String(body, StandardCharsets.ISO_8859_1)));
        return all.toString();
    }

    List<Span> spans() {
        List<Span> spans = new ArrayList<>();
        for (byte[] body : bodies) {
            for (Object resource : fields(body).getOrDefault(1, List.of())) {
                for (Object scope : fields((byte[]) resource).getOrDefault(2, List.of())) {
                    fields((byte[]) scope).getOrDefault(2, List.of()).forEach(span -> spans.add(span((byte[]) span)));
                }
            }
        }
        return spans;
    }

    private static Span span(byte[] bytes) {
        Map<Integer, List<Object>> span = fields(bytes);
        List<String> events = new ArrayList<>();
        for (Object each : span.getOrDefault(11, List.of())) {
            Map<Integer, List<Object>> event = fields((byte[]) each);
            events.add(text(event, 2) + attributes(event, 3));
        }
        boolean failed = span.containsKey(15)
                && fields((byte[]) span.get(15).get(0))
                        .getOrDefault(3, List.of(0L))
                        .get(0)
                        .equals(2L);
        return new Span(
                hex(span, 1),
                hex(span, 2),
                hex(span, 4),
                text(span, 5),
                (Long) span.get(6).get(0),
                attributes(span, 9),
                events,
                failed);
    }

    private static Map<String, String> attributes(Map<Integer, List<Object>> holder, int field) {
        Map<String, String> attributes = new TreeMap<>();
        for (Object each : holder.getOrDefault(field, List.of())) {
            Map<Integer, List<Object>> pair = fields((byte[]) each);
            attributes.put(text(pair, 1), value((byte[]) pair.get(2).get(0)));
        }
        return attributes;
    }

    private static String value(byte[] any) {
        Map<Integer, List<Object>> value = fields(any);
        if (!value.containsKey(5)) {
            return text(value, 1);
        }
        return fields((byte[]) value.get(5).get(0)).getOrDefault(1, List.of()).stream()
                .map(each -> value((byte[]) each))
                .toList()
                .toString();
    }

    private static String text(Map<Integer, List<Object>> holder, int field) {
        return holder.containsKey(field) ? new String((byte[]) holder.get(field).get(0), StandardCharsets.UTF_8) : "";
    }

    private static String hex(Map<Integer, List<Object>> holder, int field) {
        return holder.containsKey(field)
                ? HexFormat.of().formatHex((byte[]) holder.get(field).get(0))
                : "";
    }

    /** Returns the fields of a message by their numbers: numbers as Long, all else as bytes. */
    private static Map<Integer, List<Object>> fields(byte[] message) {
        Map<Integer, List<Object>> fields = new TreeMap<>();
        ByteBuffer in = ByteBuffer.wrap(message).order(ByteOrder.LITTLE_ENDIAN);
        while (in.hasRemaining()) {
            long tag = number(in);
            Object value = switch ((int) (tag & 7)) {
                case 0 -> number(in);
                case 1 -> in.getLong();
                case 2 -> {
                    byte[] bytes = new byte[(int) number(in)];
                    in.get(bytes);
                    yield bytes;
                }
                case 5 -> (long) in.getInt();
                default -> throw new IllegalStateException("no wire type of protocol buffers: " + tag);
            };
            fields.computeIfAbsent((int) (tag >>> 3), absent -> new ArrayList<>())
                    .add(value);
        }
        return fields;
    }

    private static long number(ByteBuffer in) {
        long number = 0;
        for (int shift = 0; ; shift += 7) {
            byte b = in.get();
            number |= (long) (b & 0x7f) << shift;
            if (b >= 0) {
                return number;
            }
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
