// The clients of the TypeScript SDK, 1.x and 2.x: takes the same steps with each, and prints what came of each, a JSON object a
// plan. A step that fails is `{"failed": …}`.
//
// node eras-client.mjs <node_modules> 1|legacy|auto|pin <ways as JSON>
//
// A way: `target` is an address, or a command and its arguments, and gets a connection of its own; `plans` are taken one after
// the other on it. A plan: `call`, `ask`, `touch` and `untouch` are calls of tools, the last one for what `touch` began; a
// request for input gets `answer`; `resource` is read, and watched while `touch` is called.
const [modules, mode, said] = process.argv.slice(2);
let client;
let plan;
const ONE = mode === "1";
const from = (path) => import(`${modules}/@modelcontextprotocol/${path}`);
const { Client } = await from(ONE ? "sdk/dist/esm/client/index.js" : "client/dist/index.mjs");
const { StdioClientTransport } = await from(ONE ? "sdk/dist/esm/client/stdio.js" : "client/dist/stdio.mjs");
const { StreamableHTTPClientTransport } = await from(
  ONE ? "sdk/dist/esm/client/streamableHttp.js" : "client/dist/index.mjs",
);
const types = ONE ? await from("sdk/dist/esm/types.js") : undefined;
const WAIT = 20_000; // what does not come by then does not come

const modes = { legacy: "legacy", auto: "auto", pin: { pin: "2026-07-28" } };
let updated;

function connecting() {
  client = new Client(
    { name: "eras-client", version: "1" },
    { capabilities: { elicitation: { form: {} } }, ...(!ONE && { versionNegotiation: { mode: modes[mode] } }) },
  );
  client.setRequestHandler(ONE ? types.ElicitRequestSchema : "elicitation/create", () => ({
    action: "accept",
    content: plan.answer,
  }));
  client.setNotificationHandler(
    ONE ? types.ResourceUpdatedNotificationSchema : "notifications/resources/updated",
    ({ params }) => params.uri === plan.resource && updated?.(params.uri),
  );
}

async function step(work) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error("nothing came")), WAIT);
  });
  try {
    return await Promise.race([work(), late]);
  } catch (e) {
    return { failed: String(e.message ?? e), ...(e.code !== undefined && { code: e.code }) };
  } finally {
    clearTimeout(timer);
  }
}

const call = async ({ name, arguments: given = {} }) => {
  const { content, isError } = await client.callTool({ name, arguments: given });
  const text = content.map((each) => each.text ?? "").join("\n");
  return isError ? { failed: text } : text;
};

async function watch() {
  const update = new Promise((resolve) => (updated = resolve));
  const listening =
    !ONE && client.getProtocolEra() === "modern"
      ? await client.listen({ resourceSubscriptions: [plan.resource] })
      : await client.subscribeResource({ uri: plan.resource });
  const touched = await call(plan.touch);
  if (touched.failed !== undefined) {
    return touched;
  }
  const uri = await update;
  await (plan.untouch && call(plan.untouch));
  await listening.close?.();
  return uri;
}

async function take({ target: [command, ...args], plans }) {
  connecting();
  const connected = await step(async () => {
    const transport = command.startsWith("http")
      ? new StreamableHTTPClientTransport(new URL(command))
      : new StdioClientTransport({ command, args, env: process.env, stderr: "ignore" });
    await client.connect(transport);
    return client.getNegotiatedProtocolVersion?.() ?? "connected";
  });
  for (plan of plans) {
    const seen = { connect: connected };
    if (connected.failed === undefined) {
      seen.list = await step(async () => (await client.listTools()).tools.map((tool) => tool.name));
      seen.call = await step(() => call(plan.call));
      seen.read = await step(async () => (await client.readResource({ uri: plan.resource })).contents[0].text);
      seen.ask = await step(() => call(plan.ask));
      seen.watch = await step(watch);
    }
    console.log(JSON.stringify(seen));
  }
  await step(() => client.close());
}

for (const way of JSON.parse(said)) {
  await take(way);
}
process.exit(0);
