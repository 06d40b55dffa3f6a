// The command line of the MCP Inspector, as often as it is wanted, in one process: most of what a run costs is Node and the
// Inspector's code starting. Takes a list of its arguments for each run, and prints what the run printed and how it ended, a JSON
// object a run, in their order. Each is a connection of its own, as the Inspector makes it.
//
// node inspector.mjs <node_modules> <lists of arguments as JSON>
import { AsyncLocalStorage } from "node:async_hooks";

const [modules, said] = process.argv.slice(2);
const { handleError, runCli } = await import(`${modules}/@modelcontextprotocol/inspector/clients/cli/build/index.js`);

// More than one at a time, since some servers take seconds to end; few, since each may start a JVM.
const AT_ONCE = 3;

class Exit extends Error {
  constructor(code) {
    super(`it ends with ${code}`);
    this.code = code;
  }
}

/** The run that is going on, with what it has printed. */
const current = new AsyncLocalStorage();
for (const name of ["stdout", "stderr"]) {
  const usual = process[name].write.bind(process[name]);
  process[name].write = (chunk, ...rest) => {
    const run = current.getStore();
    if (!run) {
      return usual(chunk, ...rest);
    }
    run[name].push(Buffer.from(chunk));
    rest.find((each) => typeof each === "function")?.();
    return true;
  };
}
const { exit } = process;
process.exit = (code) => {
  if (!current.getStore()) {
    exit(code);
  }
  throw new Exit(code);
};

async function play(args) {
  try {
    // As the Inspector's launcher does after `--cli`.
    await runCli([...process.argv.slice(0, 2), ...args]).catch(handleError);
    return 0;
  } catch (e) {
    if (!(e instanceof Exit)) {
      throw e;
    }
    return e.code;
  }
}

const lists = JSON.parse(said);
const ended = [];
let next = 0;
async function some() {
  while (next < lists.length) {
    const at = next++;
    const run = { stdout: [], stderr: [] };
    const exitCode = await current.run(run, () => play(lists[at]));
    const [out, err] = [run.stdout, run.stderr].map((chunks) => Buffer.concat(chunks).toString());
    ended[at] = { exitCode, out, err };
  }
}
await Promise.all(Array.from({ length: AT_ONCE }, some));
for (const each of ended) {
  console.log(JSON.stringify(each));
}
