package dev.sluice.gateway.proxy;

import dev.sluice.gateway.transport.UpstreamLink;
import dev.sluice.policy.ServerPolicy;
import java.util.function.Supplier;

/**
 * One server that a session can have a line to.
 *
 * @param policy what the operator says of it
 * @param links makes a new line to it
 */
public record Server(ServerPolicy policy, Supplier<UpstreamLink> links) {

    UpstreamLink link() {
        return links.get();
    }
}
