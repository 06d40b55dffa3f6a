package dev.sluice.gateway.proxy;

import dev.sluice.gateway.transport.Alarm;
import dev.sluice.guard.message.Methods;
import dev.sluice.wire.json.JsonIndex.Kind;
import dev.sluice.wire.json.JsonIndex.Value;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Whose a resource is of which that is not known: the servers are asked for their lists.
 *
 * <p>Clients watch many resources at once, and each may be one that no server lists. So for these a list counts for a while:
 * longer where it took long, so that most of the time no server is asked.
 */
final class Listings implements AutoCloseable {

    /** For how long a list counts at least. */
    private static final Duration SHORTEST = Duration.ofSeconds(5);

    /** For how many times as long as it took a list counts beside that. */
    private static final int TIMES = 10;

    /**
     * What a server has.
     *
     * @param templates what it says of addresses that it does not list
     * @param until for how long it counts, in the time of {@link System#nanoTime}
     */
    private record Listing(Set<String> uris, List<Value> templates, long until) {

        int fits(String uri) {
            return templates.stream()
                    .mapToInt(template -> MergedAnswers.fits(template, uri))
                    .max()
                    .orElse(-1);
        }

        boolean isOver() {
            return System.nanoTime() - until > 0;
        }
    }

    private final List<Slot> slots;
    private final MergedAnswers merged;
    private final Owners<Slot> owners;
    private final Map<Slot, Listing> listings = new ConcurrentHashMap<>();
    private final Alarm forgetting = new Alarm(this::forget);

    /**
     * @param owners who is known to have what; told of what is found here
     */
    Listings(List<Slot> slots, MergedAnswers merged, Owners<Slot> owners) {
        this.slots = slots;
        this.merged = merged;
        this.owners = owners;
    }

    /**
     * Returns whose a resource is: it belongs to the server that listed it, else to the one whose template it fits, else to
     * nobody.
     *
     * @param isWatched whether it is to be watched, or no longer
     */
    Optional<Slot> ownerOf(String uri, boolean isWatched) {
        Optional<Slot> known = owners.of(uri);
        if (known.isPresent()) {
            return known;
        }
        Slot best = null;
        int longest = -1;
        for (Slot slot : slots) {
            Optional<Listing> listing = listing(slot, isWatched);
            if (listing.isPresent() && listing.get().uris().contains(uri)) {
                owners.add(uri, slot);
                return Optional.of(slot);
            }
            int length = listing.map(each -> each.fits(uri)).orElse(-1);
            if (length > longest) {
                longest = length;
                best = slot;
            }
        }
        return Optional.ofNullable(best);
    }

    /** Returns what a server has; empty where it can't be had, or has no resources. */
    private Optional<Listing> listing(Slot slot, boolean isWatched) {
        Optional<Connection> line = slot.line().filter(each -> each.offers("resources"));
        Listing known = isWatched ? listings.get(slot) : null;
        if (line.isEmpty() || (known != null && !known.isOver())) {
            return line.flatMap(each -> Optional.ofNullable(known));
        }
        long since = System.nanoTime();
        Set<String> uris = items(line.get(), Methods.RESOURCES_LIST)
                .flatMap(item -> item.member("uri").stream())
                .filter(uri -> uri.kind() == Kind.STRING)
                .map(Value::string)
                .collect(Collectors.toSet());
        List<Value> templates = items(line.get(), Methods.TEMPLATES_LIST).toList();
        long now = System.nanoTime();
        Listing made = new Listing(uris, templates, now + SHORTEST.toNanos() + TIMES * (now - since));
        if (isWatched) {
            listings.put(slot, made);
            forgetting.in(SHORTEST);
        }
        return Optional.of(made);
    }

    private Stream<Value> items(Connection line, String method) {
        return merged.pages(line, method).stream().flatMap(page -> page.items().stream());
    }

    private void forget() {
        listings.values().removeIf(Listing::isOver);
        if (!listings.isEmpty()) {
            forgetting.in(SHORTEST);
        }
    }

    @Override
    public void close() {
        forgetting.off();
    }
}
