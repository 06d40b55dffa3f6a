package dev.sluice.gateway;

import dev.sluice.wire.canonical.Digest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The program that started this process and holds the conversation: an editor, a desktop app, an agent.
 *
 * <p>It is the first ancestor that only starts others for somebody else: shells, {@code env}, {@code timeout}, {@code sudo},
 * Sluice's own launcher, and {@code npx} and its kind are passed over. So two wrappers under one host share what that host
 * has seen, a wrapper that is started again under it goes on, and another host starts clean. A host that starts again is
 * another one: the key holds when it started and in which boot and process namespace.
 */
public final class HostProcess {

    private static final Set<String> PASSED_OVER = Set.of(
            "sh", "bash", "dash", "ash", "zsh", "fish", "ksh", "mksh", "tcsh", "csh", "busybox", "env", "timeout",
            "sudo", "doas", "nohup", "setsid", "nice", "stdbuf", "sluice", "npm", "npx", "uvx", "uv", "pipx");

    private static final Set<String> INTERPRETERS = Set.of("node", "nodejs", "python", "python3", "bun", "deno");

    private static final Set<String> INSTALLERS =
            Set.of("npm", "npx", "npm-cli.js", "npx-cli.js", "uvx", "uvx.py", "pipx", "pipx.py", "npm-cli", "npx-cli");

    /** What gives orphans a home, and so stands where no host is left. */
    private static final Set<String> INITS = Set.of(
            "systemd",
            "init",
            "tini",
            "dumb-init",
            "docker-init",
            "catatonit",
            "s6-svscan",
            "runit",
            "launchd",
            "bwrap");

    /**
     * One process.
     *
     * @param pid its number
     * @param parent its parent's number; 0 for none
     * @param name the name of its program
     * @param arguments its command line; empty where it can't be read
     * @param started when it started, as the system counts
     */
    record Ancestor(long pid, long parent, String name, List<String> arguments, String started) {}

    /** Where processes are read from. */
    interface Processes {
        Optional<Ancestor> find(long pid);

        /** Returns what tells this system, this boot and this namespace from others. */
        String place();
    }

    private HostProcess() {}

    /** Whom this process works for. */
    public record Host(String key, String display) {}

    /** Returns the host of this process, or empty where nobody is left who started it. */
    public static Optional<Host> find() {
        Processes processes = Files.isReadable(Path.of("/proc/self/stat")) ? new Proc() : new Handles();
        long parent = ProcessHandle.current().parent().map(ProcessHandle::pid).orElse(0L);
        return find(processes, parent);
    }

    static Optional<Host> find(Processes processes, long parent) {
        long pid = parent;
        for (int steps = 0; pid > 0 && steps < 256; steps++) {
            Optional<Ancestor> found = processes.find(pid);
            if (found.isEmpty()) {
                return Optional.empty();
            }
            Ancestor ancestor = found.get();
            if (ancestor.pid() == 1 && INITS.contains(ancestor.name())) {
                return Optional.empty();
            }
            if (!isPassedOver(ancestor)) {
                String text = processes.place() + "\n" + ancestor.pid() + "\n" + ancestor.started();
                String digest =
                        Digest.sha256(text.getBytes(StandardCharsets.UTF_8)).text();
                return Optional.of(new Host(
                        "host:" + digest.substring("sha256:".length()),
                        ancestor.name() + " (process " + ancestor.pid() + ")"));
            }
            pid = ancestor.parent();
        }
        return Optional.empty();
    }

    private static boolean isPassedOver(Ancestor ancestor) {
        if (PASSED_OVER.contains(ancestor.name()) || PASSED_OVER.contains(program(ancestor))) {
            return true;
        }
        String interpreter = ancestor.name().replaceFirst("[0-9.]+$", "");
        if (!INTERPRETERS.contains(ancestor.name()) && !INTERPRETERS.contains(interpreter)) {
            // npm gives itself another title, such as `npm exec server`.
            return ancestor.name().startsWith("npm ") || ancestor.name().startsWith("npx ");
        }
        return ancestor.arguments().stream()
                .skip(1)
                .filter(word -> !word.startsWith("-"))
                .findFirst()
                .filter(script -> INSTALLERS.contains(script.substring(script.lastIndexOf('/') + 1)))
                .isPresent();
    }

    /** The first word of the command line: a login shell calls itself {@code -bash}, and npm sets its own title. */
    private static String program(Ancestor ancestor) {
        if (ancestor.arguments().isEmpty()) {
            return "";
        }
        String word = ancestor.arguments().get(0);
        String name = word.substring(word.lastIndexOf('/') + 1).replaceFirst("^-", "");
        int blank = name.indexOf(' ');
        return blank < 0 ? name : name.substring(0, blank);
    }

    /** Linux. */
    private static final class Proc implements Processes {
        @Override
        public Optional<Ancestor> find(long pid) {
            try {
                String stat = Files.readString(Path.of("/proc/" + pid + "/stat"), StandardCharsets.ISO_8859_1);
                // The name stands in brackets and may hold anything, brackets and blanks too.
                int open = stat.indexOf('(');
                int close = stat.lastIndexOf(')');
                String[] rest = stat.substring(close + 2).split(" ");
                List<String> arguments = new ArrayList<>();
                for (String word : Files.readString(Path.of("/proc/" + pid + "/cmdline"), StandardCharsets.ISO_8859_1)
                        .split("\0")) {
                    arguments.add(word);
                }
                return Optional.of(new Ancestor(
                        pid, Long.parseLong(rest[1]), stat.substring(open + 1, close), arguments, rest[19]));
            } catch (IOException | RuntimeException e) {
                return Optional.empty();
            }
        }

        @Override
        public String place() {
            return read("/proc/sys/kernel/random/boot_id") + "\n" + link("/proc/self/ns/pid");
        }

        private static String read(String file) {
            try {
                return Files.readString(Path.of(file)).strip();
            } catch (IOException e) {
                return "";
            }
        }

        private static String link(String file) {
            try {
                return Files.readSymbolicLink(Path.of(file)).toString();
            } catch (IOException e) {
                return "";
            }
        }
    }

    /** Any other system. */
    private static final class Handles implements Processes {
        @Override
        public Optional<Ancestor> find(long pid) {
            return ProcessHandle.of(pid).map(process -> {
                String command = process.info().command().orElse("");
                String name = command.substring(Math.max(command.lastIndexOf('/'), command.lastIndexOf('\\')) + 1)
                        .replaceFirst("\\.exe$", "");
                List<String> arguments = new ArrayList<>(List.of(command));
                process.info().arguments().ifPresent(words -> arguments.addAll(List.of(words)));
                return new Ancestor(
                        pid,
                        process.parent().map(ProcessHandle::pid).orElse(0L),
                        name,
                        arguments,
                        process.info().startInstant().map(Object::toString).orElse(""));
            });
        }

        @Override
        public String place() {
            return System.getProperty("os.name", "");
        }
    }
}
