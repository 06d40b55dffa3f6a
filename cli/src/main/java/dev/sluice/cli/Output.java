package dev.sluice.cli;

import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/** How a command reports: for people, or as JSON. */
final class Output {

    @Option(names = "--json", description = "Report as JSON, one value a line.")
    private boolean json;

    boolean isJson() {
        return json;
    }

    void line(String text) {
        System.out.println(text);
    }

    void line(JsonNode value) {
        System.out.println(value);
    }

    /** Says something beside the report, so that whoever reads that does not get it. */
    static void aside(String text) {
        System.err.println("sluice: " + text);
    }
}
