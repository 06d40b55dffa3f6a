package dev.sluice.store;

import dev.sluice.wire.canonical.Digest;
import dev.sluice.wire.canonical.JcsCanonicalizer;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The rules of the audit log: how a record is made from an event and the head before it, and how a log is checked.
 *
 * <p>A chain finds damage and careless edits. Whoever can write the whole file can also write a new chain, and where a
 * record is broken nothing before it is proven by those after it: for that the head must have been kept elsewhere.
 */
public final class AuditChain {

    /** What is wrong with a log. */
    public enum Fault {
        /** A record is not what was appended. */
        ALTERED,
        /** A record is not there though later ones are. */
        MISSING,
        /** In a record's place stands another record. */
        OUT_OF_ORDER,
        /** The last records are not there. */
        CUT_SHORT,
        /** A record can't be read at all. */
        UNREADABLE
    }

    /** What checking a log found. */
    public sealed interface Outcome {

        /**
         * Every record is what was appended.
         *
         * @param count how many there are
         * @param digest the digest of the last, to be kept elsewhere; of no bytes for an empty log
         */
        record Whole(long count, String digest) implements Outcome {}

        /**
         * The log is not what was appended.
         *
         * @param seq the place of the first record that can't be what was appended there, from 1
         * @param fault what is wrong with it
         * @param reason the same for people
         */
        record Broken(long seq, Fault fault, String reason) implements Outcome {}
    }

    private AuditChain() {}

    /**
     * Returns the record of {@code event} that follows {@code head}; {@link AuditHead#NONE} for the first.
     *
     * @throws IllegalArgumentException where the event has a member {@code seq} or {@code prev}, or can't be canonicalised
     */
    public static AuditRecord next(AuditHead head, ObjectNode event) {
        if (event.has("seq") || event.has("prev")) {
            throw new IllegalArgumentException("an event can't have the members `seq` and `prev`: the log sets them");
        }
        long seq = head.seq() + 1;
        ObjectNode record = JsonNodeFactory.instance.objectNode();
        record.setAll(event);
        record.put("seq", seq).put("prev", head.digest());
        String json = JcsCanonicalizer.text(record);
        return new AuditRecord(seq, json, digest(json));
    }

    /** Returns the head of a log whose last record is {@code last}. */
    public static AuditHead headAt(AuditRecord last) {
        return new AuditHead(last.seq(), last.digest());
    }

    /**
     * Checks a log, holding no more than two records at a time.
     *
     * <p>Where two neighbours disagree, the one is named whose being altered explains the most: the first, if what follows
     * vouches for the second.
     *
     * @param records all records, by their place; a {@link StoreException} from it means that the next can't be read
     * @param head what the log says its last record is
     */
    public static Outcome verify(Iterator<AuditRecord> records, AuditHead head) {
        AuditHead before = AuditHead.NONE;
        while (true) {
            long seq = before.seq() + 1;
            AuditRecord record;
            try {
                if (!records.hasNext()) {
                    return end(before, head);
                }
                record = records.next();
            } catch (StoreException e) {
                return broken(seq, Fault.UNREADABLE, "can't be read: " + e.getMessage());
            }
            Links links = Links.of(record.json());
            Optional<Outcome.Broken> fault = faultOf(record, links, seq);
            if (fault.isPresent()) {
                return fault.get();
            }
            if (!links.prev().equals(before.digest())) {
                return seq > 1 && vouchedFor(record, records, head)
                        ? broken(
                                before.seq(),
                                Fault.ALTERED,
                                "was altered: it is not the one that record " + seq + " was appended to")
                        : broken(
                                seq,
                                Fault.ALTERED,
                                "was altered: it does not follow what stands before it, and is not what follows it either");
            }
            if (seq > head.seq()) {
                return broken(
                        seq,
                        Fault.ALTERED,
                        "stands after the end: the head of the log says that it has " + head.seq()
                                + ", so the head was set back or the record put in");
            }
            before = headAt(record);
        }
    }

    private static Outcome end(AuditHead last, AuditHead head) {
        if (head.seq() > last.seq()) {
            return broken(
                    last.seq() + 1,
                    Fault.CUT_SHORT,
                    "and all after it are missing: the head of the log says that it has " + head.seq());
        }
        if (!head.digest().equals(last.digest())) {
            return broken(
                    Math.max(1, last.seq()),
                    Fault.ALTERED,
                    "is not the one that the head of the log names: it was altered, or the head was");
        }
        return new Outcome.Whole(last.seq(), last.digest());
    }

    /** Returns what is wrong with {@code record} as the one in place {@code seq}, looking at no other. */
    private static Optional<Outcome.Broken> faultOf(AuditRecord record, Links links, long seq) {
        if (record.seq() > seq && links.seq() != seq) {
            return Optional.of(broken(seq, Fault.MISSING, "is missing: the next one there is record " + record.seq()));
        }
        if (!digest(record.json()).equals(record.digest())) {
            return Optional.of(broken(
                    seq, Fault.ALTERED, "was altered: its text does not have the digest that is kept beside it"));
        }
        if (!links.canonical()) {
            return Optional.of(broken(seq, Fault.ALTERED, "was altered: its text is no record in canonical form"));
        }
        if (links.seq() != seq) {
            return Optional.of(
                    broken(seq, Fault.OUT_OF_ORDER, "is not in its place: record " + links.seq() + " stands there"));
        }
        if (record.seq() != seq) {
            return Optional.of(
                    broken(seq, Fault.OUT_OF_ORDER, "is not in its place: it is kept as number " + record.seq()));
        }
        return Optional.empty();
    }

    /** Returns whether what follows {@code record} was appended to exactly it. */
    private static boolean vouchedFor(AuditRecord record, Iterator<AuditRecord> after, AuditHead head) {
        try {
            return after.hasNext()
                    ? Links.of(after.next().json()).prev().equals(record.digest())
                    : head.equals(headAt(record));
        } catch (StoreException e) {
            return false;
        }
    }

    /**
     * What a record's text says of its place.
     *
     * @param seq its number; 0 where it names none
     * @param prev the digest of the one before; empty where it names none
     * @param canonical whether the text is an object in canonical form with both
     */
    private record Links(long seq, String prev, boolean canonical) {

        static Links of(String json) {
            try {
                JsonNode node = StoredText.parse(json);
                JsonNode seq = node.path("seq");
                JsonNode prev = node.path("prev");
                boolean canonical = seq.isIntegralNumber()
                        && prev.isString()
                        && JcsCanonicalizer.text(node).equals(json);
                return new Links(
                        seq.isIntegralNumber() && seq.canConvertToLong() ? seq.longValue() : 0,
                        prev.isString() ? prev.stringValue() : "",
                        canonical);
            } catch (IllegalArgumentException e) {
                return new Links(0, "", false);
            }
        }
    }

    private static String digest(String json) {
        return Digest.sha256(json.getBytes(StandardCharsets.UTF_8)).text();
    }

    private static Outcome.Broken broken(long seq, Fault fault, String what) {
        return new Outcome.Broken(seq, fault, "record " + seq + " " + what);
    }
}
