package dev.sluice.policy;

import dev.cel.common.CelErrorCode;
import dev.cel.common.values.NullValue;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.Program;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/**
 * One CEL expression of a policy (<a href="https://github.com/cel-expr/cel-spec">the language</a>), type-checked when the
 * policy was loaded. It has no side effects and ends after a bounded number of steps.
 */
public final class Expression {

    private final String text;
    private final Program program;
    private final Set<String> audiences;

    Expression(String text, Program program, Set<String> audiences) {
        this.text = text;
        this.program = program;
        this.audiences = Set.copyOf(audiences);
    }

    /** Returns the expression as it was written. */
    public String text() {
        return text;
    }

    /** Returns the names of the audiences that it asks about. */
    Set<String> audiences() {
        return audiences;
    }

    /**
     * Returns the value for these variables, each made by {@link #value} or a text: a text, number or truth value of Java,
     * a list or a map.
     *
     * @throws Failure where there is none; the message holds no data
     */
    Object eval(Map<String, Object> variables) throws Failure {
        try {
            // Given the map itself, the runtime would copy it.
            return program.eval(name -> Optional.ofNullable(variables.get(name)));
        } catch (CelEvaluationException e) {
            throw new Failure("`" + shown() + "` " + reason(code(e)));
        } catch (RuntimeException e) {
            throw new Failure("`" + shown() + "` can't be evaluated");
        }
    }

    private String shown() {
        String line = text.strip().replaceAll("\\s+", " ").replace('`', '\'');
        return line.length() > 120 ? line.substring(0, 120) + "..." : line;
    }

    /** An error below `&&` or `||` comes as a value of a wrong kind whose text names the error. */
    private static CelErrorCode code(CelEvaluationException e) {
        String text = String.valueOf(e.getMessage());
        if (e.getErrorCode() != CelErrorCode.INTERNAL_ERROR || !text.contains("Expected boolean value")) {
            return e.getErrorCode();
        }
        return text.contains("AttributeNotFoundException")
                ? CelErrorCode.ATTRIBUTE_NOT_FOUND
                : CelErrorCode.OVERLOAD_NOT_FOUND;
    }

    private static String reason(CelErrorCode code) {
        return switch (code) {
            case ATTRIBUTE_NOT_FOUND -> "asks for a member that is not there; ask `has(...)` first";
            case INDEX_OUT_OF_BOUNDS -> "asks for an element that is not there";
            case OVERLOAD_NOT_FOUND -> "uses a value of another kind than it can";
            case ITERATION_BUDGET_EXCEEDED -> "takes too many steps";
            case DIVIDE_BY_ZERO -> "divides by zero";
            case NUMERIC_OVERFLOW -> "has a number that is too large";
            default -> "can't be evaluated";
        };
    }

    /** Returns what an expression sees of a value. */
    static Object value(JsonNode node) {
        if (node.isObject()) {
            Map<String, Object> members = new LinkedHashMap<>();
            node.properties().forEach(member -> members.put(member.getKey(), value(member.getValue())));
            return members;
        }
        if (node.isArray()) {
            List<Object> elements = new ArrayList<>(node.size());
            node.forEach(element -> elements.add(value(element)));
            return elements;
        }
        if (node.isString()) {
            return node.stringValue();
        }
        if (node.isBoolean()) {
            return node.booleanValue();
        }
        if (node.isIntegralNumber() && node.canConvertToLong()) {
            return node.longValue();
        }
        if (node.isNumber()) {
            return node.numberValue().doubleValue(); // infinite where it is too large; never an error
        }
        return NullValue.NULL_VALUE;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Expression expression && expression.text.equals(text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }

    /** An expression that gives no value, or one of another kind; the message is for people. */
    static final class Failure extends Exception {
        private static final long serialVersionUID = 1L;

        Failure(String message) {
            super(message, null, false, false);
        }

        @Override
        public String getMessage() {
            return String.valueOf(super.getMessage());
        }
    }
}
