package dev.sluice.examples.mail;

import io.modelcontextprotocol.json.jackson3.JacksonMcpJsonMapper;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpSyncServer;
import io.modelcontextprotocol.spec.McpSchema.ServerCapabilities;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Clock;
import tools.jackson.databind.json.JsonMapper;

/**
 * The mail server: speaks MCP on standard input and output, logs to standard error, ends when standard input does.
 *
 * <p>Exit codes: 0 when the input has ended or help was asked for, 1 when the outbox file cannot be written or the client
 * does not read on, 2 when the command line is wrong.
 */
public final class MailServer {

    private static final String USAGE = """
            usage: mail-server [--outbox <file>]

            Speaks MCP on standard input and output.

              --outbox <file>  append each mail that is sent to this file, one JSON object a line
              --help           print this
            """;

    private MailServer() {}

    /** Runs the server; the process ends with it. */
    public static void main(String[] args) throws IOException {
        // Not System.out, which keeps it to itself when nobody reads on.
        OutputStream out = new FileOutputStream(FileDescriptor.out);
        // Whatever prints from here on must not get between two protocol messages.
        System.setOut(System.err);
        // The SDK's schedulers keep threads, so the process does not end by itself.
        System.exit(run(args, System.in, out, System.err));
    }

    /** Runs the server on the given streams and returns the exit code. */
    static int run(String[] args, InputStream in, OutputStream out, PrintStream log) throws IOException {
        if (args.length == 1 && args[0].equals("--help")) {
            log.print(USAGE);
            return 0;
        }
        if (args.length != 0 && !(args.length == 2 && args[0].equals("--outbox"))) {
            log.println("mail-server: cannot read the arguments `" + String.join(" ", args) + "`");
            log.print(USAGE);
            return 2;
        }
        JsonMapper mapper = JsonMapper.shared();
        Outbox outbox;
        try {
            outbox = new Outbox(mapper, args.length == 0 ? null : Path.of(args[1]));
        } catch (IOException | InvalidPathException e) {
            log.println("mail-server: cannot write the outbox `" + args[1]
                    + "`: make its folder, or give a file that can be written");
            return 1;
        }
        StdioTransport transport = new StdioTransport(new JacksonMcpJsonMapper(mapper), in, out, log);
        McpSyncServer server = McpServer.sync(transport)
                .serverInfo("sluice-mail-server", "0.1.0")
                .capabilities(ServerCapabilities.builder()
                        .tools(false)
                        .extensions(Annotations.extensions())
                        .build())
                // The tools check their arguments themselves and say the mend.
                .validateToolInputs(false)
                .immediateExecution(true)
                .tools(new MailTools(Mailbox.fixture(mapper), outbox, Clock.systemUTC(), mapper).all())
                .build();
        try {
            transport.serve();
        } catch (IOException e) {
            log.println(
                    "mail-server: the client is gone without closing the server's input: nothing is left to answer");
            return 1;
        } finally {
            server.close();
        }
        return 0;
    }
}
