package dev.sluice.policy;

import dev.sluice.labels.Source;
import java.util.Locale;
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
            return "the server `" + PlainName.of(server) + "`";
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
            return "everybody who can see `" + PlainName.of(key) + "` on `" + PlainName.of(server) + "`";
        }
    }

    /** Whoever has one address; compared without regard to the case of ASCII letters. */
    record Person(String address) implements AudienceMember {
        public Person {
            address = address.toLowerCase(Locale.ROOT);
        }

        @Override
        public boolean permittedBy(Source source) {
            return isAmongReaders(this, address, source);
        }

        @Override
        public String display() {
            return "`" + PlainName.of(address) + "`";
        }
    }

    /** Who or what has one name on one server; the same name on another server may be somebody else. */
    record Account(String server, String name) implements AudienceMember {
        public Account {
            name = name.toLowerCase(Locale.ROOT);
        }

        @Override
        public boolean permittedBy(Source source) {
            return isAmongReaders(this, name, source);
        }

        @Override
        public String display() {
            return "`" + PlainName.of(name) + "`";
        }
    }

    /** Whoever an argument names that nobody declared; what it holds may be anything, so it is not shown. */
    record Named(String argument, AudienceMember who) implements AudienceMember {
        @Override
        public boolean permittedBy(Source source) {
            return who.permittedBy(source);
        }

        @Override
        public String display() {
            return "whoever the argument `" + PlainName.of(argument) + "` means";
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

    /** Returns whether {@code source} names {@code member}, whose folded {@code name} its reader has too. */
    private static boolean isAmongReaders(AudienceMember member, String name, Source source) {
        if (source instanceof Source.Readers readers) {
            for (String reader : readers.readers()) {
                // What is no such name is taken apart for nothing.
                if (reader.toLowerCase(Locale.ROOT).equals(name)
                        && recipient(source.server(), reader).equals(member)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** One plain address: no display name, no quoting, no list. */
    Pattern ADDRESS = Pattern.compile("[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)*");

    /** One plain name of a person, room or account. */
    Pattern NAME = Pattern.compile("[@#]?[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

    /** Returns the member that the text of one recipient means to {@code server}. */
    static AudienceMember recipient(String server, String text) {
        if (text.length() <= 320 && ADDRESS.matcher(text).matches()) {
            return new Person(text);
        }
        return NAME.matcher(text).matches()
                ? new Account(server, text)
                : new Unresolved("a recipient that is no single address or name");
    }
}
