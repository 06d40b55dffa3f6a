package dev.sluice.examples.forge;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * A forge in a folder: {@code forge.json} with what belongs to no repository, and a file {@code <owner>/<name>.json} for each
 * repository. Changes stay in memory. Safe for use by several threads.
 */
final class Fixture {

    private final ObjectNode forge;
    private final Map<String, ObjectNode> repositories = new TreeMap<>();

    private Fixture(ObjectNode forge) {
        this.forge = forge;
    }

    /**
     * Reads a folder.
     *
     * @throws UncheckedIOException where that fails
     */
    static Fixture read(Path folder) {
        try (Stream<Path> files = Files.walk(folder, 2)) {
            Fixture fixture = new Fixture(object(folder.resolve("forge.json")));
            List<Path> ofRepositories = files.filter(
                            file -> folder.relativize(file).getNameCount() == 2)
                    .filter(file -> file.toString().endsWith(".json"))
                    .toList();
            for (Path file : ofRepositories) {
                ObjectNode repository = object(file);
                fixture.repositories.put(repository.path("name").asString(""), repository);
            }
            return fixture;
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "the forge `" + folder + "` can't be read: give the folder of its JSON files", e);
        }
    }

    private static ObjectNode object(Path file) throws IOException {
        return (ObjectNode) JsonMapper.shared().readTree(Files.readString(file));
    }

    /** Returns what stands under a name and belongs to no repository; a copy. */
    synchronized JsonNode ofForge(String section) {
        return forge.path(section).deepCopy();
    }

    /** Returns a repository by its full name; a copy. */
    synchronized Optional<JsonNode> repository(String name) {
        return Optional.ofNullable(repositories.get(name)).map(ObjectNode::deepCopy);
    }

    /** Returns a project by its number; a copy. */
    synchronized Optional<JsonNode> project(int number) {
        for (JsonNode each : forge.path("projects")) {
            if (each.path("number").asInt(0) == number) {
                return Optional.of(each.deepCopy());
            }
        }
        return Optional.empty();
    }

    /** Returns what of a section of any repository holds {@code word}, each with its repository's name and visibility. */
    synchronized List<Hit> search(String section, String word) {
        List<Hit> hits = new ArrayList<>();
        repositories.forEach((name, repository) -> {
            JsonNode there = section.isEmpty() ? whole(repository) : repository.path(section);
            for (JsonNode each : there) {
                if (each.toString().contains(word)) {
                    hits.add(new Hit(name, visibility(repository), each.deepCopy()));
                }
            }
        });
        return hits;
    }

    private static ArrayNode whole(ObjectNode repository) {
        ArrayNode one = JsonNodeFactory.instance.arrayNode();
        one.addObject()
                .put("name", repository.path("name").asString(""))
                .put("description", repository.path("description").asString(""));
        return one;
    }

    /** Returns who may read a repository; nobody where there is none. */
    synchronized List<String> readers(String name) {
        ObjectNode repository = repositories.get(name);
        List<String> readers = new ArrayList<>();
        if (repository != null) {
            repository.path("collaborators").forEach(each -> readers.add(each.asString("")));
        }
        return readers;
    }

    /** Takes an account off a repository's roster. */
    synchronized void leave(String name, String account) {
        ObjectNode repository = repositories.get(name);
        if (repository != null) {
            ArrayNode others = JsonNodeFactory.instance.arrayNode();
            readers(name).stream().filter(each -> !each.equals(account)).forEach(others::add);
            repository.set("collaborators", others);
        }
    }

    /** Adds a comment; returns whether there is such an issue. */
    synchronized boolean comment(String name, int issue, String text) {
        ObjectNode repository = repositories.get(name);
        if (repository != null) {
            for (JsonNode each : repository.path("issues")) {
                if (each.path("number").asInt(0) == issue && each.path("comments") instanceof ArrayNode comments) {
                    comments.add(text);
                    return true;
                }
            }
        }
        return false;
    }

    /** Whether everybody may see something; empty where that can't be looked up. */
    static Visibility visibility(JsonNode described) {
        return switch (described.path("visibility").asString("")) {
            case "public" -> Visibility.PUBLIC;
            case "private" -> Visibility.PRIVATE;
            default -> Visibility.UNKNOWN;
        };
    }

    /** Who may see something, as far as the forge knows. */
    enum Visibility {
        PUBLIC,
        PRIVATE,
        UNKNOWN
    }

    /**
     * Something found.
     *
     * @param repository the full name of the repository that it is in
     */
    record Hit(String repository, Visibility visibility, JsonNode what) {}
}
