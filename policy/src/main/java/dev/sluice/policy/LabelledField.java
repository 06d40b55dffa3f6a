package dev.sluice.policy;

import tools.jackson.databind.JsonNode;

/**
 * One member inside an item, with a label of its own or made by the service.
 *
 * @param pointer where it stands in the answer, a JSON Pointer (RFC 6901)
 * @param value the member; what is said holds for all below it that is no field itself
 * @param returns what it is: its own, then that of the nearest field around it, then that of its item
 * @param vouched whether the service itself made this value, such as an id
 */
public record LabelledField(String pointer, JsonNode value, Returns returns, boolean vouched) {}
