package dev.sluice.mcpjava.emit;

import dev.sluice.wire.DataSource;
import dev.sluice.wire.Sensitivity;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * What the results of a tool may hold, on the method that makes them: {@code returnMetadata} of {@code
 * io.modelcontextprotocol/action-metadata}. Stands beside {@link Action}.
 *
 * <p>A result that the method labels itself is kept to it. It is not sent where its label says sensitive beside {@code
 * NONE} alone, untrusted without a source {@code UNTRUSTED_PUBLIC}, or names a kind or a regime of these that is not
 * declared; a class of another vocabulary, such as {@code confidential}, can't be compared, and neither can a record that
 * does not stand in its reference. A result that has no label gets the worst of what is declared.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Returns {

    /** Where results come from; at least one. */
    DataSource[] source();

    /** What may be in them. Without {@code REGULATED}: that is what {@link #regulated} says. */
    Sensitivity.Kind[] sensitivity();

    /** The regimes, such as {@code HIPAA}, whose data may be in them. */
    String[] regulated() default {};
}
