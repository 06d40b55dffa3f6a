// A server with what the scenarios of the official conformance suite ask for in 2026-07-28, written without an SDK: each rule
// of the revision that the suite asks about stands here to be read. It has more than 400 lines because the suite asks for many
// tools of fixed names.
//
// node conformance-modern-server.mjs          speaks on standard input and output
// node conformance-modern-server.mjs <port>   speaks Streamable HTTP on 127.0.0.1; 0 for any free port
import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
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
  refusal,
  string,
  text,
  tools,
  user,
} from "./conformance-features.mjs";

const REVISION = "2026-07-28";
const KEY = "io.modelcontextprotocol/";
const TASKS = `${KEY}tasks`;
const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];
const INVALID = -32602;
const MISMATCH = -32020;
const CAPABILITY = -32021;
const VERSION = -32022;

// What asks the client: a result that names what is wanted, and the same request again with the answers.

const secret = randomBytes(32);
const mac = (said) => createHmac("sha256", secret).update(said).digest("base64url");

function sealed(value) {
  const said = Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${said}.${mac(said)}`;
}

function opened(state) {
  const [said, seal] = String(state).split(".");
  if (seal !== mac(said)) {
    throw refusal(INVALID, "the request state is not one of this server's");
  }
  return JSON.parse(Buffer.from(said, "base64url"));
}

const ask = (message, properties) => ({
  method: "elicitation/create",
  params: { mode: "form", message, requestedSchema: { ...form(properties), required: Object.keys(properties) } },
});
const sample = (prompt, maxTokens) => ({
  method: "sampling/createMessage",
  params: { messages: [user(text(prompt))], maxTokens },
});
const asks = {
  name: () => ask("What is your name?", { name: string }),
  color: () => ask("What is your favourite colour?", { color: string }),
  ok: () => ask("Please confirm", { ok: { type: "boolean" } }),
  capital: () => sample("What is the capital of France?", 100),
  greeting: () => sample("Generate a greeting", 50),
  roots: () => ({ method: "roots/list", params: {} }),
};
const NEEDED = { "elicitation/create": "elicitation", "sampling/createMessage": "sampling", "roots/list": "roots" };

/** Whether `response` is what a client may answer to `request`. */
function fits({ method }, response) {
  switch (method) {
    case "elicitation/create":
      return typeof response?.action === "string";
    case "sampling/createMessage":
      return response?.content !== undefined;
    default:
      return Array.isArray(response?.roots);
  }
}

/** What of `requests` has no answer yet; an answer that cannot be one is refused. */
function pending(requests, responses = {}) {
  if (responses === null || typeof responses !== "object" || Array.isArray(responses)) {
    throw refusal(INVALID, "`inputResponses` must be an object");
  }
  return Object.fromEntries(
    Object.entries(requests).filter(([key, request]) => {
      if (responses[key] !== undefined && !fits(request, responses[key])) {
        throw refusal(INVALID, `\`inputResponses.${key}\` is no answer to ${request.method}`);
      }
      return responses[key] === undefined;
    }),
  );
}

function inputRequired(inputRequests, state) {
  return { resultType: "input_required", inputRequests, ...(state && { requestState: sealed(state) }) };
}

/** Asks for all of `requests`, then answers; with a state where `kept` says so. */
function asking(requests, done, kept) {
  return [
    object(),
    (_, { inputResponses, requestState }) => {
      if (requestState !== undefined) {
        opened(requestState);
      }
      const left = pending(requests, inputResponses);
      if (Object.keys(left).length > 0) {
        return inputRequired(left, kept && { at: Date.now() });
      }
      if (kept && requestState === undefined) {
        throw refusal(INVALID, "the request state is missing");
      }
      return done(inputResponses);
    },
  ];
}

const said = (key) => (responses) => answer(text(`Received: ${JSON.stringify(responses[key])}`));

function rounds(_, { inputResponses, requestState }) {
  const state = requestState === undefined ? { round: 1 } : opened(requestState);
  const step = { 1: { step1: asks.name() }, 2: { step2: asks.color() } }[state.round];
  const left = pending(step, inputResponses);
  if (Object.keys(left).length > 0) {
    return inputRequired(left, state);
  }
  return state.round === 1
    ? inputRequired({ step2: asks.color() }, { round: 2, name: inputResponses.step1.content?.name })
    : answer(text(`${state.name} likes ${inputResponses.step2.content?.color}`));
}

/** Asks only for what the client says it can do. */
function suited(_, { inputResponses, can }) {
  const all = { name: asks.name(), capital: asks.capital(), roots: asks.roots() };
  const able = Object.fromEntries(Object.entries(all).filter(([, { method }]) => can[NEEDED[method]] !== undefined));
  const left = pending(able, inputResponses);
  return Object.keys(left).length > 0 ? inputRequired(left) : answer(text("Nothing more to ask."));
}

// Tasks: made by the server where the client can follow them, told of when asked.

const tasks = new Map();

function task(run) {
  const made = { taskId: randomUUID(), status: "working", createdAt: now(), lastUpdatedAt: now() };
  Object.assign(made, { ttlMs: 600_000, pollIntervalMs: 100 });
  tasks.set(made.taskId, { told: made, answers: {} });
  const end = (status, more) => {
    if (made.status !== "cancelled") {
      Object.assign(made, { status, lastUpdatedAt: now() }, more);
    }
  };
  const wait = new AbortController();
  tasks.get(made.taskId).cancel = () => {
    end("cancelled");
    delete made.inputRequests;
    wait.abort();
  };
  run(tasks.get(made.taskId), wait.signal).then(
    (result) => end("completed", { result: { resultType: "complete", ...result } }),
    (e) => end("failed", { error: { code: e.code ?? -32603, message: e.message } }),
  );
  return { resultType: "task", ...made };
}

const now = () => new Date().toISOString();

/** Waits for the client's answers, which come with `tasks/update`. */
async function answers(made, requests) {
  Object.assign(made.told, { status: "input_required", inputRequests: requests });
  await new Promise((resolve) => (made.answered = resolve));
  delete made.told.inputRequests;
  made.told.status = "working";
  return made.answers;
}

function update({ taskId, inputResponses = {} }) {
  const made = kept(taskId);
  for (const [key, response] of Object.entries(inputResponses)) {
    if (made.told.inputRequests?.[key] !== undefined) {
      made.answers[key] = response;
      const { [key]: _, ...left } = made.told.inputRequests;
      made.told.inputRequests = left;
    }
  }
  if (made.told.inputRequests !== undefined && Object.keys(made.told.inputRequests).length === 0) {
    made.answered();
  }
  return {};
}

function kept(taskId) {
  if (!tasks.has(taskId)) {
    throw refusal(INVALID, `there is no task \`${taskId}\``);
  }
  return tasks.get(taskId);
}

/** A tool whose work is a task where the client can follow one, and done at once elsewhere, or refused. */
function job(schema, run, required) {
  return [
    schema,
    async (given, call) => {
      if (call.can.extensions?.[TASKS] !== undefined) {
        return task((made, signal) => run(given, made, signal));
      }
      if (required) {
        throw lacking({ extensions: { [TASKS]: {} } });
      }
      return run(given);
    },
  ];
}

const confirmed = (...keys) => Object.fromEntries(keys.map((key) => [key, asks.ok()]));

const jobs = {
  greet: [object({ name: string }), ({ name }) => answer(text(`Hello, ${name}!`))],
  slow_compute: job(form({ seconds: { type: "number" }, label: string }), async ({ seconds = 0, label }, _, signal) => {
    await pause(seconds * 1000, undefined, { signal });
    return answer(text(`${label} took ${seconds} s`));
  }),
  failing_job: job(form({}), async () => ({ ...answer(text("this job always fails")), isError: true }), true),
  protocol_error_job: job(form({}), async () => {
    throw refusal(-32603, "the job broke");
  }),
  confirm_delete: job(
    form({ filename: string }),
    async ({ filename }, made) => {
      await answers(made, confirmed("confirm"));
      return answer(text(`deleted ${filename}`));
    },
    true,
  ),
  multi_input: job(
    form({}),
    async (_, made) => {
      await answers(made, confirmed("first", "second"));
      return answer(text("both are answered"));
    },
    true,
  ),
  test_tool_with_task: [
    object(),
    (_, { inputResponses, can }) => {
      const left = pending({ user_name: asks.name() }, inputResponses);
      if (Object.keys(left).length > 0) {
        return inputRequired(left);
      }
      if (can.extensions?.[TASKS] === undefined) {
        throw lacking({ extensions: { [TASKS]: {} } });
      }
      const name = inputResponses.user_name.content?.name;
      return task(async () => answer(text(`done for ${name}`)));
    },
  ],
};

// Everything by name.

const lacking = (requiredCapabilities) =>
  refusal(CAPABILITY, "the client did not declare what this needs", { requiredCapabilities });

/** Those who listen, each with what it wants to hear of. */
const listeners = new Set();

function tell(method, params, wanted) {
  for (const listener of listeners) {
    if (wanted(listener.wants)) {
      listener.notify(method, { ...params, _meta: { [`${KEY}subscriptionId`]: listener.id } });
    }
  }
  return answer(text("It was told."));
}

const REGION = { type: "string", "x-mcp-header": "Region" };
const all = {
  ...tools,
  test_input_required_result_elicitation: asking({ user_name: asks.name() }, ({ user_name: { content } }) =>
    answer(text(`Hello, ${content?.name}!`)),
  ),
  test_input_required_result_sampling: asking({ capital_question: asks.capital() }, said("capital_question")),
  test_input_required_result_list_roots: asking({ client_roots: asks.roots() }, said("client_roots")),
  test_input_required_result_request_state: asking(
    { confirm: asks.ok() },
    () => answer(text("The state came back: state-ok")),
    true,
  ),
  test_input_required_result_multiple_inputs: asking(
    { user_name: asks.name(), greeting: asks.greeting(), client_roots: asks.roots() },
    (responses) => answer(text(`Received: ${Object.keys(responses).join(", ")}`)),
    true,
  ),
  test_input_required_result_tampered_state: asking({ confirm: asks.ok() }, said("confirm"), true),
  test_input_required_result_multi_round: [object(), rounds],
  test_input_required_result_capabilities: [object(), suited],
  test_missing_capability: [
    object(),
    (_, { can }) => {
      if (can.sampling === undefined) {
        throw lacking({ sampling: {} });
      }
      return answer(text("The client can sample."));
    },
  ],
  test_streaming_elicitation: asking({ user_name: asks.name() }, said("user_name")),
  test_logging_tool: tools.test_tool_with_logging,
  test_custom_header: [
    { ...form({ region: REGION, count: { type: "integer", "x-mcp-header": "Count" }, note: string }) },
    ({ region, count }) => answer(text(`${region} ${count}`)),
  ],
  test_trigger_tool_change: [
    object(),
    () => tell("notifications/tools/list_changed", {}, (wants) => wants.toolsListChanged),
  ],
  test_trigger_prompt_change: [
    object(),
    () => tell("notifications/prompts/list_changed", {}, (wants) => wants.promptsListChanged),
  ],
  test_touch_resource: [
    object({ uri: string }),
    ({ uri }) => tell("notifications/resources/updated", { uri }, (wants) => wants.resourceSubscriptions?.includes(uri)),
  ],
  ...jobs,
};
const asked = asking({ user_context: ask("What context should the prompt use?", { context: string }) }, (responses) => ({
  messages: [user(text(`In the context of ${responses.user_context.content?.context}`))],
}));
const allPrompts = { ...prompts, test_input_required_result_prompt: [[], asked[1]] };

const fresh = (result) => ({ ...result, ttlMs: 0, cacheScope: "private" });
const capabilities = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  completions: {},
  logging: {},
  extensions: { [TASKS]: {} },
};
const methods = {
  "server/discover": () => fresh({ supportedVersions: [REVISION], capabilities, instructions: "Only for tests." }),
  "tools/list": () => fresh({ tools: lists.tools(all) }),
  "tools/call": (params, call) => found(all, params.name, "tool")[1](params.arguments ?? {}, call),
  "resources/list": () => fresh({ resources: lists.resources() }),
  "resources/templates/list": () => fresh({ resourceTemplates: lists.resourceTemplates() }),
  "resources/read": ({ uri }) => fresh(read(uri, INVALID)),
  "prompts/list": () => fresh({ prompts: lists.prompts(allPrompts) }),
  "prompts/get": async (params, call) => {
    const made = await found(allPrompts, params.name, "prompt")[1](params.arguments ?? {}, call);
    return Array.isArray(made) ? { messages: made } : made;
  },
  "completion/complete": (params) => complete(params),
  "subscriptions/listen": ({ notifications = {} }, { id, notify, ended }) => {
    const listener = { id, notify, wants: notifications };
    notify("notifications/subscriptions/acknowledged", {
      notifications,
      _meta: { [`${KEY}subscriptionId`]: id },
    });
    listeners.add(listener);
    return ended.then(() => listeners.delete(listener)).then(() => undefined);
  },
  "tasks/get": ({ taskId }) => ({ ...kept(taskId).told }),
  "tasks/update": (params) => update(params),
  "tasks/cancel": ({ taskId }) => {
    if (!["completed", "failed", "cancelled"].includes(kept(taskId).told.status)) {
      kept(taskId).cancel();
    }
    return {};
  },
};

// What every request is held against.

function checkMeta(params) {
  const meta = params?._meta;
  const missing = ["protocolVersion", "clientCapabilities"].find((each) => meta?.[KEY + each] === undefined);
  if (missing !== undefined || typeof meta[`${KEY}clientCapabilities`] !== "object") {
    throw refusal(INVALID, `\`_meta\` must hold \`${KEY}${missing ?? "clientCapabilities"}\``);
  }
  return meta;
}

function checkVersion(requested) {
  if (requested !== REVISION) {
    throw refusal(VERSION, "this revision is not served", { supported: [REVISION], requested });
  }
}

const NAMES = { "tools/call": "name", "prompts/get": "name", "resources/read": "uri" };
for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
  NAMES[method] = "taskId";
}

function unwrapped(value) {
  const inside = /^=\?base64\?(.*)\?=$/i.exec(value)?.[1];
  if (inside === undefined) {
    return value;
  }
  const bytes = Buffer.from(inside, "base64");
  if (bytes.toString("base64") !== inside) {
    throw refusal(MISMATCH, "a header holds broken base64");
  }
  return bytes.toString("utf8");
}

function checkHeader(headers, name, expected) {
  const value = headers[name.toLowerCase()];
  if ((value === undefined) !== (expected === undefined) || (value !== undefined && unwrapped(value) !== String(expected))) {
    throw refusal(MISMATCH, `the header \`${name}\` must say what the body does`);
  }
}

function checkHeaders(headers, { method, params }) {
  checkHeader(headers, "MCP-Protocol-Version", params._meta[`${KEY}protocolVersion`]);
  checkHeader(headers, "Mcp-Method", method);
  if (method in NAMES) {
    checkHeader(headers, "Mcp-Name", params[NAMES[method]]);
  }
  if (method === "tools/call") {
    for (const [name, schema] of Object.entries(all[params.name]?.[0].properties ?? {})) {
      if (schema["x-mcp-header"] !== undefined) {
        checkHeader(headers, `Mcp-Param-${schema["x-mcp-header"]}`, params.arguments?.[name] ?? undefined);
      }
    }
  }
}

const REFUSED_AS_REQUEST = [MISMATCH, CAPABILITY, VERSION];

/** Answers a request; `headers` are those of HTTP, where it came so. */
async function handle(message, headers, notify, ended) {
  const { id, method, params } = message;
  let status = 400;
  try {
    const meta = checkMeta(params);
    if (headers !== undefined) {
      checkHeaders(headers, message);
    }
    checkVersion(meta[`${KEY}protocolVersion`]);
    status = 404;
    if (!Object.hasOwn(methods, method)) {
      throw refusal(-32601, "method not found");
    }
    status = 200;
    const can = meta[`${KEY}clientCapabilities`];
    if (method.startsWith("tasks/") && can.extensions?.[TASKS] === undefined) {
      throw lacking({ extensions: { [TASKS]: {} } });
    }
    const least = LEVELS.indexOf(meta[`${KEY}logLevel`]);
    const result = await methods[method](params, {
      id,
      can,
      ended,
      inputResponses: params.inputResponses,
      requestState: params.requestState,
      token: meta.progressToken,
      notify: (told, said) => {
        if (told !== "notifications/message" || (least >= 0 && LEVELS.indexOf(said.level) >= least)) {
          notify({ jsonrpc: "2.0", method: told, params: said });
        }
      },
    });
    if (result === undefined) {
      return undefined;
    }
    const serverInfo = { name: "sluice-conformance-fixture", version: "2.0.0" };
    const _meta = { ...result._meta, [`${KEY}serverInfo`]: serverInfo };
    return { status, body: { jsonrpc: "2.0", id, result: { resultType: "complete", ...result, _meta } } };
  } catch (e) {
    const code = e.code ?? -32603;
    const error = { code, message: e.message, ...(e.data !== undefined && { data: e.data }) };
    return { status: REFUSED_AS_REQUEST.includes(code) ? 400 : status, body: { jsonrpc: "2.0", id, error } };
  }
}

// Over HTTP each request is a POST, and what is said before its answer makes a stream of it.

function reply(response, status, body) {
  response.writeHead(status, { "Content-Type": "application/json" });
  response.end(body && JSON.stringify(body));
}

const refuse = (response, status, code, message) =>
  reply(response, status, { jsonrpc: "2.0", id: null, error: { code, message } });

async function serve(request, response) {
  if (!isLocal(request.headers)) {
    return refuse(response, 403, -32600, "only pages and programs of this machine may come here");
  }
  if (new URL(request.url, "http://localhost").pathname !== "/mcp") {
    return refuse(response, 404, -32600, "the endpoint is /mcp");
  }
  if (request.method !== "POST") {
    response.setHeader("Allow", "POST");
    return refuse(response, 405, -32600, "only POST is served");
  }
  let message;
  try {
    message = JSON.parse(Buffer.concat(await request.toArray()));
  } catch {
    return refuse(response, 400, -32700, "this is no JSON");
  }
  if (typeof message?.method !== "string") {
    return refuse(response, 400, -32600, "this is no request");
  }
  if (message.id === undefined) {
    return reply(response, 202);
  }
  const ended = new Promise((resolve) => response.on("close", resolve));
  const write = (said) => response.write(`event: message\ndata: ${JSON.stringify(said)}\n\n`);
  const notify = (said) => {
    if (!response.headersSent) {
      response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-cache" });
    }
    write(said);
  };
  const made = await handle(message, request.headers, notify, ended);
  if (!response.headersSent) {
    return reply(response, made.status, made.body);
  }
  if (made !== undefined) {
    write(made.body);
  }
  response.end();
}

// Over standard input and output there are no headers, and what is called off is said.

function speak() {
  const write = (said) => process.stdout.write(`${JSON.stringify(said)}\n`);
  const running = new Map();
  createInterface({ input: process.stdin })
    .on("line", async (line) => {
      const message = JSON.parse(line);
      if (message.method === "notifications/cancelled") {
        running.get(message.params?.requestId)?.();
      } else if (message.method === "initialize" && message.params?._meta?.[`${KEY}protocolVersion`] === undefined) {
        const data = { supported: [REVISION], requested: message.params?.protocolVersion };
        write({ jsonrpc: "2.0", id: message.id, error: { code: VERSION, message: "this revision is not served", data } });
      } else if (message.id !== undefined && message.method !== undefined) {
        const ended = new Promise((resolve) => running.set(message.id, resolve));
        const made = await handle(message, undefined, write, ended);
        running.delete(message.id);
        if (made !== undefined) {
          write(made.body);
        }
      }
    })
    .on("close", () => process.exit(0));
}

const [port] = process.argv.slice(2);
if (port === undefined) {
  speak();
} else {
  const http = createServer((request, response) => {
    serve(request, response).catch((e) => {
      console.error(e);
      response.destroy();
    });
  });
  http.listen(Number(port), "127.0.0.1", () => {
    console.log(`listening on http://127.0.0.1:${http.address().port}/mcp`);
  });
}
