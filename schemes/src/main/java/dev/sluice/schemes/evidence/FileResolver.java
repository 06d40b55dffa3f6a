package dev.sluice.schemes.evidence;

import dev.sluice.wire.EvidenceRef;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/**
 * Resolves {@code file:} references inside one folder, which the operator names. A reference that leads out of the folder,
 * by dots or by links, is refused: references come from servers.
 */
public final class FileResolver implements EvidenceResolver {

    private final Path folder;

    /** Makes a resolver for the files under {@code folder}. */
    public FileResolver(Path folder) {
        this.folder = folder.toAbsolutePath().normalize();
    }

    @Override
    public Optional<byte[]> resolve(EvidenceRef reference) throws UnresolvableException {
        if (!reference.ref().toLowerCase(Locale.ROOT).startsWith("file:")) {
            return Optional.empty();
        }
        try {
            URI uri = new URI(reference.ref());
            if (uri.getPath() == null || !uri.getPath().startsWith("/") || uri.getRawAuthority() != null) {
                throw new UnresolvableException(
                        "a `file:` reference has no absolute path on this machine: write `file:///` and the path");
            }
            Path wanted = Path.of(uri.getPath()).toRealPath();
            if (!wanted.startsWith(folder.toRealPath()) || !Files.isRegularFile(wanted)) {
                throw new UnresolvableException(
                        "a `file:` reference leads to no file of the folder for evidence: put the record there");
            }
            try (InputStream in = Files.newInputStream(wanted, LinkOption.NOFOLLOW_LINKS)) {
                byte[] bytes = in.readNBytes(MOST_BYTES + 1);
                if (bytes.length > MOST_BYTES) {
                    throw new UnresolvableException(
                            "a record is larger than " + MOST_BYTES + " bytes: make it smaller");
                }
                return Optional.of(bytes);
            }
        } catch (URISyntaxException | InvalidPathException e) {
            throw new UnresolvableException("a `file:` reference is no URI: write `file:///` and the path, encoded");
        } catch (IOException e) {
            throw new UnresolvableException(
                    "the file of a reference can't be read: put it into the folder for evidence, readable");
        }
    }
}
