package dev.sluice.policy;

import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.nodes.Node;

/** Reads {@code readers} of a server: who is asked who may read its resources. */
final class ReadersReader {

    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,63}");
    private static final Duration LONGEST_WITHIN = Duration.ofSeconds(30);
    private static final Duration LONGEST_KEEP = Duration.ofMinutes(10);

    private ReadersReader() {}

    static ReaderLookup readers(YamlMap map) {
        List<ReaderLookup.Place> places = new ArrayList<>();
        map.map("static").ifPresent(stated -> places.add(stated(stated)));
        map.texts("command").ifPresent(words -> {
            if (words.isEmpty()) {
                map.problem(map.node("command").orElseThrow(), "`command` is empty; write the program to start");
            }
            places.add(new ReaderLookup.Place.Command(words));
        });
        String tokenEnv = map.text("token_env").orElse("");
        map.text("url").ifPresent(url -> places.add(service(map, url, tokenEnv)));
        Duration within = map.time("within", Duration.ofMillis(1), LONGEST_WITHIN, ReaderLookup.USUAL_WITHIN);
        Duration keep = map.time("keep", Duration.ZERO, LONGEST_KEEP, ReaderLookup.USUAL_KEEP);
        if (!tokenEnv.isEmpty() && map.node("url").isEmpty()) {
            map.problem(map.node("token_env").orElseThrow(), "`token_env` is for a `url`; add one, or take this out");
        }
        map.end("`readers`");
        if (places.size() != 1) {
            map.problem("`readers` needs one of `static`, `command` and `url`, and has " + places.size() + " of them");
            return new ReaderLookup(new ReaderLookup.Place.Stated(Map.of()), within, keep);
        }
        return new ReaderLookup(places.get(0), within, keep);
    }

    private static ReaderLookup.Place stated(YamlMap map) {
        Map<String, Set<String>> readers = new LinkedHashMap<>();
        for (String key : map.keys()) {
            List<String> names = map.texts(key).orElse(List.of());
            for (Node item : map.items(map.node(key).orElseThrow())) {
                map.text(item, "a reader").ifPresent(name -> ReturnsReader.checkPerson(map, item, name));
            }
            if (readers.put(key.toLowerCase(Locale.ROOT), new TreeSet<>(names)) != null) {
                map.problem(map.keyNode(key), "the resource `" + key + "` stands here twice; keep one");
            }
        }
        return new ReaderLookup.Place.Stated(readers);
    }

    private static ReaderLookup.Place service(YamlMap map, String url, String tokenEnv) {
        if (!isAllowed(url)) {
            map.problem(
                    map.node("url").orElseThrow(),
                    "`" + url + "` can't be asked; write an https address, or http with 127.0.0.1 or [::1], without"
                            + " user and password");
        }
        if (!tokenEnv.isEmpty() && !VARIABLE.matcher(tokenEnv).matches()) {
            map.problem(
                    map.node("token_env").orElseThrow(),
                    "`token_env` names an environment variable, never the token itself; write such as READERS_TOKEN");
        }
        return new ReaderLookup.Place.Service(url, tokenEnv);
    }

    private static boolean isAllowed(String url) {
        try {
            URI uri = new URI(url);
            String host = uri.getHost();
            boolean here = "http".equals(uri.getScheme()) && ("127.0.0.1".equals(host) || "[::1]".equals(host));
            return host != null
                    && uri.getRawUserInfo() == null
                    && uri.getRawFragment() == null
                    && ("https".equals(uri.getScheme()) || here);
        } catch (URISyntaxException e) {
            return false;
        }
    }
}
