package dev.sluice.mcpjava.emit;

import dev.sluice.wire.Destination;
import dev.sluice.wire.Outcome;
import dev.sluice.wire.Sensitivity;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * What a call of a tool does, on the method that answers it: {@code inputMetadata}, {@code outcome} and {@code
 * requiresReview} of {@code io.modelcontextprotocol/action-metadata}. Stands beside {@link Returns}.
 *
 * <p>Several values mean that any of them is possible. Which argument steers a call and which is only carried has no
 * place on the wire; the client's operator states that.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Action {

    /** The name of the tool; where empty, that of the method. */
    String tool() default "";

    /** Who can see the arguments afterwards; at least one. */
    Destination[] destination();

    /** What the tool accepts in them. Without {@code REGULATED}: that is what {@link #acceptsRegulated} says. */
    Sensitivity.Kind[] accepts();

    /** The regimes, such as {@code HIPAA}, whose data the tool accepts. */
    String[] acceptsRegulated() default {};

    /** What a call can do to the world; at least one. */
    Outcome[] outcome();

    /** Whether a human should confirm each call. False says nothing. */
    boolean requiresReview() default false;
}
