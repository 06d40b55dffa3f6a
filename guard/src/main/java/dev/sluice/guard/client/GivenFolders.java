package dev.sluice.guard.client;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Locale;

/** Folders that servers are given: as roots of a client, or in their command. */
public final class GivenFolders {

    private GivenFolders() {}

    /**
     * Returns whether {@code path} lies in the folder {@code root}.
     *
     * @param root an address or a path; what is no path on this machine holds nothing, and a {@code file:} address that can't
     *     be read may hold anything
     */
    public static boolean holds(String root, Path path) {
        String said = root.strip();
        boolean isFile = said.toLowerCase(Locale.ROOT).startsWith("file:");
        Path folder;
        try {
            folder = isFile ? local(URI.create(said)) : Path.of(said);
        } catch (RuntimeException e) {
            return isFile;
        }
        return !said.isEmpty() && real(path).startsWith(real(folder));
    }

    /**
     * Returns the path that a {@code file:} address names.
     *
     * <p>Source: RFC 8089, sections 2 and 3: the host {@code localhost} is the machine itself.
     */
    private static Path local(URI address) {
        boolean named = "localhost".equalsIgnoreCase(address.getAuthority());
        return Path.of(
                named ? URI.create("file://" + address.toString().substring("file://localhost".length())) : address);
    }

    /** Follows links as far as the path exists. */
    private static Path real(Path path) {
        Path absolute = path.toAbsolutePath().normalize();
        for (Path existing = absolute; existing != null; existing = existing.getParent()) {
            try {
                return existing.toRealPath().resolve(existing.relativize(absolute));
            } catch (IOException e) {
                // Not there: its parent may be.
            }
        }
        return absolute;
    }
}
