package dev.sluice.cli;

import dev.sluice.wire.Finding;
import dev.sluice.wire.json.JsonIndex;
import dev.sluice.wire.json.MalformedJsonException;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Explains what a server says in its annotations. */
@Command(
        name = "annotations",
        mixinStandardHelpOptions = true,
        header = "Explain what a result or a tool claims, and what is wrong with it.",
        synopsisSubcommandLabel = "(check)")
final class AnnotationsCommand {

    @Command(
            name = "check",
            mixinStandardHelpOptions = true,
            header = "Explain the claims of a result or of tools, and find what is wrong with them.",
            description = {
                "",
                "Reads the result of tools/list, tools/call, resources/read or prompts/get, a",
                "single tool, or the JSON-RPC answer around one of them. Findings are lines of a",
                "JSON Pointer and a message. Ends with 0 where there are none, and with 1 where",
                "there are.",
                ""
            })
    int check(@Mixin Output out, @Mixin InputFile input) {
        AnnotationReport report;
        try {
            report = AnnotationReport.of(JsonIndex.parse(input.read()).root().tree());
        } catch (MalformedJsonException e) {
            throw new Main.InputFailure("this is no strict JSON: " + e.getMessage());
        }
        if (out.isJson()) {
            out.line(json(report));
        } else {
            report.claims().forEach(claim -> out.line("# " + claim));
            report.findings().forEach(finding -> out.line(finding.pointer() + ": " + finding.message()));
        }
        return report.findings().isEmpty() ? 0 : 1;
    }

    private static ObjectNode json(AnnotationReport report) {
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        node.put("clean", report.findings().isEmpty());
        ArrayNode claims = node.putArray("claims");
        report.claims().forEach(claims::add);
        ArrayNode findings = node.putArray("findings");
        for (Finding finding : report.findings()) {
            findings.addObject()
                    .put("pointer", finding.pointer())
                    .put("code", finding.code().name().toLowerCase(Locale.ROOT))
                    .put("message", finding.message());
        }
        return node;
    }
}
