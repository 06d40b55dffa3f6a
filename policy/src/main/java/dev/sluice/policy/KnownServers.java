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
import java.util.function.Function;

/**
 * The profiles that ship with Sluice, for servers that many people use.
 *
 * <p>They were written from what the tools do, not from what the servers say of themselves, and they apply by the command
 * that the operator wrote, never by the name that a server gives itself. What the operator says of a tool goes before.
 */
public final class KnownServers {

    /**
     * How a server is known.
     *
     * @param npm its package; empty for none
     * @param image its container image, without version; empty for none
     * @param program what it is called where it is installed
     */
    private record Marks(String npm, String image, String program) {

        static Marks reference(String name) {
            return new Marks("@modelcontextprotocol/" + name, "", "mcp-" + name);
        }
    }

    private static final Map<String, Marks> SHIPPED = new TreeMap<>(Map.of(
            "server-filesystem", Marks.reference("server-filesystem"),
            "server-memory", Marks.reference("server-memory"),
            "server-everything", Marks.reference("server-everything"),
            "server-github", Marks.reference("server-github"),
            "github-mcp-server", new Marks("", "ghcr.io/github/github-mcp-server", "github-mcp-server")));

    private static final Map<String, Map<String, ToolStatement>> LOADED = new ConcurrentHashMap<>();

    private KnownServers() {}

    /** Returns the names of all shipped profiles. */
    public static Set<String> names() {
        return SHIPPED.keySet();
    }

    /**
     * Returns the shipped profile for a server that is started by {@code command}.
     *
     * <p>A server is known by its package as a runner such as {@code npx} is told it, by a file of that package, by its
     * image, or by the name of its program; never by a word that merely looks like it, an argument of another server, or
     * a package or image of the same name by somebody else.
     */
    public static Optional<String> find(List<String> command) {
        return CommandLines.resolve(
                command,
                npm -> by(Marks::npm, npm),
                image -> by(Marks::image, image),
                program -> by(Marks::program, program));
    }

    private static Optional<String> by(Function<Marks, String> mark, String value) {
        return SHIPPED.entrySet().stream()
                .filter(each -> !value.isEmpty() && mark.apply(each.getValue()).equals(value))
                .map(Map.Entry::getKey)
                .findFirst();
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
