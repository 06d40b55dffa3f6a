package dev.sluice.guard.client;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;

/** Folders that a client gives to servers as roots. */
final class GivenFolders {

    private GivenFolders() {}

    /**
     * Returns whether {@code path} lies in the folder {@code root}.
     *
     * @param root an address or a path; what is no path on this machine holds nothing
     */
    static boolean holds(String root, Path path) {
        Path folder;
        try {
            folder = root.startsWith("file:") ? Path.of(URI.create(root)) : Path.of(root);
        } catch (RuntimeException e) {
            return false;
        }
        return !root.isBlank() && real(path).startsWith(real(folder));
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
