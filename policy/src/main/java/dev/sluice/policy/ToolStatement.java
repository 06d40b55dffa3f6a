package dev.sluice.policy;

import dev.sluice.wire.Outcome;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What somebody who may say so said about one tool: the operator, or a profile that ships with Sluice.
 *
 * <p>Each part may be unsaid (null), and then the next source of a tool profile is asked.
 *
 * @param effects what a call does
 * @param audience who sees the data after a call that sends
 * @param outcome how much a call can change
 * @param review whether a person must look at each call
 * @param payload arguments that carry content and steer nothing
 * @param resource arguments that together name the resource a call is about, such as owner and repo
 * @param derives whether answers may hold what the call passed in; true unless said otherwise
 * @param returns what answers are
 * @param inert arguments that neither carry data nor steer, such as a page size
 * @param steers arguments that steer a call and say nothing of who sees it, such as an id or an amount
 * @param alone whether a call that names no recipient shows data to nobody
 * @param declassifies whether a recipient whom the user named may see what is not classified
 * @param accepts the classes of data that may go in; every class where unsaid
 */
public record ToolStatement(
        @Nullable Set<Effect> effects,
        @Nullable AudienceRule audience,
        @Nullable Outcome outcome,
        @Nullable Boolean review,
        @Nullable List<String> payload,
        @Nullable List<String> resource,
        @Nullable Boolean derives,
        @Nullable Returns returns,
        @Nullable List<String> inert,
        @Nullable Set<String> accepts,
        @Nullable List<String> steers,
        @Nullable Boolean alone,
        @Nullable Boolean declassifies) {

    /** A statement that says nothing. */
    public static final ToolStatement NOTHING =
            new ToolStatement(null, null, null, null, null, null, null, null, null, null, null, null, null);

    /** What requests other than tool calls are: they read at its server, and nobody else sees what they carry. */
    public static final ToolStatement READ = new ToolStatement(
            Set.of(Effect.READS), null, null, null, null, null, null, null, null, null, null, null, null);

    /** What a request is that changes what goes on at its server. */
    public static final ToolStatement CHANGE = new ToolStatement(
            Set.of(Effect.READS, Effect.WRITES),
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null);

    /** Returns this statement, with what it leaves unsaid taken from {@code less}, which is less precise. */
    public ToolStatement orElse(ToolStatement less) {
        if (less.equals(NOTHING) || equals(NOTHING)) { // the very object, which ToolProfiles knows again
            return less.equals(NOTHING) ? this : less;
        }
        return new ToolStatement(
                effects != null ? effects : less.effects,
                audience != null ? audience : less.audience,
                outcome != null ? outcome : less.outcome,
                review != null ? review : less.review,
                payload != null ? payload : less.payload,
                resource != null ? resource : less.resource,
                derives != null ? derives : less.derives,
                returns != null ? returns : less.returns,
                inert != null ? inert : less.inert,
                accepts != null ? accepts : less.accepts,
                steers != null ? steers : less.steers,
                alone != null ? alone : less.alone,
                declassifies != null ? declassifies : less.declassifies);
    }
}
