// A server on the TypeScript SDK 2.x that serves 2026-07-28, alone or beside the revisions before it.
//
// node eras-server.mjs <node_modules> modern|both          speaks on standard input and output
// node eras-server.mjs <node_modules> modern|both <port>   speaks Streamable HTTP on 127.0.0.1; 0 for any free port
//
// Its tools: `echo`, `ask`, which wants a name of the person, and `touch`, after which its resource, `eras:modern` or
// `eras:both`, has changed.
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { isLocal } from "./conformance-features.mjs";

const [modules, eras, port] = process.argv.slice(2);
const sdk = `${modules}/@modelcontextprotocol/server/dist`;
const { acceptedContent, createMcpHandler, fromJsonSchema, inputRequired, McpServer } = await import(`${sdk}/index.mjs`);
const { serveStdio } = await import(`${sdk}/stdio.mjs`);

const NOTE = `eras:${eras}`;
const text = (said) => ({ content: [{ type: "text", text: said }] });
const name = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
const schema = (properties) => fromJsonSchema({ type: "object", properties, required: Object.keys(properties) });

/** What tells all who listen that a resource has changed: each way of serving has its own. */
let told = (made) => made.server.sendResourceUpdated({ uri: NOTE });

function server() {
  const made = new McpServer(
    { name: "eras", version: "1" },
    { capabilities: { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true } } },
  );
  made.registerTool(
    "echo",
    { description: "Says what it is given.", inputSchema: schema({ message: { type: "string" } }) },
    ({ message }) => text(`Echo: ${message}`),
  );
  made.registerTool("ask", { description: "Asks for a name.", inputSchema: schema({}) }, (_, { mcpReq }) => {
    const { name: given } = acceptedContent(mcpReq.inputResponses, "who") ?? {};
    return given === undefined
      ? inputRequired({
          inputRequests: { who: inputRequired.elicit({ message: "What is your name?", requestedSchema: name }) },
        })
      : text(`Hello, ${given}`);
  });
  made.registerTool("touch", { description: "Changes the note.", inputSchema: schema({}) }, async () => {
    await told(made);
    return text("touched");
  });
  made.registerResource("note", NOTE, { mimeType: "text/plain" }, () => ({
    contents: [{ uri: NOTE, mimeType: "text/plain", text: "a note" }],
  }));
  made.server.setRequestHandler("resources/subscribe", () => ({}));
  made.server.setRequestHandler("resources/unsubscribe", () => ({}));
  return made;
}

async function serve(handler, request, response) {
  if (!isLocal(request.headers)) {
    response.writeHead(403).end();
    return;
  }
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  const bare = ["GET", "HEAD"].includes(request.method);
  const asked = new Request(`http://${request.headers.host}${request.url}`, {
    method: request.method,
    headers: Object.entries(request.headers).flatMap(([key, value]) => [value].flat().map((each) => [key, each])),
    body: bare ? undefined : Readable.toWeb(request),
    duplex: "half",
    signal: gone.signal,
  });
  const answer = await handler.fetch(asked);
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.flushHeaders();
  for await (const chunk of answer.body ?? []) {
    response.write(chunk);
  }
  response.end();
}

if (port === undefined) {
  serveStdio(server, { legacy: eras === "both" ? "serve" : "reject" });
} else {
  const handler = createMcpHandler(server, { legacy: eras === "both" ? "stateless" : "reject" });
  told = () => handler.notify.resourceUpdated(NOTE);
  const http = createServer((request, response) => {
    serve(handler, request, response).catch((e) => {
      console.error(e);
      response.destroy();
    });
  });
  http.listen(Number(port), "127.0.0.1", () => {
    console.log(`listening on http://127.0.0.1:${http.address().port}/mcp`);
  });
}
