package dev.sluice.policy;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * What a command starts: a package of the npm registry, a container image, or a program.
 *
 * <p>It answers only where it is sure. A runner's option that it does not know may take the next word with it, or run
 * something else altogether, so then it answers nothing; and what comes after the word that counts is the server's own
 * business.
 */
final class CommandLines {

    private static final Pattern NPM_OPTION =
            Pattern.compile("-y|-q|--|--(yes|quiet|silent|no|no-install|prefer-offline|prefer-online|offline|bun)");
    private static final Pattern NODE_OPTION = Pattern.compile(
            "--(no-warnings|no-deprecation|enable-source-maps|trace-warnings|max-old-space-size=[0-9]+|max-old-space-size-percentage=[0-9]+)");
    private static final Pattern CONTAINER_FLAG =
            Pattern.compile("-[itdq]+|--(interactive|tty|rm|init|detach|quiet|read-only)|--[a-z-]+=.*");
    private static final Set<String> CONTAINER_OPTIONS_WITH_VALUE = Set.of(
            "-e",
            "--env",
            "--env-file",
            "-v",
            "--volume",
            "--mount",
            "--name",
            "--network",
            "--net",
            "-p",
            "--publish",
            "-w",
            "--workdir",
            "-u",
            "--user",
            "--platform",
            "-l",
            "--label",
            "-h",
            "--hostname",
            "--pull",
            "-m",
            "--memory",
            "--cpus",
            "--add-host",
            "--dns");

    /** A version or a tag, and no alias, address or file that stands in for another package. */
    private static final Pattern NPM_VERSION = Pattern.compile("[0-9A-Za-z.^~+_-]+");

    private static final Pattern IMAGE_VERSION = Pattern.compile("(:[A-Za-z0-9_.-]+)?(@sha256:[0-9a-f]{64})?");

    private CommandLines() {}

    /**
     * Asks whoever knows what the command starts.
     *
     * @param npm knows packages by their full names
     * @param image knows images by registry and path, without version
     * @param program knows programs by their names, without folder and {@code .exe} or {@code .cmd}
     */
    static Optional<String> resolve(
            List<String> command,
            Function<String, Optional<String>> npm,
            Function<String, Optional<String>> image,
            Function<String, Optional<String>> program) {
        if (command.isEmpty()) {
            return Optional.empty();
        }
        String name = program(command.get(0));
        List<String> rest = command.subList(1, command.size());
        return switch (name) {
            case "env" -> resolve(after(rest, Pattern.compile("-i|[A-Za-z_][A-Za-z0-9_]*=.*")), npm, image, program);
            case "cmd" ->
                rest.isEmpty() || !rest.get(0).equalsIgnoreCase("/c")
                        ? Optional.empty()
                        : resolve(rest.subList(1, rest.size()), npm, image, program);
            case "npx", "bunx" -> npmPackage(rest).flatMap(npm);
            case "npm" ->
                verb(rest, "exec", "x").flatMap(CommandLines::npmPackage).flatMap(npm);
            case "pnpm", "yarn" ->
                verb(rest, "dlx").flatMap(CommandLines::npmPackage).flatMap(npm);
            case "node" -> script(rest, npm, program);
            case "bun" ->
                verb(rest, "x").isPresent()
                        ? verb(rest, "x").flatMap(CommandLines::npmPackage).flatMap(npm)
                        : script(verb(rest, "run").orElse(rest), npm, program);
            case "docker", "podman" ->
                verb(rest, "run").flatMap(CommandLines::image).flatMap(image);
            default -> program.apply(name);
        };
    }

    private static Optional<List<String>> verb(List<String> words, String... verbs) {
        return !words.isEmpty() && List.of(verbs).contains(words.get(0))
                ? Optional.of(words.subList(1, words.size()))
                : Optional.empty();
    }

    private static List<String> after(List<String> words, Pattern skipped) {
        int i = 0;
        while (i < words.size() && skipped.matcher(words.get(i)).matches()) {
            i++;
        }
        return words.subList(i, words.size());
    }

    private static Optional<String> npmPackage(List<String> words) {
        List<String> rest = after(words, NPM_OPTION);
        if (rest.isEmpty()) {
            return Optional.empty();
        }
        String word = rest.get(0);
        int at = word.indexOf('@', 1);
        if (at < 0) {
            return Optional.of(word);
        }
        return NPM_VERSION.matcher(word.substring(at + 1)).matches()
                ? Optional.of(word.substring(0, at))
                : Optional.empty();
    }

    /** A script counts by the package that it is a file of, or by its name where it stands among the linked programs. */
    private static Optional<String> script(
            List<String> words, Function<String, Optional<String>> npm, Function<String, Optional<String>> program) {
        List<String> rest = after(words, NODE_OPTION);
        if (rest.isEmpty() || rest.get(0).startsWith("-")) {
            return Optional.empty();
        }
        String path = "/" + rest.get(0).replace('\\', '/');
        String modules = "/node_modules/";
        int at = path.lastIndexOf(modules);
        if (at < 0 || path.substring(at).contains("/../")) {
            return Optional.empty();
        }
        String inside = path.substring(at + modules.length());
        if (inside.startsWith(".bin/")) {
            return program.apply(program(inside));
        }
        String[] folders = inside.split("/", -1);
        return npm.apply(folders[0].startsWith("@") && folders.length > 1 ? folders[0] + "/" + folders[1] : folders[0]);
    }

    private static Optional<String> image(List<String> words) {
        int i = 0;
        while (i < words.size() && words.get(i).startsWith("-")) {
            String option = words.get(i);
            if (option.startsWith("--entrypoint")) {
                return Optional.empty();
            }
            if (CONTAINER_OPTIONS_WITH_VALUE.contains(option)) {
                i += 2;
            } else if (CONTAINER_FLAG.matcher(option).matches()) {
                i++;
            } else {
                return Optional.empty();
            }
        }
        if (i >= words.size()) {
            return Optional.empty();
        }
        String word = words.get(i);
        int version = word.replaceFirst("@.*", "").lastIndexOf(':');
        int end = version > word.lastIndexOf('/', word.indexOf('@') < 0 ? word.length() : word.indexOf('@'))
                ? version
                : word.indexOf('@') < 0 ? word.length() : word.indexOf('@');
        return IMAGE_VERSION.matcher(word.substring(end)).matches()
                ? Optional.of(word.substring(0, end))
                : Optional.empty();
    }

    private static String program(String word) {
        String path = word.replace('\\', '/');
        return path.substring(path.lastIndexOf('/') + 1)
                .toLowerCase(Locale.ROOT)
                .replaceFirst("\\.(exe|cmd)$", "");
    }
}
