package dev.sluice.cli;

import dev.sluice.wire.canonical.Digest;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tools.jackson.databind.node.JsonNodeFactory;

/** Makes a token for somebody who calls a gateway. */
@Command(
        name = "token",
        mixinStandardHelpOptions = true,
        header = "Make a token for a caller of `sluice gateway`, and its digest for the policy.",
        description = {
            "",
            "Prints a random token, which is kept nowhere: give it to the caller. The digest",
            "goes into the policy, under `gateway`, `auth`, `tokens`, as `sha256`.",
            ""
        },
        footer = {"", "Example:", "  sluice token"})
final class TokenCommand implements Callable<Integer> {

    private static final int BYTES = 32;

    @Mixin
    private Output out = new Output();

    @Override
    public Integer call() {
        byte[] random = new byte[BYTES];
        new SecureRandom().nextBytes(random);
        String token = "sluice_" + Base64.getUrlEncoder().withoutPadding().encodeToString(random);
        String digest =
                Digest.sha256(token.getBytes(StandardCharsets.UTF_8)).text().substring("sha256:".length());
        if (out.isJson()) {
            out.line(JsonNodeFactory.instance.objectNode().put("token", token).put("sha256", digest));
        } else {
            out.line("token:  " + token);
            out.line("sha256: " + digest);
        }
        return 0;
    }
}
