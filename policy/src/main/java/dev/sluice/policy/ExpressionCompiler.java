package dev.sluice.policy;

import com.google.common.collect.ImmutableCollection;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelFunctionDecl;
import dev.cel.common.CelIssue;
import dev.cel.common.CelOptions;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.CelValidationException;
import dev.cel.common.CelValidationResult;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.navigation.CelNavigableAst;
import dev.cel.common.navigation.CelNavigableExpr;
import dev.cel.common.types.CelKind;
import dev.cel.common.types.CelType;
import dev.cel.common.types.CelTypeProvider;
import dev.cel.common.types.ListType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.types.StructType;
import dev.cel.common.values.NullValue;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerBuilder;
import dev.cel.compiler.CelCompilerFactory;
import dev.cel.parser.CelMacro;
import dev.cel.parser.CelMacroExprFactory;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelFunctionBinding;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelRuntimeFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The language of one kind of expression: CEL's standard, with {@code inAudience}, {@code flat} and {@code within}. */
final class ExpressionCompiler {

    /** An expression of a policy is a condition, and no program. */
    private static final CelOptions OPTIONS = CelOptions.current()
            .enableHeterogeneousNumericComparisons(true)
            .comprehensionMaxIterations(10_000)
            .maxExpressionCodePointSize(4_096)
            .maxParseRecursionDepth(64)
            .build();

    /** What {@code flat} becomes; no policy can write this name. */
    private static final String FLAT = "@flat";

    /** CEL's own name of {@code a ? b : c}. */
    private static final String CONDITIONAL = "_?_:_";

    /** The functions whose last argument is the name of an audience. */
    private static final Set<String> ASKING = Set.of("inAudience", "within");

    private static final StructType CLASS = struct(
            "DataClass",
            ImmutableMap.of("name", SimpleType.STRING, "regulatory", SimpleType.STRING, "label", SimpleType.STRING));

    static final StructType LABEL = struct(
            "Label",
            ImmutableMap.of(
                    "integrity",
                    SimpleType.STRING,
                    "confidentiality",
                    SimpleType.STRING,
                    "sources",
                    ListType.create(SimpleType.STRING),
                    "classes",
                    ListType.create(CLASS)));

    private static final StructType AUDIENCE =
            struct("Audience", ImmutableMap.of("members", ListType.create(SimpleType.STRING)));

    static final StructType CALL = struct(
            "Call",
            ImmutableMap.of(
                    "server",
                    SimpleType.STRING,
                    "tool",
                    SimpleType.STRING,
                    "effects",
                    ListType.create(SimpleType.STRING),
                    "arguments",
                    SimpleType.DYN,
                    "label",
                    LABEL,
                    "audience",
                    AUDIENCE));

    private static final StructType ANSWER = struct("Answer", ImmutableMap.of("label", LABEL));

    private final Map<String, Audience> audiences;
    private final String names;
    private final CelCompiler compiler;
    private final CelRuntime runtime;

    @SuppressWarnings("Immutable") // the audiences of a policy never change
    ExpressionCompiler(Expressions.About about, Map<String, Audience> audiences) {
        this.audiences = audiences;
        this.names = switch (about) {
            case ITEM -> "item, args, server, principal, inAudience, flat";
            case SPAN -> "match, groups, item, args, server, principal, inAudience, flat";
            case CALL -> "call, inAudience, flat";
            case PART -> "label, server, tool, principal, inAudience, flat";
            case ANSWER -> "answer, inAudience, flat";
        };
        CelCompilerBuilder builder = CelCompilerFactory.standardCelCompilerBuilder()
                .setOptions(OPTIONS)
                .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
                .addMacros(CelMacro.newGlobalVarArgMacro(
                        "flat", (make, target, arguments) -> Optional.of(flat(make, arguments))))
                .setTypeProvider(types(CLASS, LABEL, AUDIENCE, CALL, ANSWER))
                .addFunctionDeclarations(
                        CelFunctionDecl.newFunctionDeclaration(
                                "inAudience",
                                CelOverloadDecl.newGlobalOverload(
                                        "inAudience_dyn_string", SimpleType.BOOL, SimpleType.DYN, SimpleType.STRING)),
                        CelFunctionDecl.newFunctionDeclaration(
                                FLAT,
                                CelOverloadDecl.newGlobalOverload(
                                        "flat_list",
                                        ListType.create(SimpleType.DYN),
                                        ListType.create(SimpleType.DYN))));
        if (about == Expressions.About.SPAN) {
            builder.addVar("match", SimpleType.STRING).addVar("groups", ListType.create(SimpleType.STRING));
        }
        if (about == Expressions.About.ITEM || about == Expressions.About.SPAN) {
            builder.addVar("item", SimpleType.DYN)
                    .addVar("args", SimpleType.DYN)
                    .addVar("server", SimpleType.STRING)
                    .addVar("principal", SimpleType.STRING);
        } else if (about == Expressions.About.PART) {
            builder.addVar("label", LABEL)
                    .addVar("server", SimpleType.STRING)
                    .addVar("tool", SimpleType.STRING)
                    .addVar("principal", SimpleType.STRING);
        } else if (about == Expressions.About.ANSWER) {
            builder.addVar("answer", ANSWER);
        } else {
            builder.addVar("call", CALL)
                    .addFunctionDeclarations(CelFunctionDecl.newFunctionDeclaration(
                            "within",
                            CelOverloadDecl.newMemberOverload(
                                    "audience_within", SimpleType.BOOL, AUDIENCE, SimpleType.STRING)));
        }
        compiler = builder.build();
        runtime = CelRuntimeFactory.plannerRuntimeBuilder()
                .setOptions(OPTIONS)
                .addFunctionBindings(
                        CelFunctionBinding.from(
                                "inAudience_dyn_string",
                                Object.class,
                                String.class,
                                (who, name) -> isIn(audiences, who, name)),
                        CelFunctionBinding.from("flat_list", List.class, ExpressionCompiler::flattened),
                        CelFunctionBinding.from("audience_within", Map.class, String.class, CallVariables::isWithin))
                .build();
    }

    Expression compile(Expressions.Kind kind, String text) throws Expression.Failure {
        CelValidationResult result = compiler.compile(text);
        if (result.hasError()) {
            throw new Expression.Failure(sentence(result.getErrors().get(0)));
        }
        try {
            CelAbstractSyntaxTree tree = result.getAst();
            if (!gives(kind, tree.getResultType())) {
                throw new Expression.Failure("must give " + kind.words() + ", and gives "
                        + tree.getResultType().name() + kind.mend());
            }
            return new Expression(text, runtime.createProgram(tree), asked(tree));
        } catch (CelValidationException | CelEvaluationException e) {
            throw new Expression.Failure("can't be evaluated; write it more plainly");
        }
    }

    private static boolean gives(Expressions.Kind kind, CelType type) {
        if (type.kind() == CelKind.DYN) {
            return kind != Expressions.Kind.TRUTH; // a rule that may give anything would err when it matters
        }
        return switch (kind) {
            case TEXT -> type.equals(SimpleType.STRING);
            case TRUTH -> type.equals(SimpleType.BOOL);
            case LIST ->
                type instanceof ListType list
                        && (!list.hasElemType()
                                || list.elemType().equals(SimpleType.STRING)
                                || list.elemType().kind() == CelKind.DYN
                                || list.elemType().kind() == CelKind.TYPE_PARAM);
        };
    }

    private String sentence(CelIssue issue) {
        String message = issue.getMessage()
                .replace(" (in container '')", "")
                .replaceAll("(?s) (\\(candidates:|expecting ).*", "")
                .replace("'<EOF>'", "the end")
                .replaceAll("\\s+", " ")
                .replace('\'', '`')
                .strip();
        String first = message.isEmpty() ? "" : message.substring(0, 1).toLowerCase(Locale.ROOT) + message.substring(1);
        int at = issue.getSourceLocation().getColumn();
        return "is no expression: " + first + (at >= 0 ? ", at character " + (at + 1) : "")
                + (message.startsWith("undeclared") ? "; there are " + names : "");
    }

    /**
     * Returns the audiences that an expression asks about. One that nobody described would have no members whatever is
     * asked, so a slip would never be noticed.
     */
    private Set<String> asked(CelAbstractSyntaxTree tree) throws Expression.Failure {
        Set<String> asked = new TreeSet<>();
        for (CelNavigableExpr each :
                CelNavigableAst.fromAst(tree).getRoot().allNodes().toList()) {
            CelExpr expression = each.expr();
            if (expression.getKind() != CelExpr.ExprKind.Kind.CALL
                    || !ASKING.contains(expression.call().function())) {
                continue;
            }
            List<CelExpr> arguments = expression.call().args();
            CelConstant name = arguments.get(arguments.size() - 1).constantOrDefault();
            if (name.getKind() != CelConstant.Kind.STRING_VALUE) {
                throw new Expression.Failure("must write the name of an audience out, such as 'clinic'");
            }
            if (!audiences.containsKey(name.stringValue())) {
                throw new Expression.Failure("asks about `" + name.stringValue()
                        + "`, which is no audience of this policy; describe it under `audiences`");
            }
            asked.add(name.stringValue());
        }
        return asked;
    }

    /** {@code flat(item.from, item.a.b)} becomes one list of lists, each empty where its member is absent. */
    private static CelExpr flat(CelMacroExprFactory make, ImmutableList<CelExpr> arguments) {
        List<CelExpr> lists = new ArrayList<>();
        for (CelExpr argument : arguments) {
            List<CelExpr> guards = new ArrayList<>();
            for (CelExpr at = argument;
                    at.getKind() == CelExpr.ExprKind.Kind.SELECT;
                    at = at.select().operand()) {
                guards.add(
                        0,
                        make.newSelect(
                                make.copy(at.select().operand()), at.select().field(), true));
            }
            CelExpr one = make.newList(make.copy(argument));
            for (int i = guards.size() - 1; i >= 0; i--) {
                one = make.newGlobalCall(CONDITIONAL, guards.get(i), one, make.newList());
            }
            lists.add(make.newGlobalCall(FLAT, one));
        }
        return make.newGlobalCall(FLAT, make.newList(lists));
    }

    /** Returns the elements of {@code list}, those of its lists in their place, without nulls of its own. */
    private static List<Object> flattened(List<?> list) {
        List<Object> flat = new ArrayList<>();
        for (Object each : list) {
            if (each instanceof List<?> inner) {
                flat.addAll(inner);
            } else if (!(each instanceof NullValue)) {
                flat.add(each);
            }
        }
        return flat;
    }

    private static boolean isIn(Map<String, Audience> audiences, Object who, String name) {
        Audience audience = audiences.get(name);
        return audience != null && who instanceof String text && audience.has(text);
    }

    private static StructType struct(String name, ImmutableMap<String, CelType> fields) {
        return StructType.create(name, fields.keySet(), field -> Optional.ofNullable(fields.get(field)));
    }

    private static CelTypeProvider types(StructType... types) {
        ImmutableMap.Builder<String, CelType> named = ImmutableMap.builder();
        for (StructType type : types) {
            named.put(type.name(), type);
        }
        ImmutableMap<String, CelType> all = named.build();
        return new CelTypeProvider() {
            @Override
            public ImmutableCollection<CelType> types() {
                return all.values();
            }

            @Override
            public Optional<CelType> findType(String name) {
                return Optional.ofNullable(all.get(name));
            }
        };
    }
}
