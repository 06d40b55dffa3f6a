package dev.sluice.policy;

import java.util.Collections;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/**
 * A group of people and servers that the operator gave a name.
 *
 * @param domains who has an address at one of these domains belongs to it; not at their subdomains
 * @param members addresses, and names of accounts
 * @param servers names of servers that may see what the group may see
 */
public record Audience(Set<String> domains, Set<String> members, Set<String> servers) {

    public Audience {
        domains = folded(domains);
        members = folded(members);
        servers = Collections.unmodifiableSet(new TreeSet<>(servers));
    }

    /** Returns whether the address or name {@code text} belongs to the group; addresses are parsed, never matched by ending. */
    public boolean has(String text) {
        AudienceMember who = AudienceMember.recipient("", text);
        return !(who instanceof AudienceMember.Unresolved) && holds(text);
    }

    /** Returns whether somebody in the audience of a call belongs to the group. */
    public boolean has(AudienceMember member) {
        if (member instanceof AudienceMember.Upstream upstream) {
            return servers.contains(upstream.server());
        }
        if (member instanceof AudienceMember.Person person) {
            return holds(person.address());
        }
        if (member instanceof AudienceMember.Account account) {
            return members.contains(fold(account.name()));
        }
        return member instanceof AudienceMember.Named named && has(named.who());
    }

    private boolean holds(String text) {
        String folded = fold(text);
        int at = folded.lastIndexOf('@');
        return members.contains(folded) || (at > 0 && domains.contains(folded.substring(at + 1)));
    }

    private static Set<String> folded(Set<String> names) {
        Set<String> folded = new TreeSet<>();
        names.forEach(name -> folded.add(fold(name)));
        return Collections.unmodifiableSet(folded);
    }

    private static String fold(String name) {
        return name.toLowerCase(Locale.ROOT);
    }
}
