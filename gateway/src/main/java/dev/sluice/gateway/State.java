package dev.sluice.gateway;

import dev.sluice.guard.client.GivenFolders;
import dev.sluice.store.AuditChain;
import dev.sluice.store.Engine;
import dev.sluice.store.StoreException;
import dev.sluice.store.sqlite.SqliteEngine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The folder in which Sluice keeps what must outlive it: labels and audit log, the approver's secret, and what the owner
 * said of tools with {@code sluice classify}.
 *
 * <p>Only the owner may read it. The secret is what tells a person from an agent that can run commands: every command that
 * loosens anything asks for it.
 */
public final class State implements AutoCloseable {

    private static final String DATABASE = "state.db";
    private static final String SECRET = "approver-secret";
    private static final String HOST_TOKEN = "host-token";
    private static final String CLASSIFIED = "classified.yaml";

    private final Path folder;
    private final Engine engine;

    private State(Path folder, Engine engine) {
        this.folder = folder;
        this.engine = engine;
    }

    /** Returns the folder that is used where none is named: {@code $XDG_STATE_HOME/sluice}, or its usual place. */
    public static Path usualFolder() {
        String state = System.getenv("XDG_STATE_HOME");
        return state != null && !state.isBlank()
                ? Path.of(state, "sluice")
                : Path.of(System.getProperty("user.home", "."), ".local", "state", "sluice");
    }

    /**
     * Opens the state in {@code folder}, and makes it where there is none.
     *
     * @throws StoreException where it can't be read or written; the message says the mend
     */
    public static State open(Path folder) {
        try {
            makeFolder(folder);
            State state = new State(folder, SqliteEngine.open(folder.resolve(DATABASE), SqliteEngine.Options.DEFAULT));
            state.secret(SECRET);
            state.secret(HOST_TOKEN);
            return state;
        } catch (IOException e) {
            throw new StoreException("the state folder `" + folder + "` can't be used; name another with `--state`", e);
        }
    }

    private static void makeFolder(Path folder) throws IOException {
        if (Files.isDirectory(folder)) {
            return;
        }
        Path parent = folder.toAbsolutePath().getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        try {
            if (isPosix(folder)) {
                Files.createDirectory(
                        folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            } else {
                Files.createDirectory(folder);
            }
        } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(folder)) {
                throw e; // another process may make it at the same moment, a file is no folder
            }
        }
    }

    private static boolean isPosix(Path path) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix");
    }

    /** Returns labels, audit log and pins. */
    public Engine engine() {
        return engine;
    }

    /** Returns what a check of the audit log in {@code folder} finds; changes nothing there. */
    public static AuditChain.Outcome verifyAudit(Path folder) {
        return SqliteEngine.verifyAudit(folder.resolve(DATABASE));
    }

    /** Returns the file of the database. */
    public static Path database(Path folder) {
        return folder.resolve(DATABASE);
    }

    /** Returns the file in which the owner's word on tools is kept. */
    public static Path classified(Path folder) {
        return folder.resolve(CLASSIFIED);
    }

    /** Returns where the approver's secret is kept. */
    public Path secretFile() {
        return folder.resolve(SECRET);
    }

    /**
     * Returns the secret, to be shown to the person at the terminal and to nobody else.
     *
     * @throws StoreException where it can't be read
     */
    public String secretText() {
        try {
            return Files.readString(secretFile()).strip();
        } catch (IOException e) {
            throw new StoreException("the approver's secret in `" + secretFile() + "` can't be read", e);
        }
    }

    /** Returns where the token is kept with which a host says what its user typed. */
    public Path hostTokenFile() {
        return folder.resolve(HOST_TOKEN);
    }

    /** Makes a secret at the first start: 20 bytes from the system's random source. */
    private void secret(String name) throws IOException {
        Path file = folder.resolve(name);
        if (Files.exists(file)) {
            return;
        }
        byte[] random = new byte[20];
        new SecureRandom().nextBytes(random);
        Path fresh = Files.createTempFile(folder, name, ".new"); // mode 600
        try {
            Files.writeString(fresh, HexFormat.of().formatHex(random) + "\n", StandardOpenOption.TRUNCATE_EXISTING);
            Files.createLink(file, fresh); // fails where another process was first, whose secret then stands
        } catch (FileAlreadyExistsException e) {
            // theirs stands
        } finally {
            Files.delete(fresh);
        }
    }

    /**
     * Returns whether {@code word} is the approver's secret.
     *
     * @throws StoreException where the secret can't be read: then nobody is the approver
     */
    public boolean isApprover(String word) {
        return isSecret(secretFile(), "the approver's secret", word);
    }

    /**
     * Returns whether {@code word} is the token of the host, which speaks for the user.
     *
     * @throws StoreException where the token can't be read: then nobody speaks for the user
     */
    public boolean isHost(String word) {
        return isSecret(hostTokenFile(), "the host's token", word);
    }

    private static boolean isSecret(Path file, String what, String word) {
        try {
            if (isPosix(file)) {
                Set<PosixFilePermission> open = Files.getPosixFilePermissions(file);
                if (open.stream()
                        .anyMatch(each ->
                                each.name().startsWith("GROUP") || each.name().startsWith("OTHERS"))) {
                    throw new StoreException("others may read `" + file + "`; run `chmod 600` on it");
                }
            }
            byte[] kept = Files.readString(file).strip().getBytes(StandardCharsets.UTF_8);
            byte[] given = word.strip().getBytes(StandardCharsets.UTF_8);
            return kept.length >= 32 && MessageDigest.isEqual(kept, given);
        } catch (IOException e) {
            throw new StoreException(what + " in `" + file + "` can't be read", e);
        }
    }

    /**
     * Returns why {@code path} may not be used next to a server started by {@code command}: it lies in a folder that the
     * server was given, so what the server writes could change it. Empty where it may.
     */
    public static Optional<String> exposed(Path path, List<String> command) {
        for (String word : command) {
            for (String part : List.of(word, word.substring(word.indexOf('=') + 1))) {
                if (GivenFolders.holds(part, path)) {
                    return Optional.of("`" + path + "` lies in the folder `" + part + "` that the server is given");
                }
            }
        }
        return Optional.empty();
    }

    @Override
    public void close() {
        engine.close();
    }
}
