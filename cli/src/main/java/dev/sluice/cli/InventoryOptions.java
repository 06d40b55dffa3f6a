package dev.sluice.cli;

import dev.sluice.gateway.Inventory;
import java.time.Duration;
import picocli.CommandLine.Option;

/** How a command asks a server what it has. */
final class InventoryOptions {

    @Option(
            names = "--timeout",
            paramLabel = "<seconds>",
            description = "How long to wait for each answer of a server; default ${DEFAULT-VALUE}.")
    private long seconds = Inventory.PATIENCE.toSeconds();

    Duration patience() {
        if (seconds < 1 || seconds > 3600) {
            throw new Main.InputFailure("`--timeout` must be from 1 to 3600");
        }
        return Duration.ofSeconds(seconds);
    }
}
