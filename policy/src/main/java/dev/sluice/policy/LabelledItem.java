package dev.sluice.policy;

import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * One item of an answer, with what the operator's rule says of it.
 *
 * @param pointer where it stands in the answer, a JSON Pointer (RFC 6901)
 * @param value the item
 * @param returns what it is: constants only, evaluated for this item; unsaid parts are those of the server's default
 * @param fields members with more said of them than of the item, each once, outer ones before what is inside them
 * @param findings why the item is labelled more strictly than its rule says; empty where it is not
 */
public record LabelledItem(
        String pointer, JsonNode value, Returns returns, List<LabelledField> fields, List<String> findings) {

    public LabelledItem {
        fields = List.copyOf(fields);
        findings = List.copyOf(findings);
    }
}
