package dev.sluice.cli;

import dev.sluice.gateway.Inventory;
import dev.sluice.gateway.Log;
import dev.sluice.gateway.Servers;
import dev.sluice.gateway.State;
import dev.sluice.policy.PolicyParser;
import dev.sluice.policy.ServerPolicy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Drafts a policy for a server, from what the server has. */
@Command(
        name = "init",
        mixinStandardHelpOptions = true,
        header = "Draft a policy for a server.",
        description = {
            "",
            "Starts the server, asks it what it has, ends it, and writes a policy with a",
            "comment on each line: what is known of each tool and from where, what you may",
            "want to say of it, and the definitions pinned as they are now. As it is written",
            "it allows nothing that would not be allowed without it. No tool is called.",
            ""
        },
        footer = {
            "",
            "Example:",
            "  sluice init --output sluice.yaml -- \\",
            "    npx -y @modelcontextprotocol/server-filesystem /srv/notes"
        })
final class InitCommand implements Callable<Integer> {

    @Mixin
    private InventoryOptions waiting = new InventoryOptions();

    @Option(
            names = "--output",
            paramLabel = "<file>",
            description = "Where to write it; default: standard output. A file that is there stays as it is.")
    private @Nullable Path output;

    @Option(names = "--force", description = "Write over the file that is there.")
    private boolean force;

    @Option(
            names = "--name",
            paramLabel = "<name>",
            description = "How the policy calls the server; default: the telling word of its command.")
    private @Nullable String name;

    @Parameters(arity = "1..*", paramLabel = "<command>", description = "The server's command, after --.")
    private List<String> command = new ArrayList<>();

    @Override
    public Integer call() throws IOException {
        demandPlace();
        String called = name != null ? name : Servers.word(command);
        Inventory inventory = Inventory.take(ServerPolicy.unstated(called, command), waiting.patience(), Log.stderr());
        String draft = PolicyDraft.of(called, command, inventory);
        var checked = PolicyParser.parse("the draft", draft);
        if (output == null) {
            new Output().line(draft.stripTrailing());
            return 0;
        }
        boolean replaced = Files.exists(output);
        if (replaced) {
            Files.writeString(output, draft);
        } else {
            Files.writeString(output, draft, StandardOpenOption.CREATE_NEW);
        }
        Output.aside((replaced ? "replaced `" : "wrote `") + output + "`, a policy for `"
                + String.join("`, `", checked.servers().keySet()) + "`; read it, then use it with `--policy`");
        return 0;
    }

    private void demandPlace() {
        if (output == null) {
            return;
        }
        if (Files.exists(output) && !force) {
            throw new Main.CommandFailure(
                    "`" + output + "` is there already; name another `--output`, or write over it with `--force`");
        }
        Optional<String> exposed = State.exposed(output, command);
        if (exposed.isPresent()) {
            throw new Main.CommandFailure(
                    exposed.get() + ", so the server could change it; put it elsewhere with `--output`");
        }
    }
}
