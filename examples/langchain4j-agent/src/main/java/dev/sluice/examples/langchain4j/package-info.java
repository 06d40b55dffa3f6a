/** An agent on LangChain4j that is attacked through a mail, without a policy and with one. */
@NullMarked
package dev.sluice.examples.langchain4j;

import org.jspecify.annotations.NullMarked;
