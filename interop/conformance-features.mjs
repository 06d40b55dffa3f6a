// What the scenarios of the official conformance suite ask of a server of any revision: tools, resources and prompts of
// fixed names. What differs between the revisions stands in the servers that take these.
import { setTimeout as pause } from "node:timers/promises";

// One pixel; and a sound of no samples: a RIFF header alone.
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

export const text = (said) => ({ type: "text", text: said });
const image = { type: "image", data: PNG, mimeType: "image/png" };
export const answer = (...content) => ({ content });
const resource = (uri, mimeType, said) => ({ type: "resource", resource: { uri, mimeType, text: said } });
export const object = (properties = {}) => ({ type: "object", properties, required: Object.keys(properties) });
export const form = (properties) => ({ type: "object", properties });
export const string = { type: "string" };

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
export const tools = {
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
  json_schema_2020_12_tool: [schema2020, () => answer(text("valid"))],
};

export const resources = {
  "test://static-text": { mimeType: "text/plain", text: "This is the content of the static text resource." },
  "test://static-binary": { mimeType: "image/png", blob: PNG },
  "test://watched-resource": { mimeType: "text/plain", text: "This one can be watched." },
};
const TEMPLATE = /^test:\/\/template\/([^/]+)\/data$/;

/** Reads one of them; `missing` is the code of the error where there is none. */
export function read(uri, missing) {
  const id = TEMPLATE.exec(uri)?.[1];
  if (id !== undefined) {
    const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
    return { contents: [{ uri, mimeType: "application/json", text: data }] };
  }
  if (!(uri in resources)) {
    throw refusal(missing, "Resource not found", { uri });
  }
  return { contents: [{ uri, ...resources[uri] }] };
}

export const user = (content) => ({ role: "user", content });
export const prompts = {
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

/** An error that the client gets as it is. */
export function refusal(code, message, data) {
  return Object.assign(new Error(message), { code, data });
}

export function found(map, name, what) {
  if (!Object.hasOwn(map, name)) {
    throw refusal(-32602, `there is no ${what} \`${name}\``);
  }
  return map[name];
}

export const lists = {
  resources: () =>
    Object.entries(resources).map(([uri, { mimeType }]) => ({
      uri,
      name: uri.replace("test://", ""),
      description: `The resource ${uri}`,
      mimeType,
    })),
  resourceTemplates: () => [
    {
      uriTemplate: "test://template/{id}/data",
      name: "template",
      description: "Data for any id",
      mimeType: "application/json",
    },
  ],
  tools: (all) =>
    Object.entries(all).map(([name, [inputSchema]]) => ({ name, description: `The tool ${name}`, inputSchema })),
  prompts: (all) =>
    Object.entries(all).map(([name, [names]]) => ({
      name,
      description: `The prompt ${name}`,
      arguments: names.map((each) => ({ name: each, description: `The argument ${each}`, required: true })),
    })),
};

export function complete({ argument }) {
  const values = ["paris", "park", "party"].filter((each) => each.startsWith(argument.value));
  return { completion: { values, total: values.length, hasMore: false } };
}

const LOCAL = /^(https?:\/\/)?(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;

/** Whether a request comes from this machine, as its headers say: else a web page could reach the server by another name. */
export function isLocal({ host = "", origin }) {
  return LOCAL.test(host) && (origin === undefined || LOCAL.test(origin));
}
