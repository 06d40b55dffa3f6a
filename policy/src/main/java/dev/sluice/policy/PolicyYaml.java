package dev.sluice.policy;

import java.util.Iterator;
import java.util.List;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionEndEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.DocumentStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.ReaderException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.Node;

/** The YAML of a policy, before anybody asks what it says: one document, not too deep, without aliases. */
final class PolicyYaml {

    private static final int DEEPEST = 32;

    private final String file;

    private PolicyYaml(String file) {
        this.file = file;
    }

    /**
     * Returns the root of the one document that {@code text} is.
     *
     * @param file what problems name as their file
     * @throws PolicyException where it is none, nests too deep, or has an alias
     */
    static Node compose(String file, String text) {
        return new PolicyYaml(file).compose(text);
    }

    private Node compose(String text) {
        LoadSettings settings = LoadSettings.builder()
                .setLabel(file)
                .setMaxAliasesForCollections(0)
                .setAllowNonScalarKeys(true) // so that they are a problem with a line
                .setCodePointLimit(PolicyParser.LARGEST_FILE)
                .build();
        try {
            checkShape(settings, text);
            return new Compose(settings)
                    .composeString(text)
                    .orElseThrow(() -> problem(0, "the file is empty; begin with `version: 1`"));
        } catch (MarkedYamlEngineException e) {
            int line = e.getProblemMark().map(mark -> mark.getLine() + 1).orElse(0);
            throw problem(line, "this is no YAML: " + e.getProblem());
        } catch (ReaderException e) {
            int line = PolicyParser.lineAt(text, text.offsetByCodePoints(0, e.getPosition()));
            throw problem(line, String.format("the character U+%04X can't be in YAML; take it out", e.getCodePoint()));
        } catch (YamlEngineException e) {
            throw problem(0, "this is no YAML that a policy may use: " + e.getMessage());
        }
    }

    /** Refuses, before anything is built from it, what is nested too deep, and aliases, which can make much of little. */
    private void checkShape(LoadSettings settings, String text) {
        int depth = 0;
        int documents = 0;
        Iterator<Event> events = new Parse(settings).parseString(text).iterator();
        for (int line = 1; isMore(events, line); ) {
            Event event = events.next();
            line = event.getStartMark().map(mark -> mark.getLine() + 1).orElse(0);
            if (event instanceof AliasEvent alias) {
                throw problem(line, "the alias `*" + alias.getAlias() + "` can't be used in a policy; write it out");
            }
            if (event instanceof DocumentStartEvent && ++documents > 1) {
                throw problem(line, "a second document begins here; a policy is one, so take it out");
            }
            if (event instanceof CollectionStartEvent && ++depth > DEEPEST) {
                throw problem(line, "a policy can be nested " + DEEPEST + " levels deep at most");
            }
            if (event instanceof CollectionEndEvent) {
                depth--;
            }
        }
    }

    /** The parser of YAML fails in other ways than it says at an escape that is cut off or names no character. */
    private boolean isMore(Iterator<Event> events, int line) {
        try {
            return events.hasNext();
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            throw problem(line, "what follows is no YAML; look for an escape such as `\\u00e9` that is cut off");
        }
    }

    private PolicyException problem(int line, String message) {
        return new PolicyException(List.of(new PolicyException.Problem(file, line, message)));
    }
}
