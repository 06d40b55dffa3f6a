package dev.sluice.gateway;

import dev.sluice.policy.Policy;
import dev.sluice.policy.PolicyException;
import dev.sluice.policy.ServerPolicy;
import dev.sluice.wire.canonical.Digest;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** Which entry of a policy is about which command, and how a server is called that no entry names. */
public final class Servers {

    private Servers() {}

    /**
     * Returns what {@code policy} says of the server that {@code command} starts: the entry with that command, else the
     * only entry, else nothing.
     *
     * @throws PolicyException where several entries could be meant
     */
    public static ServerPolicy of(Policy policy, List<String> command) {
        List<ServerPolicy> all = List.copyOf(policy.servers().values());
        for (ServerPolicy each : all) {
            if (each.command().equals(command)) {
                return each;
            }
        }
        if (all.isEmpty() || policy.isFirstUse()) {
            String name = name(command, Path.of(""));
            ServerPolicy said = policy.servers().get(name);
            return said != null ? said.startedBy(command) : ServerPolicy.unstated(name, command);
        }
        if (all.size() == 1) {
            return all.get(0).startedBy(command);
        }
        throw new PolicyException(
                List.of(
                        new PolicyException.Problem(
                                policy.source(),
                                0,
                                "none of its servers has the `command` that is wrapped here; write that command into the entry that is meant")));
    }

    /**
     * Returns what {@code policy} says of the server at {@code url}: the entry with that address, else the only entry, else
     * nothing.
     *
     * @throws PolicyException where several entries could be meant
     */
    public static ServerPolicy at(Policy policy, String url) {
        List<ServerPolicy> all = List.copyOf(policy.servers().values());
        for (ServerPolicy each : all) {
            if (each.line().url().equals(url)) {
                return each;
            }
        }
        if (all.isEmpty() || policy.isFirstUse()) {
            String name = name(url);
            ServerPolicy said = policy.servers().get(name);
            return (said != null ? said : ServerPolicy.unstated(name, List.of())).reachedAt(url);
        }
        if (all.size() == 1) {
            return all.get(0).reachedAt(url);
        }
        throw new PolicyException(
                List.of(
                        new PolicyException.Problem(
                                policy.source(),
                                0,
                                "none of its servers has the `url` that is wrapped here; write that address into the entry that is meant")));
    }

    /** Returns a name for the server at {@code url}: its host, and a digest of the whole address. */
    static String name(String url) {
        String digest =
                Digest.sha256(url.getBytes(StandardCharsets.UTF_8)).text().substring(7, 15);
        String host = String.valueOf(URI.create(url).getHost()).replaceAll("[^A-Za-z0-9]+", "-");
        String word = host.substring(0, Math.min(30, host.length())).replaceAll("^-+|-+$", "");
        return (word.isEmpty() ? "server" : word) + "-" + digest;
    }

    /**
     * Returns a name for the server that {@code command} starts: its {@linkplain #word telling word}, and a digest of the
     * whole command and the folder that it is started in: {@code node server.js} in two folders is two servers, which must
     * never share a name, and the same server must always have the same one.
     */
    static String name(List<String> command, Path folder) {
        String place = folder.toAbsolutePath().normalize() + "\0" + String.join("\0", command);
        String digest = Digest.sha256(place.getBytes(StandardCharsets.UTF_8)).text();
        return word(command) + "-" + digest.substring(7, 15);
    }

    /** Returns the word of a command that tells which server it starts, as a policy can have it for a name. */
    public static String word(List<String> command) {
        String telling = "server";
        for (String word : command) {
            if (word.startsWith("-") || word.contains("=")) {
                continue;
            }
            String path = word.replace('\\', '/').replaceFirst("/(dist|build|bin|src)/[^/]*$", "");
            String last = path.substring(path.lastIndexOf('/') + 1)
                    .replaceFirst("(?<=.)@[^@]*$", "")
                    .replaceFirst("\\.(js|mjs|cjs|py|jar|exe)$", "")
                    .replaceAll("[^A-Za-z0-9-]", "-");
            if (last.contains("server") || last.contains("mcp")) {
                telling = last;
                break;
            }
            if (telling.equals("server")
                    && !last.matches("npx|node|java|python3?|uvx?|docker|bunx?|env|sh|bash|exec|run")) {
                telling = last;
            }
        }
        telling = telling.substring(0, Math.min(30, telling.length())).replaceAll("^-+|-+$", "");
        return telling.isEmpty() ? "server" : telling;
    }
}
