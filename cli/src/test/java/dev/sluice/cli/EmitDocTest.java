package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.wire.json.JsonIndex;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;
import tools.jackson.databind.JsonNode;

/** A stranger's server: what {@code docs/emit.md} has its reader write is built, run, and accepted. */
class EmitDocTest {

    /** The most that labels may cost, beyond what the SDK's own server has. */
    private static final int MOST_LINES = 15;

    private static Page page;

    @TempDir
    private Path project;

    @BeforeAll
    static void read() throws IOException {
        page = new Page("emit.md");
    }

    private static List<String> blocks(String language) {
        return page.blocks(language);
    }

    private Path compiled(String name, List<String> sources) throws IOException {
        return Page.compiled(project.resolve(name), sources);
    }

    /** Sends lines to a server and returns its answers, by their ids, as it wrote them. */
    private Map<Integer, String> played(Path classes, String main, List<String> lines) throws Exception {
        Process server = new ProcessBuilder(Page.command(classes, main))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .directory(project.toFile())
                .start();
        Map<Integer, String> answers = new TreeMap<>();
        try (OutputStream in = server.getOutputStream();
                BufferedReader out = server.inputReader(StandardCharsets.UTF_8)) {
            for (String line : lines) {
                in.write((line + "\n").getBytes(StandardCharsets.UTF_8));
                in.flush();
                JsonNode id = json(line).path("id");
                if (id.isMissingNode()) {
                    continue;
                }
                String answer = out.readLine();
                assertTrue(answer != null && json(answer).path("id").equals(id), line + " -> " + answer);
                answers.put(id.intValue(), answer);
            }
        } finally {
            server.destroyForcibly().waitFor();
        }
        return answers;
    }

    private static JsonNode json(String line) {
        return JsonIndex.parse(line.getBytes(StandardCharsets.UTF_8)).root().tree();
    }

    private static Told check(String answer) {
        return Told.reading(answer.getBytes(StandardCharsets.UTF_8), Map.of(), "annotations", "check", "-");
    }

    @Test
    void labelledServer_isAcceptedAndSaysWhatThePageSays() throws Exception {
        Path classes = compiled("labelled", List.of(blocks("java").get(1)));

        Map<Integer, String> answers = played(
                classes,
                "com.example.NotesServer",
                blocks("json").get(0).lines().toList());

        Told list = check(answers.get(2));
        Told result = check(answers.get(3));
        assertEquals("0 0", list.exit() + " " + result.exit(), list + " " + result);
        assertEquals(blocks("text").get(0), (list.out() + result.out()).replace(System.lineSeparator(), "\n"));
        JsonNode tool = json(answers.get(2)).path("result").path("tools").path(0);
        String key = "io.modelcontextprotocol/action-metadata";
        assertEquals(tool.path("_meta").path(key), tool.path("annotations").path(key));
        assertTrue(tool.path("_meta").has(key), answers.get(2));
        JsonNode extensions =
                json(answers.get(1)).path("result").path("capabilities").path("extensions");
        assertTrue(extensions.has(key) && extensions.size() == 2, answers.get(1));
    }

    @Test
    void plainServer_runsToo_andDeclaresNothing() throws Exception {
        Path classes = compiled("plain", List.of(blocks("java").get(0)));

        Map<Integer, String> answers = played(
                classes,
                "com.example.NotesServer",
                blocks("json").get(0).lines().toList());

        assertEquals(
                "# `read_notes` declares nothing" + System.lineSeparator(),
                check(answers.get(2)).out());
    }

    /** Counted are lines of the labelled server that the plain one has not, and those of the dependency. */
    @Test
    void labels_takeFewLines() throws Exception {
        List<String> plain = lines(blocks("java").get(0));
        List<String> labelled = lines(blocks("java").get(1));
        String dependency = Pattern.compile(
                        "<dependency>(?:(?!</dependency>).)*sluice-mcp-java.*?</dependency>", Pattern.DOTALL)
                .matcher(blocks("xml").get(0))
                .results()
                .findFirst()
                .orElseThrow()
                .group();

        int more = labelled.size()
                - common(plain, labelled)
                + (int) dependency.lines().count();

        assertTrue(more <= MOST_LINES, more + " lines");
        assertTrue(more > 5, "the two servers are compared");
    }

    private static List<String> lines(String block) {
        return block.lines().map(String::strip).filter(line -> !line.isEmpty()).toList();
    }

    /** Returns the length of the longest common subsequence. */
    private static int common(List<String> one, List<String> other) {
        int[][] longest = new int[one.size() + 1][other.size() + 1];
        for (int i = one.size() - 1; i >= 0; i--) {
            for (int j = other.size() - 1; j >= 0; j--) {
                longest[i][j] = one.get(i).equals(other.get(j))
                        ? 1 + longest[i + 1][j + 1]
                        : Math.max(longest[i + 1][j], longest[i][j + 1]);
            }
        }
        return longest[0][0];
    }

    @Test
    void otherSamples_compile_andTheirResultsAreAccepted() throws Exception {
        List<String> others = blocks("java").subList(2, blocks("java").size());
        String caller = """
                package com.example;
                public final class Caller {
                    public static void main(String[] args) throws Exception {
                        var mapper = dev.sluice.mcpjava.emit.EmittingJsonMapper.usual();
                        System.out.println("{\\"jsonrpc\\":\\"2.0\\",\\"id\\":1,\\"result\\":"
                                + mapper.writeValueAsString(Inbox.list()) + "}");
                        System.out.println("{\\"jsonrpc\\":\\"2.0\\",\\"id\\":2,\\"result\\":{\\"tools\\":["
                                + mapper.writeValueAsString(Inbox.tool().tool()) + "]}}");
                    }
                }
                """;
        List<String> sources = new ArrayList<>(others);
        sources.add(caller);
        Path classes = compiled("others", sources);

        Map<Integer, String> answers = played(classes, "com.example.Caller", List.of("{\"id\":1}", "{\"id\":2}"));

        Told tool = check(answers.get(2));
        assertEquals(0, tool.exit(), tool.toString());
        assertTrue(tool.out().contains("returns may hold `pii`"), tool.out());
        Told result = check(answers.get(1));
        assertEquals(0, result.exit(), result.toString());
        assertTrue(result.out().contains("the result is claimed untrusted, and claimed sensitive"), result.out());
        assertTrue(result.out().contains("`/content/0` is claimed trusted"), result.out());
        JsonNode label =
                json(answers.get(1)).path("result").path("_meta").path("io.modelcontextprotocol/trust-annotations");
        assertEquals(
                "{\"/mails/0\":{\"untrusted\":false},\"/mails/1\":{\"untrusted\":true}}",
                label.path("dev.sluice/items").toString());
        Path record = Path.of(URI.create(label.path("evidenceRef").path("ref").asString("")));
        assertEquals("{\"class\":\"personal\"}", Files.readString(record));

        String meta = "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
                + "\"io.modelcontextprotocol/clientCapabilities\":{}";
        String call = ",\"method\":\"tools/call\",\"params\":{\"name\":\"send_mail\",\"arguments\":{}," + meta;
        Map<Integer, String> modern = played(
                classes,
                "com.example.ModernMailServer",
                List.of(
                        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{" + meta + "}}}",
                        "{\"jsonrpc\":\"2.0\",\"id\":2" + call + "}}}",
                        "{\"jsonrpc\":\"2.0\",\"id\":3" + call + ",\"annotations\":{\"openWorldHint\":true}}}}"));
        modern.values()
                .forEach(answer ->
                        assertEquals(0, check(answer).exit(), check(answer).toString()));
        assertTrue(check(modern.get(1)).out().contains("wants a human's review"), modern.get(1));
        assertTrue(modern.get(2).contains("Sent."), modern.get(2));
        assertTrue(modern.get(3).contains("Refused: ask the user first."), modern.get(3));
    }

    @Test
    void pom_namesWhatThisBuildMakes() throws Exception {
        Document stated = xml(blocks("xml").get(0));
        Document root = xml(Files.readString(Path.of("..", "pom.xml")));
        Document module = xml(Files.readString(Path.of("..", "adapters", "mcp-java", "pom.xml")));
        String sdk = text(root, "/project/properties/newer-java-sdk.version");

        assertEquals(
                List.of(
                        text(root, "/project/groupId") + ":" + text(module, "/project/artifactId") + ":"
                                + text(root, "/project/version"),
                        "io.modelcontextprotocol.sdk:mcp-core:" + sdk,
                        "io.modelcontextprotocol.sdk:mcp-json-jackson3:" + sdk),
                dependencies(stated));
        assertEquals(
                text(module, "/project/properties/maven.compiler.release"),
                text(stated, "/project/properties/maven.compiler.release"));
    }

    /** Maven 3.8 takes a compiler plugin by itself that leaves {@code maven.compiler.release} aside. */
    @Test
    void pom_namesThePluginsOfThisBuild_andTheFolderOfThePublishedLibraries() throws Exception {
        Document stated = xml(blocks("xml").get(0));
        Document root = xml(Files.readString(Path.of("..", "pom.xml")));

        for (String plugin : List.of("maven-compiler-plugin", "maven-resources-plugin")) {
            String version = "//plugin[artifactId='" + plugin + "']/version";
            assertEquals(
                    text(root, "/project/build" + version),
                    text(stated, "/project/build/pluginManagement/plugins" + version.substring(1)));
        }
        URI folder = URI.create(text(stated, "/project/repositories/repository/url"));
        assertEquals("file", folder.getScheme());
        assertTrue(Path.of(folder).isAbsolute(), folder.toString());
    }

    private static List<String> dependencies(Document pom) throws Exception {
        NodeList found = (NodeList) xpath().evaluate("/project/dependencies/dependency", pom, XPathConstants.NODESET);
        List<String> all = new ArrayList<>();
        for (int i = 0; i < found.getLength(); i++) {
            all.add(xpath().evaluate("concat(groupId,':',artifactId,':',version)", found.item(i)));
        }
        return all;
    }

    private static XPath xpath() {
        return XPathFactory.newInstance().newXPath();
    }

    private static String text(Document document, String path) throws Exception {
        String text = xpath().evaluate(path, document);
        assertTrue(!text.isEmpty(), path);
        return text;
    }

    private static Document xml(String text) throws Exception {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
        return factory.newDocumentBuilder().parse(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    }
}
