// Runs the programs of tests/package/programs as their users do, on every runtime.
//
//   deno run -A scripts/check/programs.ts                    from source, on Deno and Bun
//   deno run -A scripts/check/programs.ts --packed=FOLDER    also on Node, from a folder that has them compiled, beside the package
//   deno run -A scripts/check/programs.ts chat oauth         these alone
import assert from "node:assert/strict";
import { fakeCli } from "../../src/testing/fake_cli.ts";
import { scriptedModel } from "../../src/testing/scripted_model.ts";
import { installCli } from "../install/cli.ts";
import { BUN, commandLine, DENO, ROOT_PATH, say } from "../project.ts";
import { descendantsOf, killAll } from "./descendants.ts";
import { isGoneWithin } from "../../tests/_children.ts";
import {
  type Program,
  PROGRAMS,
  type StartOptions,
} from "../../tests/package/_programs.ts";
import { Running } from "../../tests/package/_running.ts";

const SOURCE = `${ROOT_PATH}tests/package/programs`;

/** A runtime, and where the programs lie for it. */
interface Host {
  readonly name: string;
  /** The command up to the program. */
  readonly command: readonly string[];
  /** The file of a program. */
  file(name: string): string;
  /** The commands that run the tests of a program, one for each test runner. */
  readonly testers: readonly (readonly string[])[];
  /** The folder of the project, which has `node_modules`. */
  readonly project: string;
}

const { names: chosen, flags } = commandLine();
const packed = flags.get("packed");
const config = `${ROOT_PATH}deno.json`;
const fromSource = {
  file: (name: string) => `${SOURCE}/${name}.ts`,
  project: ROOT_PATH,
};
const hosts: readonly Host[] = [
  ...(packed === undefined ? [] : [{
    name: "node",
    command: ["node"],
    file: (name: string) => `${packed}/programs/${name}.js`,
    testers: [
      [
        ...["node", "node_modules/vitest/vitest.mjs", "run", "--root=."],
        "programs/tidy.test.ts",
      ],
      ["node", "--test", "programs/tidy_node.test.js"],
    ],
    project: packed,
  }]),
  {
    name: "bun",
    command: [BUN],
    testers: [
      [BUN, "test", `${SOURCE}/tidy.test.ts`],
      [BUN, "test", `${SOURCE}/tidy_node.test.ts`],
    ],
    ...fromSource,
  },
  {
    name: "deno",
    command: [DENO, "run", "-A", "--no-check", "--quiet", "--config", config],
    testers: ["tidy_deno", "tidy_node"].map((name) => [
      ...[DENO, "test", "-A", "--no-check", "--quiet", "--config", config],
      `${SOURCE}/${name}.test.ts`,
    ]),
    ...fromSource,
  },
];

const names = chosen.length === 0 ? Object.keys(PROGRAMS) : chosen;
const cli = await installCli();
if ("problem" in cli && Deno.env.has("CI")) throw new Error(cli.problem);
try {
  await Promise.all(hosts.map(runAll));
} catch (error) {
  // The programs of the other runtimes still run.
  killAll(await descendantsOf(Deno.pid));
  throw error;
}

/** Runs the programs on one runtime, one after the other. */
async function runAll(host: Host): Promise<void> {
  const began = performance.now();
  const ran: string[] = [];
  for (const name of names) {
    const program = PROGRAMS[name];
    if (program === undefined) throw new Error(`No program "${name}"`);
    if (program.model !== undefined && "problem" in cli) {
      say(`${host.name} leaves out ${name}: ${cli.problem}`);
      continue;
    }
    try {
      await withRig(name, { program, host });
    } catch (error) {
      throw new Error(`${host.name} fails ${name}`, { cause: error });
    }
    ran.push(name);
  }
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  say(`${host.name} runs the programs: ${ran.join(" ")} (${seconds} s)`);
}

async function withRig(
  name: string,
  { program: { model: turns, cli: script, first, use }, host }: {
    readonly program: Program;
    readonly host: Host;
  },
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "program-" });
  const model = turns && await scriptedModel(turns);
  const fake = script === undefined ? undefined : fakeCli(script);
  const other = first === undefined ? undefined : fakeCli(first);
  const running: Running[] = [];
  const surroundings = {
    PATH: Deno.env.get("PATH") ?? "",
    HOME: folder,
    DENO_DIR: Deno.env.get("DENO_DIR") ??
      `${Deno.env.get("HOME")}/.cache/deno`,
    NO_COLOR: "1",
    ...model?.env,
    CLAUDE_CLI_PATH: fake === undefined
      ? "path" in cli ? cli.path : ""
      : await programOf(fake.cliPath, folder, other?.cliPath),
  };
  const run = (
    command: readonly string[],
    { cwd = folder, env, isInTerminal = false }: StartOptions = {},
  ) => {
    const one = new Running(
      isInTerminal ? inTerminal(command) : command,
      { cwd, env: { ...surroundings, ...env } },
    );
    running.push(one);
    return one;
  };
  try {
    await use({
      host,
      folder,
      run,
      start: (args = [], options = {}) =>
        run([...host.command, host.file(name), ...args], options),
      results: () => fake?.received.flatMap(textOfTool) ?? [],
      async gone(count) {
        const runs = await fake?.until((all) => all.length === count) ?? [];
        // One that was killed has noted no exit.
        for (const { pid } of runs) {
          assert.ok(await isGoneWithin(30_000, pid), `${pid} still runs`);
        }
      },
    });
    if (model !== undefined) assert.equal(model.unusedTurns, 0);
  } finally {
    for (const one of running) await one.stop();
    await model?.close();
    await fake?.close();
    await other?.close();
    await Deno.remove(folder, { recursive: true });
  }
}

/** The text in a line that answers the call of a tool. */
function textOfTool(line: unknown): readonly string[] {
  const text =
    /"result":\{"content":\[\{"type":"text","text":("(?:[^"\\]|\\.)*")/;
  const [, found] = text.exec(JSON.stringify(line)) ?? [];
  return found === undefined ? [] : [JSON.parse(found)];
}

/** A command as one program, for a variable that takes a path; the first call may get another. */
async function programOf(
  command: readonly string[],
  folder: string,
  first: readonly string[] = command,
): Promise<string> {
  const path = `${folder}/claude`;
  const text = `#!/bin/sh
mkdir '${folder}/used' 2>/dev/null && exec ${quoted(first)} "$@"
exec ${quoted(command)} "$@"
`;
  await Deno.writeTextFile(path, text, { mode: 0o755 });
  return path;
}

function quoted(command: readonly string[]): string {
  return command.map((word) => `'${word}'`).join(" ");
}

/** `script` of util-linux gives a terminal, and passes on what is typed and shown. */
function inTerminal(command: readonly string[]): readonly string[] {
  // Without `exec` the shell in between would die of Ctrl-C.
  const line = `exec ${quoted(command)}`;
  return ["script", "--quiet", "--return", "--command", line, "/dev/null"];
}
