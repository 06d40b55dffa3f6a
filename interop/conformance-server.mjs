// A server with what the scenarios of the official conformance suite ask for in 2025-11-25, and what asks the client.
//
// node conformance-server.mjs <node_modules>          speaks on standard input and output
// node conformance-server.mjs <node_modules> <port>   speaks Streamable HTTP on 127.0.0.1; 0 for any free port
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import {
  answer,
  complete,
  form,
  found,
  isLocal,
  lists,
  object,
  prompts,
  read,
  string,
  text,
  tools,
} from "./conformance-features.mjs";

const [modules, port] = process.argv.slice(2);
const sdk = `${modules}/@modelcontextprotocol/sdk/dist/esm`;
const { Server } = await import(`${sdk}/server/index.js`);
const { StdioServerTransport } = await import(`${sdk}/server/stdio.js`);
const { StreamableHTTPServerTransport } = await import(`${sdk}/server/streamableHttp.js`);
const types = await import(`${sdk}/types.js`);

const titled = (...names) => names.map((name) => ({ const: name, title: `The ${name}` }));

const choices = ["option1", "option2", "option3"];
const enums = form({
  untitledSingle: { type: "string", enum: choices },
  titledSingle: { type: "string", oneOf: titled("value1", "value2", "value3") },
  legacyEnum: { type: "string", enum: ["opt1", "opt2"], enumNames: ["Option One", "Option Two"] },
  untitledMulti: { type: "array", items: { type: "string", enum: choices } },
  titledMulti: { type: "array", items: { anyOf: titled("value1", "value2", "value3") } },
});
const defaults = form({
  name: { type: "string", default: "John Doe" },
  age: { type: "integer", default: 30 },
  score: { type: "number", default: 95.5 },
  status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
  verified: { type: "boolean", default: true },
});

const all = {
  ...tools,
  test_sampling: [
    object({ prompt: string }),
    async ({ prompt }, { ask }) => {
      const params = { messages: [{ role: "user", content: text(prompt) }], maxTokens: 100 };
      const said = await ask("sampling/createMessage", params, types.CreateMessageResultSchema);
      return answer(text(`LLM response: ${said.content.text}`));
    },
  ],
  test_elicitation: [
    object({ message: string }),
    async ({ message }, { elicit }) => {
      const said = await elicit(message, object({ username: string, email: string }));
      return answer(text(`User response: ${JSON.stringify(said)}`));
    },
  ],
  test_elicitation_sep1034_defaults: [object(), (_, { elicit }) => filled(elicit, defaults)],
  test_elicitation_sep1330_enums: [object(), (_, { elicit }) => filled(elicit, enums)],
  // Closes its stream while it works: who reads on with the last id that it saw gets the answer.
  test_reconnection: [
    object(),
    async (_, { closeStream }) => {
      closeStream?.();
      await pause(100);
      return answer(text("The answer came after the stream was closed."));
    },
  ],
};

async function filled(elicit, schema) {
  const said = await elicit("Please fill this in", schema);
  return answer(text(`Elicitation completed: action=${said.action}, content=${JSON.stringify(said.content)}`));
}

function server() {
  const made = new Server(
    { name: "sluice-conformance-fixture", version: "1.0.0" },
    { capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {}, logging: {} } },
  );
  const on = (schema, handler) => made.setRequestHandler(schema, handler);
  on(types.ListToolsRequestSchema, () => ({ tools: lists.tools(all) }));
  on(types.CallToolRequestSchema, ({ params }, extra) => {
    const ask = (method, asked, schema) => extra.sendRequest({ method, params: asked }, schema);
    return found(all, params.name, "tool")[1](params.arguments ?? {}, {
      ask,
      elicit: (message, requestedSchema) =>
        ask("elicitation/create", { message, requestedSchema }, types.ElicitResultSchema),
      notify: (method, told) => extra.sendNotification({ method, params: told }),
      token: params._meta?.progressToken,
      closeStream: extra.closeSSEStream,
    });
  });
  on(types.ListResourcesRequestSchema, () => ({ resources: lists.resources() }));
  on(types.ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: lists.resourceTemplates() }));
  on(types.ReadResourceRequestSchema, ({ params }) => read(params.uri, -32002));
  on(types.SubscribeRequestSchema, () => ({}));
  on(types.UnsubscribeRequestSchema, () => ({}));
  on(types.ListPromptsRequestSchema, () => ({ prompts: lists.prompts(prompts) }));
  on(types.GetPromptRequestSchema, ({ params }) => ({
    messages: found(prompts, params.name, "prompt")[1](params.arguments ?? {}),
  }));
  on(types.CompleteRequestSchema, ({ params }) => complete(params));
  return made;
}

/** The events of one session, from which a stream that was cut off is read on. */
function events() {
  const kept = [];
  return {
    async storeEvent(stream, message) {
      return String(kept.push({ stream, message }));
    },
    async replayEventsAfter(last, { send }) {
      const stream = kept[last - 1]?.stream;
      for (let i = Number(last); i < kept.length; i++) {
        if (kept[i].stream === stream && kept[i].message.jsonrpc) {
          await send(String(i + 1), kept[i].message);
        }
      }
      return stream;
    },
  };
}

async function refuse(response, status, message) {
  response.writeHead(status, { "Content-Type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32600, message } }));
}

async function serve(sessions, request, response) {
  const { "mcp-session-id": id } = request.headers;
  if (!isLocal(request.headers)) {
    return refuse(response, 403, "only pages and programs of this machine may come here");
  }
  if (new URL(request.url, "http://localhost").pathname !== "/mcp") {
    return refuse(response, 404, "the endpoint is /mcp");
  }
  if (id !== undefined && !sessions.has(id)) {
    return refuse(response, 404, "no such session");
  }
  if (id !== undefined) {
    return sessions.get(id).handleRequest(request, response);
  }
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (fresh) => sessions.set(fresh, transport),
    onsessionclosed: (old) => sessions.delete(old),
    eventStore: events(),
    retryInterval: 100,
  });
  await server().connect(transport);
  return transport.handleRequest(request, response);
}

if (port === undefined) {
  await server().connect(new StdioServerTransport());
  process.stdin.on("end", () => process.exit(0));
} else {
  const sessions = new Map();
  const http = createServer((request, response) => {
    serve(sessions, request, response).catch((e) => {
      console.error(e);
      response.destroy();
    });
  });
  http.listen(Number(port), "127.0.0.1", () => {
    console.log(`listening on http://127.0.0.1:${http.address().port}/mcp`);
  });
}
