package dev.sluice.guard;

import dev.sluice.labels.Source;
import dev.sluice.policy.ReaderLookup;
import java.util.Set;

/**
 * Says who may read one resource of a server, such as a repository. Asked only while a call is decided that would show data
 * of the resource to somebody, and never while the state is held.
 */
@FunctionalInterface
public interface ReaderResolver {

    /**
     * Returns the names and addresses of those who may read {@code resource}, names of the policy's audiences among them;
     * empty for nobody. May take as long as it was made to; what takes longer counts as failed.
     *
     * @throws UnresolvedException where that can't be known: then nobody may
     */
    Set<String> readers(Source.OfResource resource) throws UnresolvedException;

    /** Returns what asks where {@code lookup} says. */
    static ReaderResolver of(ReaderLookup lookup) {
        ReaderLookup.Place place = lookup.place();
        if (place instanceof ReaderLookup.Place.Command command) {
            return new CommandReaders(command.words(), lookup.within());
        }
        if (place instanceof ReaderLookup.Place.Service service) {
            return new ServiceReaders(service, lookup.within());
        }
        ReaderLookup.Place.Stated stated = (ReaderLookup.Place.Stated) place;
        return resource -> stated.readers().getOrDefault(resource.key(), Set.of());
    }

    /** That nobody could say who the readers are; the message is for people. */
    final class UnresolvedException extends Exception {
        private static final long serialVersionUID = 1L;

        public UnresolvedException(String message) {
            super(message);
        }
    }
}
