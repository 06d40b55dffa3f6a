// A client for the scenarios that the official conformance suite has for clients, on the TypeScript SDK: to the suite's
// server directly, or through Sluice. The suite adds the address, and has the scenario's name in the environment.
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
const play = scenarios[process.env.MCP_CONFORMANCE_SCENARIO];
if (!play) {
  console.error(`this client does not play \`${process.env.MCP_CONFORMANCE_SCENARIO}\``);
  process.exit(2);
}

const [modules, way, ...words] = process.argv.slice(2);
const url = words.pop();
const sdk = `${modules}/@modelcontextprotocol/sdk/dist/esm`;
const { Client } = await import(`${sdk}/client/index.js`);
const { StdioClientTransport } = await import(`${sdk}/client/stdio.js`);
const { StreamableHTTPClientTransport } = await import(`${sdk}/client/streamableHttp.js`);
const types = await import(`${sdk}/types.js`);

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
  { capabilities: { elicitation: { form: { applyDefaults: true } } } },
);
client.setRequestHandler(types.ElicitRequestSchema, () => ({ action: "accept", content: {} }));
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
