package dev.sluice.policy;

import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.nodes.Node;

/** Reads what a server's entry says of the line to it: {@code url}, {@code headers}, {@code env} and how it is kept. */
final class ServerLineReader {

    private static final Pattern TIME = Pattern.compile("([0-9]{1,6})(s|m|h)");
    private static final Pattern HEADER_NAME = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}");
    private static final Pattern HEADER_VALUE = Pattern.compile("[\\x21-\\x7e]([\\x20-\\x7e\\t]*[\\x21-\\x7e])?");
    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,127}");
    private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "[::1]", "localhost");
    private static final Duration LONGEST = Duration.ofHours(24);

    /** What the protocol, or the connection itself, says with these. */
    private static final Set<String> OURS = Set.of(
            "accept",
            "accept-encoding",
            "connection",
            "content-encoding",
            "content-length",
            "content-type",
            "expect",
            "host",
            "keep-alive",
            "last-event-id",
            "proxy-connection",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade");

    private ServerLineReader() {}

    static ServerLine line(YamlMap map) {
        boolean insecure = map.bool("insecure").orElse(false);
        String url = map.text("url").orElse("");
        map.node("url").ifPresent(node -> {
            if (map.node("command").isPresent()) {
                map.problem(node, "a server has a `command` or a `url`; keep one");
            }
            fault(url, insecure).ifPresent(fault -> map.problem(node, fault));
        });
        Map<String, EnvironmentText> headers = map.map("headers")
                .map(each -> texts(each, ServerLineReader::checkHeader))
                .orElse(Map.of());
        Map<String, EnvironmentText> env = map.map("env")
                .map(each -> texts(each, ServerLineReader::checkEnv))
                .orElse(Map.of());
        for (String key : List.of("headers", "insecure")) {
            if (map.node(key).isPresent() && map.node("url").isEmpty()) {
                map.problem(map.keyNode(key), "`" + key + "` is for a `url`; add one, or take this out");
            }
        }
        if (map.node("env").isPresent() && map.node("url").isPresent()) {
            map.problem(map.keyNode("env"), "`env` is for a `command`; for a `url` write `headers`");
        }
        boolean shared = map.bool("shared").orElse(false);
        Optional<Duration> idle = map.text("idle").orElse("").equals("never")
                ? Optional.empty()
                : Optional.of(time(map, "idle", ServerLine.USUAL_IDLE, ", or never"));
        Duration timeout = time(map, "timeout", ServerLine.USUAL_TIMEOUT, "");
        ServerEra era = map.choice("era", ServerEra.class).orElse(ServerEra.AUTO);
        return new ServerLine(url, headers, env, shared, idle, timeout, era);
    }

    /** Returns why {@code url} can't be that of a server, with the mend; empty where it can. */
    static Optional<String> fault(String url, boolean insecure) {
        try {
            URI uri = new URI(url);
            String scheme = uri.getScheme() == null ? "" : uri.getScheme();
            if (uri.getRawUserInfo() != null) {
                // The address itself is not repeated: it holds a password.
                return Optional.of("an address can't hold a user and password; take them out and write a header such as"
                        + " `Authorization: \"Bearer ${NOTES_TOKEN}\"` under `headers`");
            }
            if (uri.getHost() == null
                    || uri.getRawFragment() != null
                    || !Set.of("http", "https").contains(scheme)) {
                return Optional.of("`" + PlainName.of(url) + "` is no address of a server; write one such as"
                        + " https://notes.example/mcp");
            }
            if (scheme.equals("http")
                    && !insecure
                    && !LOOPBACK.contains(uri.getHost().toLowerCase(Locale.ROOT))) {
                return Optional.of(
                        "`" + PlainName.of(url) + "` is not encrypted; write https, or, where everybody on the"
                                + " way may read and change what is said, `insecure: true`");
            }
            return Optional.empty();
        } catch (URISyntaxException e) {
            return Optional.of("`" + PlainName.of(url)
                    + "` is no address of a server; write one such as https://notes.example/mcp");
        }
    }

    /** What checks one entry of a mapping. */
    private interface Check {
        void entry(YamlMap map, String name, Node node, EnvironmentText text);
    }

    private static Map<String, EnvironmentText> texts(YamlMap map, Check check) {
        Map<String, EnvironmentText> texts = new LinkedHashMap<>();
        for (String name : map.keys()) {
            Node node = map.node(name).orElseThrow();
            map.text(node, "`" + PlainName.of(name) + "`").ifPresent(written -> {
                EnvironmentText text = new EnvironmentText(written);
                text.fault()
                        .ifPresentOrElse(fault -> map.problem(node, fault), () -> check.entry(map, name, node, text));
                texts.put(name, text);
            });
        }
        return texts;
    }

    private static void checkHeader(YamlMap map, String name, Node node, EnvironmentText text) {
        String lower = name.toLowerCase(Locale.ROOT);
        if (!HEADER_NAME.matcher(name).matches()) {
            map.problem(
                    map.keyNode(name), "`" + PlainName.of(name) + "` can't name a header; write one such as X-Api-Key");
        } else if (OURS.contains(lower) || lower.startsWith("mcp-")) {
            map.problem(map.keyNode(name), "the header `" + name + "` is sluice's to write; take it out");
        } else if (map.keys().stream().filter(name::equalsIgnoreCase).count() > 1) {
            map.problem(map.keyNode(name), "the header `" + name + "` stands here twice; keep one");
        } else if (!HEADER_VALUE.matcher(text.written()).matches()) {
            map.problem(
                    node,
                    "the value of `" + name + "` can't be sent in a header; write one line of ASCII, without spaces"
                            + " around it");
        } else if (text.holdsSecret(name)) {
            map.problem(node, secret("the header `" + name + "`"));
        }
    }

    private static void checkEnv(YamlMap map, String name, Node node, EnvironmentText text) {
        if (!VARIABLE.matcher(name).matches()) {
            map.problem(
                    map.keyNode(name),
                    "`" + PlainName.of(name) + "` can't name an environment variable; write one such as NOTES_DIR");
        } else if (text.written().indexOf('\0') >= 0) {
            map.problem(node, "the value of `" + name + "` can't hold U+0000; take it out");
        } else if (text.holdsSecret(name)) {
            map.problem(node, secret("the variable `" + name + "`"));
        }
    }

    /** The value is not repeated. */
    private static String secret(String what) {
        return what + " looks like a secret, which must not stand in this file; put it into the environment and name"
                + " the variable here, such as ${NOTES_TOKEN}";
    }

    private static Duration time(YamlMap map, String key, Duration usual, String or) {
        return map.text(key)
                .map(text -> {
                    Matcher matcher = TIME.matcher(text);
                    if (matcher.matches()) {
                        long number = Long.parseLong(matcher.group(1));
                        Duration time = switch (String.valueOf(matcher.group(2))) {
                            case "s" -> Duration.ofSeconds(number);
                            case "m" -> Duration.ofMinutes(number);
                            default -> Duration.ofHours(number);
                        };
                        if (!time.isZero() && time.compareTo(LONGEST) <= 0) {
                            return time;
                        }
                    }
                    map.problem(
                            map.node(key).orElseThrow(),
                            "`" + key + "` can't be `" + PlainName.of(text)
                                    + "`; write a time such as 30s, 10m or 2h, 24h" + " at most" + or);
                    return usual;
                })
                .orElse(usual);
    }
}
