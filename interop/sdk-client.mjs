// The client of the TypeScript SDK: takes steps, and prints what its API hands over for each of them, a line of JSON each.
//
// node sdk-client.mjs <node_modules> <steps as JSON: [[method, params], ...]> <command> [<argument>...]
const [modules, steps, command, ...args] = process.argv.slice(2);
const sdk = `${modules}/@modelcontextprotocol/sdk/dist/esm/client`;
const { Client } = await import(`${sdk}/index.js`);
const { StdioClientTransport } = await import(`${sdk}/stdio.js`);

const client = new Client({ name: "sdk-client", version: "1" });
await client.connect(new StdioClientTransport({ command, args, env: process.env }));
const methods = {
  initialize: async () => ({ capabilities: client.getServerCapabilities() }),
  "tools/list": (params) => client.listTools(params),
  "tools/call": (params) => client.callTool(params),
  "resources/read": (params) => client.readResource(params),
  "prompts/get": (params) => client.getPrompt(params),
};
for (const [method, params] of JSON.parse(steps)) {
  try {
    console.log(JSON.stringify(await methods[method](params)));
  } catch (error) {
    console.log(JSON.stringify({ failed: { message: error.message, code: error.code, data: error.data } }));
  }
}
await client.close();
