package dev.sluice.cli;

import dev.sluice.policy.Effect;
import dev.sluice.policy.ServerOffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/**
 * What the names of a tool and its arguments make one think. Never more than a suggestion to a person: a name is the
 * server's own, and proves nothing.
 *
 * @param effects what the name says that a call does; empty where it says nothing
 * @param destroys whether the name says that something is gone afterwards
 * @param recipients arguments that seem to hold recipients
 * @param addresses arguments that seem to hold an address on the net, whose owner would see the call
 * @param payload arguments that seem to carry content and steer nothing
 * @param resource arguments that together seem to name what a call is about
 * @param inert arguments that seem to count or page
 */
record Hunches(
        Set<Effect> effects,
        boolean destroys,
        List<String> recipients,
        List<String> addresses,
        List<String> payload,
        List<String> resource,
        List<String> inert) {

    private static final Set<String> READS = Set.of(
            "get",
            "list",
            "read",
            "search",
            "find",
            "fetch",
            "query",
            "show",
            "describe",
            "view",
            "lookup",
            "check",
            "count",
            "status",
            "stat",
            "tree",
            "info",
            "inspect",
            "browse",
            "download",
            "open",
            "summarize",
            "resolve");

    private static final Set<String> SENDS = Set.of(
            "send",
            "post",
            "publish",
            "share",
            "invite",
            "email",
            "mail",
            "notify",
            "reply",
            "forward",
            "comment",
            "tweet",
            "upload",
            "message",
            "submit",
            "push",
            "broadcast",
            "announce",
            "call",
            "sms",
            "pay",
            "transfer");

    private static final Set<String> WRITES = Set.of(
            "create",
            "write",
            "update",
            "edit",
            "add",
            "set",
            "move",
            "rename",
            "put",
            "insert",
            "append",
            "save",
            "modify",
            "replace",
            "patch",
            "make",
            "copy",
            "merge",
            "close",
            "assign",
            "schedule",
            "book",
            "start",
            "stop",
            "run",
            "execute",
            "exec",
            "apply",
            "install",
            "enable",
            "disable",
            "toggle",
            "commit");

    private static final Set<String> DESTROYS = Set.of(
            "delete",
            "remove",
            "drop",
            "purge",
            "destroy",
            "erase",
            "wipe",
            "clear",
            "truncate",
            "kill",
            "cancel",
            "revoke",
            "unlink");

    /** Words that are as often no verb: these count only where the name begins with them. */
    private static final Set<String> NOUNS = Set.of(
            "list",
            "check",
            "count",
            "status",
            "stat",
            "tree",
            "info",
            "open",
            "view",
            "show",
            "search",
            "query",
            "post",
            "share",
            "email",
            "mail",
            "comment",
            "message",
            "call",
            "sms",
            "pay",
            "transfer",
            "set",
            "put",
            "patch",
            "copy",
            "close",
            "schedule",
            "book",
            "start",
            "stop",
            "run",
            "commit",
            "reply",
            "tweet");

    private static final Set<String> RECIPIENTS = Set.of(
            "to",
            "cc",
            "bcc",
            "recipient",
            "recipients",
            "email",
            "emails",
            "address",
            "addresses",
            "channel",
            "channels",
            "channelid",
            "attendees",
            "guests",
            "participants",
            "invitees",
            "chatid",
            "room",
            "roomid",
            "phone",
            "phonenumber",
            "user",
            "userid",
            "username",
            "users",
            "assignee",
            "assignees",
            "reviewers");

    private static final Set<String> ADDRESSES = Set.of(
            "url",
            "urls",
            "uri",
            "link",
            "endpoint",
            "host",
            "hostname",
            "domain",
            "webhook",
            "webhookurl",
            "server",
            "baseurl",
            "callback",
            "callbackurl",
            "proxy");

    private static final Set<String> PAYLOAD = Set.of(
            "body",
            "text",
            "content",
            "contents",
            "message",
            "subject",
            "title",
            "description",
            "html",
            "markdown",
            "comment",
            "note",
            "notes",
            "caption",
            "summary",
            "newtext",
            "observations");

    private static final Set<String> INERT = Set.of(
            "page",
            "perpage",
            "pagesize",
            "limit",
            "offset",
            "count",
            "maxresults",
            "maxitems",
            "first",
            "last",
            "head",
            "tail",
            "top",
            "skip");

    /** Sets of arguments that name a resource together, the more telling first. */
    private static final List<List<String>> RESOURCES = List.of(
            List.of("owner", "repo"),
            List.of("org", "project"),
            List.of("workspace", "project"),
            List.of("repository"),
            List.of("project"),
            List.of("projectid"),
            List.of("workspace"));

    private static final Pattern BOUNDARY = Pattern.compile("[^\\p{L}\\p{N}]+|(?<=\\p{Ll})(?=\\p{Lu})");
    private static final int LONGEST_NAME = 200;

    Hunches {
        effects = Set.copyOf(effects);
        recipients = List.copyOf(recipients);
        addresses = List.copyOf(addresses);
        payload = List.copyOf(payload);
        resource = List.copyOf(resource);
        inert = List.copyOf(inert);
    }

    static Hunches of(ServerOffer.Tool tool) {
        List<String> words = verbs(tool.name());
        boolean destroys = words.stream().anyMatch(DESTROYS::contains);
        Set<Effect> effects = EnumSet.noneOf(Effect.class);
        if (words.stream().anyMatch(READS::contains)) {
            effects.add(Effect.READS);
        }
        if (destroys || words.stream().anyMatch(WRITES::contains)) {
            effects.addAll(List.of(Effect.READS, Effect.WRITES));
        }
        if (words.stream().anyMatch(SENDS::contains)) {
            effects.add(Effect.SENDS);
        }
        Collection<String> names = tool.arguments();
        List<String> addresses = named(names, ADDRESSES);
        if (!effects.isEmpty() && !addresses.isEmpty()) {
            effects.add(Effect.SENDS); // whoever has that address sees what is asked
        }
        JsonNode properties = tool.text().path("inputSchema").path("properties");
        return new Hunches(
                effects,
                destroys,
                named(names, RECIPIENTS),
                addresses,
                named(names, PAYLOAD),
                resource(names),
                named(names, INERT).stream()
                        .filter(name -> isNumber(properties.path(name)))
                        .toList());
    }

    private static List<String> verbs(String name) {
        String cut = name.length() > LONGEST_NAME ? name.substring(0, LONGEST_NAME) : name;
        List<String> verbs = new ArrayList<>();
        for (String word : BOUNDARY.split(cut, -1)) {
            String lower = word.toLowerCase(Locale.ROOT);
            if (!lower.isEmpty() && (verbs.isEmpty() || !NOUNS.contains(lower))) {
                verbs.add(lower);
            }
        }
        return verbs;
    }

    private static List<String> named(Collection<String> names, Set<String> words) {
        return names.stream()
                .filter(name -> YamlWords.canBeWritten(name) && words.contains(folded(name)))
                .toList();
    }

    private static String folded(String name) {
        return name.length() > LONGEST_NAME
                ? ""
                : name.replace("_", "").replace("-", "").toLowerCase(Locale.ROOT);
    }

    private static List<String> resource(Collection<String> names) {
        for (List<String> each : RESOURCES) {
            List<String> found = new ArrayList<>();
            each.forEach(word -> found.addAll(named(names, Set.of(word))));
            if (found.size() == each.size()) {
                return found;
            }
        }
        return List.of();
    }

    private static boolean isNumber(JsonNode schema) {
        String type = schema.path("type").asString("");
        return type.equals("integer") || type.equals("number");
    }
}
