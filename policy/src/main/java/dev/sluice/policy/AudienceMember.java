package dev.sluice.policy;

import dev.sluice.labels.Source;
import java.util.regex.Pattern;

/**
 * Somebody who can see the data after a call.
 *
 * <p>Recipients are parsed, never matched by their ending: what can't be parsed as one recipient is {@link Unresolved},
 * which no source permits.
 */
public sealed interface AudienceMember {

    /** Returns whether {@code source} permits this member to read. */
    boolean permittedBy(Source source);

    /** Returns how a person would name this member. */
    String display();

    /** The server that is called; it is in the audience of every call. */
    record Upstream(String server) implements AudienceMember {
        @Override
        public boolean permittedBy(Source source) {
            return source.server().equals(server); // it had the data
        }

        @Override
        public String display() {
            return "the server `" + server + "`";
        }
    }

    /** Those who can see one resource of a server, such as a repository. */
    record OfResource(String server, String key) implements AudienceMember {
        @Override
        public boolean permittedBy(Source source) {
            return source.equals(new Source.OfResource(server, key));
        }

        @Override
        public String display() {
            return "everybody who can see `" + key + "` on `" + server + "`";
        }
    }

    /** One recipient, as an address or a name; compared without regard to letter case. */
    record Person(String name) implements AudienceMember {
        public Person {
            name = name.toLowerCase(java.util.Locale.ROOT);
        }

        @Override
        public boolean permittedBy(Source source) {
            return source instanceof Source.Readers readers
                    && readers.readers().stream().anyMatch(reader -> reader.equalsIgnoreCase(name));
        }

        @Override
        public String display() {
            return "`" + name + "`";
        }
    }

    /** Anybody at all. */
    record Anyone() implements AudienceMember {
        @Override
        public boolean permittedBy(Source source) {
            return false;
        }

        @Override
        public String display() {
            return "anybody";
        }
    }

    /** Somebody whom nobody could name: a list, a malformed address, a place that is not described. */
    record Unresolved(String what) implements AudienceMember {
        @Override
        public boolean permittedBy(Source source) {
            return false;
        }

        @Override
        public String display() {
            return what;
        }
    }

    /** One plain address: no display name, no quoting, no list. */
    Pattern ADDRESS = Pattern.compile("[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)*");

    /** One plain name of a person, room or account. */
    Pattern NAME = Pattern.compile("[@#]?[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

    /** Returns the member that the text of one recipient names. */
    static AudienceMember recipient(String text) {
        if (text.length() <= 320
                && (ADDRESS.matcher(text).matches() || NAME.matcher(text).matches())) {
            return new Person(text);
        }
        return new Unresolved("a recipient that is no single address or name");
    }
}
