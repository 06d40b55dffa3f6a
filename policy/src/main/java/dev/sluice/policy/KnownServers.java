package dev.sluice.policy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The profiles that ship with Sluice, for servers that many people use.
 *
 * <p>They were written from what the tools do, not from what the servers say of themselves, and they apply by the command
 * that the operator wrote, never by the name that a server gives itself. What the operator says of a tool goes before.
 */
public final class KnownServers {

    /** Each shipped profile, and the paths that end or stand inside the word of a command that means its server. */
    private static final Map<String, List<String>> SHIPPED = new TreeMap<>(Map.of(
            "server-filesystem", List.of("@modelcontextprotocol/server-filesystem", "mcp-server-filesystem"),
            "server-memory", List.of("@modelcontextprotocol/server-memory", "mcp-server-memory"),
            "server-everything", List.of("@modelcontextprotocol/server-everything", "mcp-server-everything"),
            "server-github", List.of("@modelcontextprotocol/server-github", "mcp-server-github"),
            "github-mcp-server", List.of("github/github-mcp-server", "github-mcp-server")));

    /** Programs that run another one: the word that counts comes after them and their options. */
    private static final Set<String> RUNNERS = Set.of(
            "npx", "npm", "exec", "node", "bun", "bunx", "deno", "pnpm", "yarn", "dlx", "env", "docker", "podman",
            "run");

    private static final Map<String, Map<String, ToolStatement>> LOADED = new ConcurrentHashMap<>();

    private KnownServers() {}

    /** Returns the names of all shipped profiles. */
    public static Set<String> names() {
        return SHIPPED.keySet();
    }

    /**
     * Returns the shipped profile for a server that is started by {@code command}.
     *
     * <p>The word that counts is the program, or what a runner such as {@code npx} is to run. It means a known server where
     * that server's package, with or without a version, is the word, or a folder on the path that the word is:
     * {@code server-filesystem-fork} is another server, and so is the package of another scope. What comes after that word
     * is the server's own business.
     */
    public static Optional<String> find(List<String> command) {
        for (String word : command) {
            String path = "/" + word.replace('\\', '/').replaceFirst("(?<=[^/])[@:][^/]*$", "") + "/";
            for (Map.Entry<String, List<String>> shipped : SHIPPED.entrySet()) {
                if (shipped.getValue().stream()
                        .anyMatch(name -> path.replace(".exe/", "/").contains("/" + name + "/"))) {
                    return Optional.of(shipped.getKey());
                }
            }
            String program = path.substring(path.lastIndexOf('/', path.length() - 2) + 1, path.length() - 1);
            boolean option = word.startsWith("-") || isVariable(word);
            if (!option && !RUNNERS.contains(program)) {
                return Optional.empty();
            }
        }
        return Optional.empty();
    }

    /** Whether the word sets or names an environment variable, as after {@code env} or {@code docker run -e}. */
    private static boolean isVariable(String word) {
        return word.matches("[A-Za-z_][A-Za-z0-9_]*=.*|[A-Z_][A-Z0-9_]*");
    }

    /** Returns what the profile {@code name} says of each tool; nothing where no such profile ships. */
    public static Map<String, ToolStatement> tools(String name) {
        return SHIPPED.containsKey(name) ? LOADED.computeIfAbsent(name, KnownServers::load) : Map.of();
    }

    private static Map<String, ToolStatement> load(String name) {
        String file = "known/" + name + ".yaml";
        try (InputStream in = KnownServers.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException("the shipped profile `" + file + "` is missing; install sluice anew");
            }
            return Map.copyOf(PolicyParser.tools(file, new String(in.readAllBytes(), StandardCharsets.UTF_8)));
        } catch (IOException e) {
            throw new IllegalStateException("the shipped profile `" + file + "` can't be read; install sluice anew", e);
        }
    }
}
