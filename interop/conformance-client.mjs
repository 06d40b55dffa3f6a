// A client for the scenarios that the official conformance suite has for clients, on the TypeScript SDK: 2.x for 2026-07-28,
// 1.x for what was before. It goes to the suite's server directly, or through Sluice. The suite adds the address, and has the
// scenario's name and the revision in the environment.
//
// node conformance-client.mjs <node_modules> direct <url>
// node conformance-client.mjs <node_modules> run <command of sluice...> <url>       `sluice run --url`, over stdio
// node conformance-client.mjs <node_modules> gateway <command of sluice...> <url>   `sluice gateway`, over HTTP
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const defaults = "elicitation-sep1034-client-defaults";
const scenarios = {
  initialize: (client) => client.listTools(),
  tools_call: (client) => client.callTool({ name: "add_numbers", arguments: { a: 2, b: 3 } }),
  [defaults]: (client) => client.callTool({ name: "test_client_elicitation_defaults", arguments: {} }),
  "sse-retry": (client) => client.callTool({ name: "test_reconnection", arguments: {} }),
  "json-schema-2020-12-preservation": async (client) => {
    const { tools } = await client.listTools();
    const schema = tools.find(({ name }) => name === "json_schema_2020_12_tool").inputSchema;
    return client.callTool({ name: "json_schema_echo", arguments: { schema } });
  },
};
const named = (...names) => async (client) => {
  await client.listTools();
  return Promise.all(names.map((name) => client.callTool({ name, arguments: {} }))).then((all) => all.at(-1));
};
const modernScenarios = {
  tools_call: scenarios.tools_call,
  "request-metadata": (client) => client.listTools(),
  // One after the other: what one of them is asked must not be in the next.
  "sep-2322-client-request-state": async (client) => {
    await client.listTools();
    const call = (name) => client.callTool({ name: `test_mrtr_${name}`, arguments: {} });
    for (const name of ["echo_state", "unrelated", "no_state"]) {
      await call(name);
    }
    return call("no_result_type").catch((e) => ({ refused: e.message })); // as the SDK does with such a result
  },
  "http-standard-headers": async (client) => {
    for (const { uri } of (await client.listResources()).resources) {
      await client.readResource({ uri });
    }
    for (const { name } of (await client.listPrompts()).prompts) {
      await client.getPrompt({ name });
    }
    return named("test_headers", "my-hyphenated-tool")(client);
  },
  "http-custom-headers": async (client) => {
    await client.listTools();
    let answer;
    for (const call of JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT).toolCalls) {
      answer = await client.callTool(call);
    }
    return answer;
  },
  // Calls all that it is told of: what the list holds is for the client's SDK, or for Sluice, to say.
  "http-invalid-tool-headers": async (client) => {
    const { tools } = await client.listTools();
    const calls = await Promise.allSettled(
      tools.map(({ name, inputSchema: { properties } }) =>
        client.callTool({ name, arguments: Object.fromEntries(Object.keys(properties).map((key) => [key, "x"])) }),
      ),
    );
    return calls.find(({ status }) => status === "fulfilled").value;
  },
  "json-schema-ref-no-deref": (client) => client.listTools(),
  "json-schema-2020-12-preservation": scenarios["json-schema-2020-12-preservation"],
};
const modern = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION === "2026-07-28";
const play = (modern ? modernScenarios : scenarios)[process.env.MCP_CONFORMANCE_SCENARIO];
if (!play) {
  console.error(`this client does not play \`${process.env.MCP_CONFORMANCE_SCENARIO}\``);
  process.exit(2);
}

const [modules, way, ...words] = process.argv.slice(2);
const url = words.pop();
const sdk = `${modules}/@modelcontextprotocol/${modern ? "client/dist" : "sdk/dist/esm"}`;
const { Client } = await import(modern ? `${sdk}/index.mjs` : `${sdk}/client/index.js`);
const { StdioClientTransport } = await import(modern ? `${sdk}/stdio.mjs` : `${sdk}/client/stdio.js`);
const { StreamableHTTPClientTransport } = await import(modern ? `${sdk}/index.mjs` : `${sdk}/client/streamableHttp.js`);
const elicitation = modern ? "elicitation/create" : (await import(`${sdk}/types.js`)).ElicitRequestSchema;

const folder = mkdtempSync(join(tmpdir(), "conformance-client-"));
const policy = join(folder, "policy.yaml");
writeFileSync(
  policy,
  JSON.stringify({
    version: 1,
    mode: "enforce",
    servers: { suite: { url, known: "none", defaults: { integrity: "trusted", confidentiality: "public" } } },
  }),
);
const options = ["--policy", policy, "--state", join(folder, "state")];
const [command, ...args] = words;
let gateway;
// The suite ends a client that takes too long, and then waits for all that hold its output.
process.on("SIGTERM", () => {
  gateway?.kill("SIGKILL");
  process.exit(1);
});

const ways = {
  direct: () => new StreamableHTTPClientTransport(new URL(url)),
  run: () => new StdioClientTransport({ command, args: [...args, "run", ...options, "--url", url], env: process.env }),
  gateway: async () => {
    gateway = spawn(command, [...args, "gateway", ...options, "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
    for await (const line of createInterface({ input: gateway.stdout })) {
      return new StreamableHTTPClientTransport(new URL(line.replace("listening on ", "")));
    }
  },
};

// Each answer to a form leaves everything out: the SDK fills in what the form has as defaults.
const client = new Client(
  { name: "conformance-client", version: "1" },
  {
    capabilities: { elicitation: { form: { applyDefaults: true } }, ...(modern && { roots: {}, sampling: {} }) },
    ...(modern && { versionNegotiation: { mode: "auto" } }),
  },
);
client.setRequestHandler(elicitation, () => ({ action: "accept", content: {} }));
try {
  await client.connect(await ways[way]());
  const answer = await play(client);
  if (answer.isError) {
    throw new Error(JSON.stringify(answer));
  }
  console.log(JSON.stringify(answer));
  await client.close();
} finally {
  if (gateway?.kill()) {
    await new Promise((resolve) => gateway.on("exit", resolve));
  }
  rmSync(folder, { recursive: true, force: true });
}
