package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.gateway.LogEvent;
import dev.sluice.policy.PolicyParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** What the Markdown files say is true: policies, commands, links and reason codes. */
class DocsTest {

    private static final Pattern POLICY = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL);
    private static final Pattern FENCED = Pattern.compile("```\n(.*?)```", Pattern.DOTALL);
    private static final Pattern INLINE = Pattern.compile("`([^`\n]+)`");
    private static final Pattern COMMAND = Pattern.compile("^\\s*(?:\\./)?sluice (.+)$");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("^#+ (.+)$", Pattern.MULTILINE);
    private static final Pattern CODES = Pattern.compile("^\\| `([a-z-]+)` \\|", Pattern.MULTILINE);

    /** Where code names a reason: the second argument of a violation, that of a call that could not be decided, and that of an allowed call. */
    private static final Pattern REASON = Pattern.compile(
            "new Violation\\(\\s*Control\\.\\w+,([^,]+),|undecided\\(\\s*inbound,\\s*(\"[a-z-]+\")|orElse\\((\"[a-z-]+\")\\)");

    private static Path root = Path.of("..");
    private static Map<Path, String> pages = Map.of();

    @BeforeAll
    static void read() throws IOException {
        root = Path.of("..").toRealPath();
        pages = texts(root, ".md");
        assertTrue(pages.containsKey(root.resolve("README.md")), "the pages are read");
    }

    private static Map<Path, String> texts(Path folder, String ending) throws IOException {
        Map<Path, String> texts = new LinkedHashMap<>();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(each -> each.toString().endsWith(ending))
                    .filter(each -> !each.toString().matches(".*/(target|node_modules|\\.[^/]*)/.*"))
                    .sorted()
                    .toList()) {
                texts.put(file, Files.readString(file));
            }
        }
        return texts;
    }

    private static List<String> groups(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(DocsTest::firstGroup).toList();
    }

    private static String firstGroup(MatchResult match) {
        for (int i = 1; i <= match.groupCount(); i++) {
            if (match.group(i) != null) {
                return match.group(i);
            }
        }
        return "";
    }

    @Test
    void policies_areAccepted() {
        List<String> found = new ArrayList<>();
        pages.forEach((page, text) -> groups(POLICY, text).forEach(policy -> {
            found.add(policy);
            assertDoesNotThrow(() -> PolicyParser.parse(page.toString(), policy));
        }));
        assertTrue(found.size() >= 2, "README and docs/policy.md have one each");
    }

    @Test
    void commands_haveTheirVerbsAndOptions() {
        Set<String> wrong = new TreeSet<>();
        List<String> checked = new ArrayList<>();
        pages.forEach((page, text) -> {
            List<String> code = new ArrayList<>(groups(INLINE, text));
            groups(FENCED, text).forEach(block -> code.addAll(block.lines().toList()));
            for (String line : code) {
                groups(COMMAND, line).forEach(words -> {
                    checked.add(words);
                    wrong.addAll(faults(root.relativize(page) + ": sluice " + words, words));
                });
            }
        });
        assertEquals(Set.of(), wrong);
        assertTrue(checked.size() > 20, "commands are found");
    }

    /** What stands after {@code --} or {@code #} is no option of ours. */
    private static List<String> faults(String where, String words) {
        List<String> faults = new ArrayList<>();
        CommandLine command = SluiceCommand.commandLine(Map.of());
        for (String word : words.split("\\s+", -1)) {
            if (word.equals("--") || word.equals("#")) {
                break;
            }
            CommandLine verb = command.getSubcommands().get(word);
            if (verb != null) {
                command = verb;
            } else if (word.startsWith("-") && command.getCommandSpec().findOption(word) == null) {
                faults.add(where + " has no " + word);
            } else if (!word.startsWith("-") && !command.getSubcommands().isEmpty()) {
                faults.add(where + " has no verb " + word);
                break;
            }
        }
        return faults;
    }

    @Test
    void links_lead() {
        Set<String> dead = new TreeSet<>();
        pages.forEach((page, text) -> groups(LINK, text).forEach(link -> {
            if (link.startsWith("https://")) {
                return;
            }
            String[] parts = link.split("#", 2);
            Path target =
                    parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
            if (!Files.exists(target) || (parts.length == 2 && !headings(target).contains(parts[1]))) {
                dead.add(root.relativize(page) + " -> " + link);
            }
        }));
        assertEquals(Set.of(), dead);
    }

    /** Headings as links name them: letters, digits and hyphens, spaces as hyphens. */
    private static List<String> headings(Path page) {
        return groups(HEADING, pages.getOrDefault(page, "")).stream()
                .map(heading -> heading.toLowerCase(java.util.Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N} _-]", "")
                        .replace(' ', '-'))
                .toList();
    }

    @Test
    void eventsAndMetrics_areThoseOfTheCode() throws IOException {
        String page = pages.getOrDefault(root.resolve("docs/observability.md"), "");
        Set<String> events = new TreeSet<>();
        for (LogEvent event : LogEvent.values()) {
            events.add(event.id());
        }
        String log = page.substring(page.indexOf("## Log"), page.indexOf("## Metrics"));
        assertEquals(events, new TreeSet<>(groups(Pattern.compile("^\\| `([a-z._]+)` \\|", Pattern.MULTILINE), log)));

        Set<String> metrics = new TreeSet<>();
        String made = "gateway/src/main/java/dev/sluice/gateway";
        List<String> sources = new ArrayList<>(
                texts(root.resolve(made + "/telemetry"), ".java").values());
        sources.add(Files.readString(root.resolve(made + "/HttpGateway.java")));
        sources.forEach(source -> metrics.addAll(groups(Pattern.compile("\"((?:sluice|mcp)_[a-z_]+)\""), source)));
        metrics.remove("mcp_method_name"); // a label
        String table = page.substring(page.indexOf("## Metrics"), page.indexOf("## Traces"));
        assertEquals(metrics, new TreeSet<>(groups(Pattern.compile("^\\| `([a-z_]+)` \\|", Pattern.MULTILINE), table)));
    }

    @Test
    void reasonCodes_areThoseOfTheCode() throws IOException {
        String policy = pages.getOrDefault(root.resolve("docs/policy.md"), "");
        String section = policy.substring(policy.indexOf("### Reason codes"), policy.indexOf("## Mode"));
        Set<String> inCode = new TreeSet<>();
        for (String room : List.of("policy", "guard")) {
            texts(root.resolve(room).resolve("src/main"), ".java")
                    .values()
                    .forEach(source -> groups(REASON, source)
                            .forEach(found -> inCode.addAll(groups(Pattern.compile("\"([a-z-]+)\""), found))));
        }
        assertEquals(inCode, new TreeSet<>(groups(CODES, section)));
    }
}
