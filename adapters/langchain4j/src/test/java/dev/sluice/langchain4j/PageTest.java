package dev.sluice.langchain4j;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The programs in the page on this adapter compile as they stand there. */
class PageTest {

    @TempDir
    private Path temp;

    @Test
    void programs_compile() throws Exception {
        Matcher block = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(Path.of("../../docs/enforce-langchain4j.md")));
        int found = 0;
        while (block.find()) {
            found++;
            assertEquals("", compile(block.group(1)));
        }
        assertEquals(3, found);
    }

    private String compile(String program) {
        Matcher name = Pattern.compile("^class (\\w+)", Pattern.MULTILINE).matcher(program);
        assertTrue(name.find(), program);
        JavaFileObject file =
                new SimpleJavaFileObject(URI.create("page:///" + name.group(1) + ".java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return program;
                    }
                };
        StringWriter said = new StringWriter();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<String> options = List.of(
                "-proc:none",
                "--release",
                "17",
                "-Xlint:-options",
                "-d",
                temp.toString(),
                "-classpath",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
        boolean done =
                compiler.getTask(said, null, null, options, null, List.of(file)).call();
        return done ? "" : said.toString();
    }
}
