// A server with what the scenarios of the official conformance suite ask for: tools, resources and prompts of fixed names.
//
// node conformance-server.mjs <node_modules>          speaks on standard input and output
// node conformance-server.mjs <node_modules> <port>   speaks Streamable HTTP on 127.0.0.1; 0 for any free port
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";

const [modules, port] = process.argv.slice(2);
const sdk = `${modules}/@modelcontextprotocol/sdk/dist/esm`;
const { Server } = await import(`${sdk}/server/index.js`);
const { StdioServerTransport } = await import(`${sdk}/server/stdio.js`);
const { StreamableHTTPServerTransport } = await import(`${sdk}/server/streamableHttp.js`);
const types = await import(`${sdk}/types.js`);

// One pixel; and a sound of no samples: a RIFF header alone.
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

const text = (said) => ({ type: "text", text: said });
const image = { type: "image", data: PNG, mimeType: "image/png" };
const answer = (...content) => ({ content });
const resource = (uri, mimeType, said) => ({ type: "resource", resource: { uri, mimeType, text: said } });
const object = (properties = {}) => ({ type: "object", properties, required: Object.keys(properties) });
const form = (properties) => ({ type: "object", properties });
const string = { type: "string" };
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

// Keywords that a reader which knows only older schemas drops.
const schema2020 = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: { address: { $anchor: "addressDef", type: "object", properties: { street: string, city: string } } },
  properties: {
    name: string,
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: string,
    email: string,
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
};

/** What a tool does gets its arguments, the call as the SDK sees it, and the means to speak while it runs. */
const tools = {
  test_simple_text: [object(), () => answer(text("This is a simple text response for testing."))],
  test_image_content: [object(), () => answer(image)],
  test_audio_content: [object(), () => answer({ type: "audio", data: WAV, mimeType: "audio/wav" })],
  test_embedded_resource: [
    object(),
    () => answer(resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")),
  ],
  test_multiple_content_types: [
    object(),
    () =>
      answer(
        text("Multiple content types test:"),
        image,
        resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
      ),
  ],
  test_error_handling: [
    object(),
    () => ({ ...answer(text("This tool intentionally returns an error for testing")), isError: true }),
  ],
  test_tool_with_logging: [
    object(),
    async (_, { notify }) => {
      for (const data of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
        await notify("notifications/message", { level: "info", data });
        await pause(50);
      }
      return answer(text("Three messages were logged."));
    },
  ],
  test_tool_with_progress: [
    object(),
    async (_, { notify, token }) => {
      for (const progress of [0, 50, 100]) {
        if (token !== undefined) {
          await notify("notifications/progress", { progressToken: token, progress, total: 100 });
        }
        await pause(50);
      }
      return answer(text("All of it is done."));
    },
  ],
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
  json_schema_2020_12_tool: [schema2020, () => answer(text("valid"))],
};

async function filled(elicit, schema) {
  const said = await elicit("Please fill this in", schema);
  return answer(text(`Elicitation completed: action=${said.action}, content=${JSON.stringify(said.content)}`));
}

const resources = {
  "test://static-text": { mimeType: "text/plain", text: "This is the content of the static text resource." },
  "test://static-binary": { mimeType: "image/png", blob: PNG },
  "test://watched-resource": { mimeType: "text/plain", text: "This one can be watched." },
};
const TEMPLATE = /^test:\/\/template\/([^/]+)\/data$/;

function read(uri) {
  const id = TEMPLATE.exec(uri)?.[1];
  if (id !== undefined) {
    const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
    return { contents: [{ uri, mimeType: "application/json", text: data }] };
  }
  if (!(uri in resources)) {
    throw new types.McpError(-32002, "Resource not found", { uri });
  }
  return { contents: [{ uri, ...resources[uri] }] };
}

const user = (content) => ({ role: "user", content });
const prompts = {
  test_simple_prompt: [[], () => [user(text("This is a simple prompt for testing."))]],
  test_prompt_with_arguments: [
    ["arg1", "arg2"],
    ({ arg1, arg2 }) => [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
  ],
  test_prompt_with_embedded_resource: [
    ["resourceUri"],
    ({ resourceUri }) => [
      user(resource(resourceUri, "text/plain", "Embedded resource content for testing.")),
      user(text("Please process the embedded resource above.")),
    ],
  ],
  test_prompt_with_image: [[], () => [user(image), user(text("Please analyze the image above."))]],
};

function found(map, name, what) {
  if (!Object.hasOwn(map, name)) {
    throw new types.McpError(types.ErrorCode.InvalidParams, `there is no ${what} \`${name}\``);
  }
  return map[name];
}

function server() {
  const made = new Server(
    { name: "sluice-conformance-fixture", version: "1.0.0" },
    { capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {}, logging: {} } },
  );
  const on = (schema, handler) => made.setRequestHandler(schema, handler);
  on(types.ListToolsRequestSchema, () => ({
    tools: Object.entries(tools).map(([name, [inputSchema]]) => ({ name, description: `The tool ${name}`, inputSchema })),
  }));
  on(types.CallToolRequestSchema, ({ params }, extra) => {
    const ask = (method, asked, schema) => extra.sendRequest({ method, params: asked }, schema);
    return found(tools, params.name, "tool")[1](params.arguments ?? {}, {
      ask,
      elicit: (message, requestedSchema) =>
        ask("elicitation/create", { message, requestedSchema }, types.ElicitResultSchema),
      notify: (method, told) => extra.sendNotification({ method, params: told }),
      token: params._meta?.progressToken,
      closeStream: extra.closeSSEStream,
    });
  });
  on(types.ListResourcesRequestSchema, () => ({
    resources: Object.entries(resources).map(([uri, { mimeType }]) => ({
      uri,
      name: uri.replace("test://", ""),
      description: `The resource ${uri}`,
      mimeType,
    })),
  }));
  on(types.ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [
      {
        uriTemplate: "test://template/{id}/data",
        name: "template",
        description: "Data for any id",
        mimeType: "application/json",
      },
    ],
  }));
  on(types.ReadResourceRequestSchema, ({ params }) => read(params.uri));
  on(types.SubscribeRequestSchema, () => ({}));
  on(types.UnsubscribeRequestSchema, () => ({}));
  on(types.ListPromptsRequestSchema, () => ({
    prompts: Object.entries(prompts).map(([name, [names]]) => ({
      name,
      description: `The prompt ${name}`,
      arguments: names.map((each) => ({ name: each, description: `The argument ${each}`, required: true })),
    })),
  }));
  on(types.GetPromptRequestSchema, ({ params }) => ({
    messages: found(prompts, params.name, "prompt")[1](params.arguments ?? {}),
  }));
  on(types.CompleteRequestSchema, ({ params }) => {
    const values = ["paris", "park", "party"].filter((each) => each.startsWith(params.argument.value));
    return { completion: { values, total: values.length, hasMore: false } };
  });
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

const LOCAL = /^(https?:\/\/)?(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;

async function serve(sessions, request, response) {
  const { host = "", origin, "mcp-session-id": id } = request.headers;
  if (!LOCAL.test(host) || (origin !== undefined && !LOCAL.test(origin))) {
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
