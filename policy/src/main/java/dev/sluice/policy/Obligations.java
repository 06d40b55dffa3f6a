package dev.sluice.policy;

import dev.sluice.labels.Label;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What must be done with parts of answers before the agent sees them, whatever was decided on the call.
 *
 * @param redactions rules that take parts out, in the order of the file
 * @param hiding where untrusted parts are kept from the agent
 */
public record Obligations(List<Redaction> redactions, Hiding hiding) {

    /** Nothing is done with answers. */
    public static final Obligations NONE = new Obligations(List.of(), Hiding.NOTHING);

    public Obligations {
        redactions = List.copyOf(redactions);
    }

    /**
     * Returns what takes parts out of the answers of one tool.
     *
     * @param server the upstream
     * @param tool the tool; empty for what answers no tool call
     * @param principal on whose behalf; empty where nobody says
     */
    public Redactor redactor(String server, String tool, String principal) {
        List<Redaction> about =
                redactions.stream().filter(each -> each.isAbout(server, tool)).toList();
        return new Redactor(about, server, tool, principal);
    }

    /** Finds the rule that takes out the parts of one label. Not for several threads. */
    public static final class Redactor {

        private final List<Redaction> about;
        private final Map<String, Object> variables = new HashMap<>();
        private final Map<Label, Optional<Redaction>> known = new HashMap<>();

        private Redactor(List<Redaction> about, String server, String tool, String principal) {
            this.about = new ArrayList<>(about);
            variables.put("server", server);
            variables.put("tool", tool);
            variables.put("principal", principal);
        }

        /** Returns whether nothing is ever taken out. */
        public boolean isIdle() {
            return about.isEmpty();
        }

        /** Returns the first rule that takes out what has {@code label}: one that is true of it, or that errs. */
        public Optional<Redaction> of(Label label) {
            return about.isEmpty() ? Optional.empty() : known.computeIfAbsent(label, this::find);
        }

        private Optional<Redaction> find(Label label) {
            variables.put("label", CallVariables.label(label));
            return about.stream().filter(this::holds).findFirst();
        }

        private boolean holds(Redaction rule) {
            try {
                return !Boolean.FALSE.equals(rule.when().eval(variables));
            } catch (Expression.Failure e) {
                return true;
            }
        }
    }
}
