package dev.sluice.cli.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a gateway does about its sessions when it ends. */
final class GatewayEndTest {

    @TempDir
    private Path temp;

    /** One after the other, each would wait in vain for the next and be killed; many would keep the gateway for minutes. */
    @Test
    void sessions_areAllEndedAtOnce() throws IOException, InterruptedException {
        Path folder = Files.createDirectory(temp.resolve("said"));
        List<String> server = Interop.java(MeetingServer.class, folder.toString());
        try (HttpServer gateway = HttpServer.gateway(HttpServer.freely(Map.of("meeting", server)), temp);
                HttpClient client = HttpClient.newHttpClient()) {
            open(client, gateway);
            open(client, gateway);
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(Interop.HANG_SECONDS);
            while (MeetingServer.count(folder, MeetingServer.READY) < 2) {
                assertTrue(System.nanoTime() < end, "both servers are in use");
                Thread.sleep(20);
            }
        }
        assertEquals(2, MeetingServer.count(folder, MeetingServer.MET));
    }

    private static void open(HttpClient client, HttpServer gateway) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(gateway.address())
                .header("Content-Type", "application/json")
                .header("Accept", "application/json, text/event-stream");
        HttpResponse<String> opened = client.send(
                request.POST(
                                HttpRequest.BodyPublishers.ofString(
                                        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
                                                + "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}"))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        assertEquals(200, opened.statusCode(), opened.body());
        HttpResponse<String> told = client.send(
                request.header(
                                "Mcp-Session-Id",
                                opened.headers().firstValue("Mcp-Session-Id").orElseThrow())
                        .POST(HttpRequest.BodyPublishers.ofString(
                                "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        assertEquals(202, told.statusCode(), told.body());
    }
}
