// The client of the TypeScript SDK over Streamable HTTP, with server-everything, server-filesystem and server-memory behind
// one endpoint: takes every way that the protocol has, and prints what came of each, as one JSON object.
//
// node sdk-session.mjs <node_modules> <url> <file below the filesystem server's folder>
const [modules, url, file] = process.argv.slice(2);
const sdk = `${modules}/@modelcontextprotocol/sdk/dist/esm`;
const { Client } = await import(`${sdk}/client/index.js`);
const { StreamableHTTPClientTransport } = await import(`${sdk}/client/streamableHttp.js`);
const types = await import(`${sdk}/types.js`);

const seen = { asked: [], progress: [] };
const client = new Client(
  { name: "sdk-session", version: "1" },
  { capabilities: { roots: { listChanged: true }, sampling: {}, elicitation: { form: {} } } },
);
client.setRequestHandler(types.ListRootsRequestSchema, () => ({
  roots: [{ uri: new URL(".", `file://${file}`).href, name: "r" }],
}));
client.setRequestHandler(types.CreateMessageRequestSchema, ({ params }) => {
  seen.asked.push(`sampling: ${params.messages[0].content.text}`);
  return { model: "fixed", role: "assistant", content: { type: "text", text: "a sampled answer" } };
});
client.setRequestHandler(types.ElicitRequestSchema, ({ params }) => {
  seen.asked.push(`form: ${params.requestedSchema.type}`);
  return { action: "accept", content: { name: "Ada", check: true } };
});
let logged;
const log = new Promise((resolve) => (logged = resolve));
const watched = "demo://resource/dynamic/text/7";
client.setNotificationHandler(types.LoggingMessageNotificationSchema, ({ params }) => {
  if (String(params.data).includes(`Received Subscribe Resource request for URI: ${watched}`)) {
    logged(params.level);
  }
});

const transport = new StreamableHTTPClientTransport(new URL(url));
await client.connect(transport);
const call = async (name, args = {}, options = undefined) =>
  (await client.callTool({ name, arguments: args }, undefined, options)).content[0].text;

seen.capabilities = client.getServerCapabilities();
seen.tools = (await client.listTools()).tools.map(({ name }) => name);
seen.echo = await call("everything__echo", { message: "hi" });
seen.read = await call("files__read_text_file", { path: file });
seen.graph = await call("memory__read_graph");
seen.resources = (await client.listResources()).resources.map(({ uri }) => uri);
seen.templates = (await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate);
seen.templated = (await client.readResource({ uri: "demo://resource/dynamic/text/1" })).contents[0].text;
seen.memory = (await client.readResource({ uri: "memory://knowledge-graph" })).contents[0].uri;
const prompt = await client.getPrompt({ name: "everything__args-prompt", arguments: { city: "Paris" } });
seen.prompt = prompt.messages[0].content.text;
const ref = { type: "ref/prompt", name: "everything__completable-prompt" };
seen.completed = (await client.complete({ ref, argument: { name: "department", value: "E" } })).completion.values;
await client.setLoggingLevel("debug");
await client.subscribeResource({ uri: watched });
seen.logged = await log;
await client.unsubscribeResource({ uri: watched });
seen.sampled = await call("everything__trigger-sampling-request", { prompt: "what?", maxTokens: 10 });
seen.elicited = JSON.stringify(
  (await client.callTool({ name: "everything__trigger-elicitation-request", arguments: {} })).content,
);
seen.roots = JSON.stringify((await client.callTool({ name: "everything__get-roots-list", arguments: {} })).content);

const long = "everything__trigger-long-running-operation";
await call(long, { duration: 0.2, steps: 2 }, { onprogress: ({ progress }) => seen.progress.push(progress) });

// Takes a call back that has begun and would go on for longer than anybody waits; what comes after it is answered.
const back = new AbortController();
seen.aborted = await call(
  long,
  { duration: 3600, steps: 36000 },
  { signal: back.signal, onprogress: () => back.abort("no longer wanted") },
).catch((e) => String(e.message ?? e));
seen.after = await call("everything__echo", { message: "still there" });

await transport.terminateSession();
await client.close();
console.log(JSON.stringify(seen));
process.exit(0);
