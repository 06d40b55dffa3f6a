/** Sluice for applications on Spring Boot and Spring AI, configured by what is on the class path and under {@code sluice}. */
@NullMarked
package dev.sluice.springai.starter;

import org.jspecify.annotations.NullMarked;
