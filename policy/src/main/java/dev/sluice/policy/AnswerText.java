package dev.sluice.policy;

import dev.sluice.wire.json.JsonIndex;
import dev.sluice.wire.json.MalformedJsonException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionEndEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.DocumentStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;
import org.snakeyaml.engine.v2.schema.CoreSchema;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Reads the text of an answer in the format that the operator stated; what is not quite of it is not read at all. */
final class AnswerText {

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final int LONGEST = 4 << 20;
    private static final int DEEPEST = 64;
    private static final int LONGEST_NUMBER = 400;
    private static final Pattern DECIMAL = Pattern.compile("[-+]?(\\.[0-9]+|[0-9]+(\\.[0-9]*)?)([eE][-+]?[0-9]{1,4})?");

    private AnswerText() {}

    static Optional<JsonNode> parse(ItemRule.Format format, String text) {
        if (text.length() > LONGEST || !StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            return Optional.empty();
        }
        return format == ItemRule.Format.JSON ? json(text) : yaml(text);
    }

    private static Optional<JsonNode> json(String text) {
        try {
            return Optional.of(JsonIndex.parse(text.getBytes(StandardCharsets.UTF_8))
                    .root()
                    .tree());
        } catch (MalformedJsonException e) {
            return Optional.empty();
        }
    }

    private static Optional<JsonNode> yaml(String text) {
        LoadSettings settings = LoadSettings.builder()
                .setSchema(new CoreSchema())
                .setMaxAliasesForCollections(0)
                .setAllowNonScalarKeys(true) // so that they are met below
                .setAllowDuplicateKeys(false)
                .setCodePointLimit(LONGEST)
                .build();
        try {
            if (!isPlain(settings, text)) {
                return Optional.empty();
            }
            return new Compose(settings).composeString(text).map(AnswerText::value);
        } catch (YamlEngineException | OddYamlException e) {
            return Optional.empty();
        }
    }

    /** Returns whether {@code text} can be built without much coming of little: no aliases, one document, not too deep. */
    private static boolean isPlain(LoadSettings settings, String text) {
        int depth = 0;
        int documents = 0;
        for (Event event : new Parse(settings).parseString(text)) {
            if (event instanceof AliasEvent || (event instanceof DocumentStartEvent && ++documents > 1)) {
                return false;
            }
            if (event instanceof CollectionStartEvent && ++depth > DEEPEST) {
                return false;
            }
            if (event instanceof CollectionEndEvent) {
                depth--;
            }
        }
        return true;
    }

    private static JsonNode value(Node node) {
        if (node instanceof ScalarNode scalar) {
            return scalar(scalar);
        }
        if (node instanceof SequenceNode sequence && node.getTag().equals(Tag.SEQ)) {
            ArrayNode array = JSON.arrayNode();
            sequence.getValue().forEach(each -> array.add(value(each)));
            return array;
        }
        if (node instanceof MappingNode mapping && node.getTag().equals(Tag.MAP)) {
            ObjectNode object = JSON.objectNode();
            for (NodeTuple member : mapping.getValue()) {
                if (!(member.getKeyNode() instanceof ScalarNode key) || object.has(key.getValue())) {
                    throw new OddYamlException();
                }
                object.set(key.getValue(), value(member.getValueNode()));
            }
            return object;
        }
        throw new OddYamlException();
    }

    private static JsonNode scalar(ScalarNode node) {
        String text = node.getValue();
        Tag tag = node.getTag();
        if (tag.equals(Tag.STR)) {
            return JSON.stringNode(text);
        }
        if (tag.equals(Tag.NULL)) {
            return JSON.nullNode();
        }
        if (tag.equals(Tag.BOOL)) {
            return JSON.booleanNode(text.equalsIgnoreCase("true"));
        }
        if (text.length() > LONGEST_NUMBER) {
            throw new OddYamlException();
        }
        if (tag.equals(Tag.INT)) {
            return whole(text);
        }
        if (tag.equals(Tag.FLOAT)) {
            // JSON has no infinity and no NaN: such a scalar stays the text that it is.
            return DECIMAL.matcher(text).matches() ? JSON.numberNode(Double.parseDouble(text)) : JSON.stringNode(text);
        }
        throw new OddYamlException();
    }

    private static JsonNode whole(String text) {
        try {
            BigInteger value = text.startsWith("0x")
                    ? new BigInteger(text.substring(2), 16)
                    : text.startsWith("0o") ? new BigInteger(text.substring(2), 8) : new BigInteger(text);
            return value.bitLength() < 64 ? JSON.numberNode(value.longValue()) : JSON.numberNode(value);
        } catch (NumberFormatException e) {
            throw new OddYamlException(); // such as `!!int "x"`
        }
    }

    /** What JSON has no word for. */
    private static final class OddYamlException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        OddYamlException() {
            super("", null, false, false);
        }
    }
}
