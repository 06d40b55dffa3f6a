package dev.sluice.policy;

import dev.sluice.labels.Vocabulary;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.nodes.Node;

/** Reads what a policy says of evidence: {@code evidence} of a server, and {@code vocabularies}. */
final class EvidenceReader {

    /** 32 bytes in base64 are 43 characters and a filler. */
    private static final Pattern KEY = Pattern.compile("ed25519:[A-Za-z0-9+/]{43}=");

    /** A host name of DNS, with a port where wanted; no address, no wildcard. */
    private static final Pattern HOST =
            Pattern.compile("([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z][a-z0-9-]{0,62}(:[0-9]{1,5})?");

    private static final int LONGEST_HOURS = 24 * 366;

    private EvidenceReader() {}

    static EvidenceTrust evidence(String server, YamlMap map) {
        String source = map.text("source").orElse(server);
        Map<String, String> keys = new LinkedHashMap<>();
        map.map("keys").ifPresent(listed -> {
            for (String id : listed.keys()) {
                listed.text(id).ifPresent(key -> {
                    if (!KEY.matcher(key).matches()) {
                        listed.problem(
                                listed.node(id).orElseThrow(),
                                "`" + id + "` is no Ed25519 key; write `ed25519:` and the base64 of its 32 bytes");
                    }
                    keys.put(id, key);
                });
            }
        });
        int hours = map.text("hours").map(text -> hours(map, text)).orElse(EvidenceTrust.USUAL_HOURS);
        List<String> https = map.texts("https").orElse(List.of());
        for (String host : https) {
            if (!HOST.matcher(host).matches()) {
                map.problem(
                        map.node("https").orElseThrow(),
                        "`" + host + "` is no host that records are fetched from; write a lower-case name such as"
                                + " records.clinic.example");
            }
        }
        String files = map.text("files").orElse("");
        if (!files.isEmpty() && !isAbsolute(files)) {
            map.problem(map.node("files").orElseThrow(), "`" + files + "` is no absolute path; write one");
        }
        map.end("`evidence`");
        return new EvidenceTrust(source, keys, hours, https, files);
    }

    private static int hours(YamlMap map, String text) {
        if (text.matches("[0-9]{1,4}") && Integer.parseInt(text) >= 1 && Integer.parseInt(text) <= LONGEST_HOURS) {
            return Integer.parseInt(text);
        }
        map.problem(
                map.node("hours").orElseThrow(),
                "`hours` can't be `" + text + "`; write a whole number from 1 to " + LONGEST_HOURS);
        return EvidenceTrust.USUAL_HOURS;
    }

    private static boolean isAbsolute(String path) {
        try {
            return Path.of(path).isAbsolute();
        } catch (InvalidPathException e) {
            return false;
        }
    }

    /** Returns a vocabulary; empty, with a problem, where it is none. */
    static Optional<Vocabulary> vocabulary(Node node, YamlMap map, Set<String> ids) {
        Optional<String> id = map.text("id");
        Map<String, Vocabulary.Meaning> classes = new LinkedHashMap<>();
        Optional<YamlMap> listed = map.map("classes");
        listed.ifPresent(names -> names.keys()
                .forEach(name ->
                        names.choice(name, Vocabulary.Meaning.class).ifPresent(meaning -> classes.put(name, meaning))));
        Set<String> regulatory = new TreeSet<>(map.texts("regulatory").orElse(List.of()));
        Set<String> labels = new TreeSet<>(map.texts("labels").orElse(List.of()));
        map.end("a vocabulary");
        if (id.isEmpty() || classes.isEmpty()) {
            map.problem(
                    node, "a vocabulary needs an `id` that records name, and `classes`, each `public` or `sensitive`");
            return Optional.empty();
        }
        if (!ids.add(id.get())) {
            map.problem(node, "a vocabulary `" + id.get() + "` stands here already; give this one another id");
            return Optional.empty();
        }
        try {
            return Optional.of(new Vocabulary(id.get(), classes, regulatory, labels));
        } catch (IllegalArgumentException e) {
            map.problem(node, String.valueOf(e.getMessage()));
            return Optional.empty();
        }
    }
}
