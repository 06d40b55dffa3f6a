package dev.sluice.langchain4j;

import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.exception.ToolArgumentsException;
import dev.langchain4j.exception.ToolExecutionException;
import dev.langchain4j.invocation.InvocationContext;
import dev.langchain4j.mcp.McpToolExecutor;
import dev.langchain4j.service.tool.ToolExecutionResult;
import dev.langchain4j.service.tool.ToolExecutor;

/** Tells the model of a denial in words, and judges nothing: that the transport does. */
final class GuardedExecutor implements ToolExecutor {

    private static final System.Logger LOG = System.getLogger("dev.sluice");

    private static final String WITHHELD =
            "sluice withheld the answer of this tool, since it came over a connection that no policy guards. The"
                    + " application must give its MCP client a guarded transport.";

    private final ToolExecutor executor;

    GuardedExecutor(ToolExecutor executor) {
        this.executor = executor;
    }

    @Override
    public String execute(ToolExecutionRequest request, Object memoryId) {
        return executeWithContext(
                        request,
                        InvocationContext.builder().chatMemoryId(memoryId).build())
                .resultText();
    }

    @Override
    public ToolExecutionResult executeWithContext(ToolExecutionRequest request, InvocationContext context) {
        ToolCall call = new ToolCall();
        ToolCall before = call.begin();
        try {
            ToolExecutionResult result = executor.executeWithContext(request, context);
            return isUnguarded(call) ? withheld(request) : result;
        } catch (RuntimeException e) {
            String denial = call.denial();
            if (denial != null) {
                return error(denial);
            }
            if (isUnguarded(call) && isOfServer(e)) {
                return withheld(request);
            }
            throw e;
        } finally {
            ToolCall.endTo(before);
        }
    }

    /** Only an executor that always asks its server tells that nothing was asked. */
    private boolean isUnguarded(ToolCall call) {
        return executor instanceof McpToolExecutor && !call.isJudged();
    }

    private static boolean isOfServer(RuntimeException fault) {
        return fault instanceof ToolExecutionException
                || (fault instanceof ToolArgumentsException arguments && arguments.errorCode() != null);
    }

    private static ToolExecutionResult withheld(ToolExecutionRequest request) {
        LOG.log(
                System.Logger.Level.ERROR,
                "`" + request.name()
                        + "` was called over a connection that no policy guards: give its MCP client a guarded"
                        + " transport");
        return error(WITHHELD);
    }

    static ToolExecutionResult error(String text) {
        return ToolExecutionResult.builder().isError(true).resultText(text).build();
    }
}
