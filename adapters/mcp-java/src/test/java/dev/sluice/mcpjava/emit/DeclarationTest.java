package dev.sluice.mcpjava.emit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.wire.ActionMetadata;
import dev.sluice.wire.DataSource;
import dev.sluice.wire.Destination;
import dev.sluice.wire.Outcome;
import dev.sluice.wire.Sensitivity.Kind;
import io.modelcontextprotocol.common.McpTransportContext;
import io.modelcontextprotocol.server.McpServerFeatures.AsyncToolSpecification;
import io.modelcontextprotocol.server.McpServerFeatures.SyncToolSpecification;
import io.modelcontextprotocol.server.McpStatelessServerFeatures;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import io.modelcontextprotocol.spec.McpSchema.ToolAnnotations;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;

/** What tools declare, by hand and by annotations, and what is refused before a server starts. */
class DeclarationTest {

    private static final Tool TOOL = Tool.builder("t", Map.of("type", "object")).build();

    private static Declaration.Builder whole() {
        return Declaration.builder()
                .destination(Destination.PUBLIC)
                .accepts(Kind.NONE)
                .outcome(Outcome.IRREVERSIBLE)
                .source(DataSource.UNTRUSTED_PUBLIC)
                .returns(Kind.PII);
    }

    private static Arguments bad(String fault, UnaryOperator<Declaration.Builder> builder, String message) {
        return Arguments.of(fault, builder, message);
    }

    static List<Arguments> badDeclarations() {
        return List.of(
                bad(
                        "nothing",
                        builder -> builder,
                        "a tool does not say in `destination` who can see the arguments afterwards: state it"),
                bad(
                        "no-accepts",
                        builder -> builder.destination(Destination.PUBLIC),
                        "a tool does not say in `accepts` what the arguments may hold, `NONE` at least: state it"),
                bad(
                        "no-outcome",
                        builder -> builder.destination(Destination.PUBLIC).accepts(Kind.NONE),
                        "a tool does not say in `outcome` what a call can do: state it"),
                bad(
                        "no-source",
                        builder -> builder.destination(Destination.PUBLIC)
                                .accepts(Kind.NONE)
                                .outcome(Outcome.BENIGN),
                        "a tool does not say in `source` where results come from: state it"),
                bad(
                        "no-returns",
                        builder -> builder.destination(Destination.PUBLIC)
                                .accepts(Kind.NONE)
                                .outcome(Outcome.BENIGN)
                                .source(DataSource.SYSTEM),
                        "a tool does not say in `returns` what results may hold, `NONE` at least: state it"),
                bad(
                        "regulated-without-regimes",
                        builder -> builder.accepts(Kind.REGULATED),
                        "a tool names regulated data without its regimes: name them in `acceptsRegulated`"),
                bad(
                        "unrecognised",
                        builder -> builder.returns(Kind.UNRECOGNIZED),
                        "a tool names data of a kind that is not recognised, which only a reader can find: name its kind"),
                bad(
                        "no-regime",
                        builder -> builder.acceptsRegulated(),
                        "a tool has no regime in `acceptsRegulated`, or an empty one: name each, such as `HIPAA`"),
                bad(
                        "empty-regime",
                        builder -> builder.returnsRegulated("HIPAA", " "),
                        "a tool has no regime in `returnsRegulated`, or an empty one: name each, such as `HIPAA`"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("badDeclarations")
    void badDeclaration_isRefused(String fault, UnaryOperator<Declaration.Builder> builder, String message) {
        Exception e = assertThrows(
                IllegalArgumentException.class,
                () -> builder.apply(Declaration.builder()).build());

        assertEquals(message, e.getMessage(), fault);
    }

    @Test
    void declaredByHand_isWhatTheDraftsRead() {
        Declaration declaration =
                whole().acceptsRegulated("HIPAA").requiresReview().build();

        ActionMetadata read = ActionMetadata.decodeTool(LegacyOutgoing.tree(LabelledTools.declare(declaration, TOOL)))
                .value();

        assertEquals(declaration.metadata(), read);
        assertEquals(
                "{\"inputMetadata\":{\"destination\":\"public\",\"sensitivity\":[\"none\",{\"regulated\":{\"scopes\":"
                        + "[\"HIPAA\"]}}]},\"returnMetadata\":{\"source\":\"untrustedPublic\",\"sensitivity\":\"pii\"},"
                        + "\"outcome\":\"irreversible\",\"requiresReview\":true}",
                PlainJson.tree(declaration.meta()).path(ActionMetadata.KEY).toString());
    }

    private static Tool hinted(Consumer<ToolAnnotations.Builder> hints) {
        ToolAnnotations.Builder builder = ToolAnnotations.builder();
        hints.accept(builder);
        return Tool.builder("t", Map.of("type", "object"))
                .annotations(builder.build())
                .build();
    }

    @Test
    void hintsThatSayTheOpposite_areRefused() {
        Declaration inside = whole().destination(Destination.USER).build();
        Declaration reader = Declaration.builder()
                .destination(Destination.EPHEMERAL)
                .accepts(Kind.NONE)
                .outcome(Outcome.BENIGN)
                .source(DataSource.UNTRUSTED_PUBLIC)
                .returns(Kind.NONE)
                .build();
        Map<String, Runnable> bad = Map.of(
                "`t` has `readOnlyHint` true and declares the outcome `irreversible`: only one of them can be so",
                () -> LabelledTools.declare(inside, hinted(hints -> hints.readOnlyHint(true))),
                "`t` has `openWorldHint` false and declares the destination `public`: only one of them can be so",
                () -> LabelledTools.declare(inside, hinted(hints -> hints.openWorldHint(false))),
                "`t` has `openWorldHint` false and declares the source `untrustedPublic`: only one of them can be so",
                () -> LabelledTools.declare(reader, hinted(hints -> hints.openWorldHint(false))));
        bad.forEach((message, declare) -> assertEquals(
                message,
                assertThrows(IllegalArgumentException.class, declare::run).getMessage()));

        Tool fine = LabelledTools.declare(
                reader, hinted(hints -> hints.readOnlyHint(true).openWorldHint(true)));
        assertEquals(true, fine.annotations().readOnlyHint());
    }

    @Test
    void declaredTwice_isRefused_unlessTheSame() {
        Tool once = LabelledTools.declare(whole().build(), TOOL);

        assertEquals(once, LabelledTools.declare(whole().build(), once));
        Exception e = assertThrows(
                IllegalArgumentException.class,
                () -> LabelledTools.declare(whole().requiresReview().build(), once));
        assertEquals("`t` has other action metadata in its `_meta`: declare it once", e.getMessage());
    }

    /** One faulty method each. */
    static final class Faulty {

        static final class NoReturns {
            @Action(destination = Destination.USER, accepts = Kind.NONE, outcome = Outcome.BENIGN)
            CallToolResult t() {
                return CallToolResult.builder().build();
            }
        }

        static final class NoAction {
            @Returns(source = DataSource.USER, sensitivity = Kind.NONE)
            CallToolResult t() {
                return CallToolResult.builder().build();
            }
        }

        static final class EmptyDestination {
            @Action(
                    destination = {},
                    accepts = Kind.NONE,
                    outcome = Outcome.BENIGN)
            @Returns(source = DataSource.USER, sensitivity = Kind.NONE)
            CallToolResult t() {
                return CallToolResult.builder().build();
            }
        }

        static final class WrongParameter {
            @Action(destination = Destination.USER, accepts = Kind.NONE, outcome = Outcome.BENIGN)
            @Returns(source = DataSource.USER, sensitivity = Kind.NONE)
            CallToolResult t(String text) {
                return CallToolResult.builder().addTextContent(text).build();
            }
        }

        static final class WrongResult {
            @Action(destination = Destination.USER, accepts = Kind.NONE, outcome = Outcome.BENIGN)
            @Returns(source = DataSource.USER, sensitivity = Kind.NONE)
            String t() {
                return "";
            }
        }

        static final class Twice {
            @Action(destination = Destination.USER, accepts = Kind.NONE, outcome = Outcome.BENIGN)
            @Returns(source = DataSource.USER, sensitivity = Kind.NONE)
            CallToolResult t() {
                return CallToolResult.builder().build();
            }

            @Action(tool = "t", destination = Destination.USER, accepts = Kind.NONE, outcome = Outcome.BENIGN)
            @Returns(source = DataSource.USER, sensitivity = Kind.NONE)
            CallToolResult t(CallToolRequest request) {
                return CallToolResult.builder().addTextContent(request.name()).build();
            }
        }

        static final class Fine {
            @Action(destination = Destination.USER, accepts = Kind.NONE, outcome = Outcome.BENIGN)
            @Returns(source = DataSource.UNTRUSTED_PUBLIC, sensitivity = Kind.NONE)
            CallToolResult t(CallToolRequest request) throws Exception {
                if (request.arguments() == null) {
                    throw new Exception("no arguments");
                }
                if (request.arguments().isEmpty()) {
                    throw new IllegalArgumentException("empty");
                }
                return CallToolResult.builder().addTextContent("x").build();
            }
        }
    }

    @Test
    void faultyMethods_areRefusedBeforeTheServerStarts() {
        Map<Object, String> bad = Map.of(
                new Faulty.NoReturns(),
                "the method `t` has no `@Returns`: a tool declares both, put it on the method",
                new Faulty.NoAction(),
                "the method `t` has no `@Action`: a tool declares both, put it on the method",
                new Faulty.EmptyDestination(),
                "the tool of the method `t` does not say in `destination` who can see the arguments afterwards: state it",
                new Faulty.WrongParameter(),
                "the method `t` can't answer a tool: let it take `McpSyncServerExchange` and `CallToolRequest`, each at most"
                        + " once, and return `CallToolResult`",
                new Faulty.WrongResult(),
                "the method `t` can't answer a tool: let it take `McpSyncServerExchange` and `CallToolRequest`, each at most"
                        + " once, and return `CallToolResult`",
                new Faulty.Twice(),
                "`t` and `t` both answer the tool `t`: name another tool in one of them",
                new Object(),
                "no method answers the tool `t`: put `@Action` and `@Returns` on one, with that name in `tool`");
        bad.forEach((owner, message) -> assertEquals(
                message,
                assertThrows(IllegalArgumentException.class, () -> LabelledTools.annotated(owner, TOOL))
                        .getMessage()));
    }

    @Test
    void methodsAndTools_mustMatch() {
        Exception none = assertThrows(IllegalArgumentException.class, () -> LabelledTools.annotated(new Faulty.Fine()));
        assertEquals(
                "the method `t` answers the tool `t`, which is not given: give it, or take the annotations away",
                none.getMessage());
        Exception twice = assertThrows(
                IllegalArgumentException.class, () -> LabelledTools.annotated(new Faulty.Fine(), TOOL, TOOL));
        assertEquals("the tool `t` is given twice: give it once", twice.getMessage());
    }

    @Test
    void whatAMethodThrows_comesThrough() {
        SyncToolSpecification tool =
                LabelledTools.annotated(new Faulty.Fine(), TOOL).get(0);

        Exception own = assertThrows(
                IllegalArgumentException.class,
                () -> tool.callHandler()
                        .apply(
                                null,
                                CallToolRequest.builder("t").arguments(Map.of()).build()));
        assertEquals("empty", own.getMessage());
        Exception checked = assertThrows(
                IllegalStateException.class,
                () -> tool.callHandler().apply(null, new CallToolRequest("t", null, null)));
        assertEquals("the tool `t` failed: java.lang.Exception: no arguments", checked.getMessage());
    }

    @Test
    void everyKindOfTool_isDeclaredAndLabelled() {
        Declaration declaration = whole().build();
        CallToolResult plain = CallToolResult.builder().addTextContent("x").build();
        CallToolRequest request =
                CallToolRequest.builder("t").arguments(Map.of("a", 1)).build();
        AsyncToolSpecification async =
                LabelledTools.declare(declaration, new AsyncToolSpecification(TOOL, (exchange, r) -> Mono.just(plain)));
        var stateless = LabelledTools.declare(
                declaration, new McpStatelessServerFeatures.SyncToolSpecification(TOOL, (context, r) -> plain));
        var statelessAsync = LabelledTools.declare(
                declaration,
                new McpStatelessServerFeatures.AsyncToolSpecification(TOOL, (context, r) -> Mono.just(plain)));
        var annotated =
                LabelledTools.annotatedStateless(new Faulty.Fine(), TOOL).get(0);
        for (Tool tool : List.of(async.tool(), stateless.tool(), statelessAsync.tool(), annotated.tool())) {
            assertTrue(tool.meta().containsKey(ActionMetadata.KEY), tool.toString());
        }
        for (CallToolResult result : List.of(
                async.callHandler().apply(null, request).block(),
                stateless.callHandler().apply(McpTransportContext.EMPTY, request),
                statelessAsync
                        .callHandler()
                        .apply(McpTransportContext.EMPTY, request)
                        .block(),
                annotated.callHandler().apply(McpTransportContext.EMPTY, request))) {
            assertTrue(
                    PlainJson.tree(result.meta())
                            .path("io.modelcontextprotocol/trust-annotations")
                            .path("untrusted")
                            .booleanValue(),
                    result.toString());
        }
    }

    @Test
    void untrustedResultOfATrustedSource_isNotSent() {
        Declaration trusted = Declaration.builder()
                .destination(Destination.EPHEMERAL)
                .accepts(Kind.NONE)
                .outcome(Outcome.BENIGN)
                .source(DataSource.INTERNAL)
                .returns(Kind.PII)
                .build();
        CallToolResult result = CallToolResult.builder().addTextContent("x").build();
        for (CallToolResult labelled : List.of(
                Labels.of(result).untrusted().build(),
                Labels.of(result).sensitive().block(0, PartLabel::untrusted).build(),
                CallToolResult.builder()
                        .addTextContent("x")
                        .meta(Map.of("ifc", Map.of("integrity", "untrusted")))
                        .build())) {
            SyncToolSpecification tool =
                    LabelledTools.declare(trusted, new SyncToolSpecification(TOOL, (exchange, r) -> labelled));

            Exception e = assertThrows(
                    IllegalStateException.class,
                    () -> tool.callHandler()
                            .apply(
                                    null,
                                    CallToolRequest.builder("t")
                                            .arguments(Map.of())
                                            .build()));

            assertEquals(
                    "`t` declares no source `untrustedPublic`, and this result is labelled untrusted: declare it in"
                            + " `source`; the result is not sent",
                    e.getMessage());
        }
    }
}
