import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { denoCache, host } from "../_children.ts";
import type { ModelRequest, ModelTurn } from "@sluice/agent/testing";
import { readSource } from "../_examples.ts";
import { test } from "../_harness.ts";
import { reasonWithoutCli, withRealCli } from "../_real_cli.ts";
import { bash } from "./_real.ts";

const { name: runtime } = await host();

/** The model repeats what the tool said: a tool that did not run has nothing to say. */
const repeat = ({ lastText }: ModelRequest) => `It says: ${lastText}`;

/** Turns of the model in each example; none for examples without a model. */
const SCRIPTS: Readonly<Record<string, readonly ModelTurn[]>> = {
  streaming: [{ text: "Water finds its way\npast stones", chunks: 5 }],
  permission: [
    bash("echo hello > note.txt"),
    bash("rm note.txt"),
    "I may not delete it.",
  ],
  guard_hook: [bash("cat .env"), repeat],
  many_turns: [
    "Nice to meet you.",
    ({ body }) =>
      /My name is (\w+)/.exec(JSON.stringify(body["messages"]))?.[1] ??
        "Who knows?",
  ],
  structured_output: [
    { tool: "StructuredOutput", input: { city: "Paris" } },
    { tool: "StructuredOutput", input: { city: "Paris", metres: 330 } },
  ],
  own_tool: [
    { tool: "mcp__shop__stock", input: { article: "Tea" } },
    { tool: "mcp__shop__stock", input: { article: "tea" } },
    repeat,
  ],
  proxied_server: [
    { tool: "mcp__units__celsius", input: { fahrenheit: 50 } },
    repeat,
  ],
  hub_for_agent: [
    { tool: "mcp__home__garden__read" },
    ({ lastText }) => ({
      tool: "mcp__home__units__celsius",
      input: { fahrenheit: Number(lastText) },
    }),
    repeat,
  ],
  hub_alone: [],
  test_without_key: [],
};

/** In the Node lane examples are JavaScript, as tests are. */
const FOLDER = fileURLToPath(new URL("../../examples/", import.meta.url));
const FILES = readdirSync(FOLDER).filter((name) => /\.(ts|js)$/.test(name));
const CONFIG = fileURLToPath(new URL("../../deno.json", import.meta.url));

for (const file of FILES) {
  const name = file.replace(/\.\w+$/, "");
  const turns = SCRIPTS[name];
  if (turns === undefined) continue;
  if (turns.length === 0) {
    test(`examples/${name}.ts runs without a CLI`, async ({ signal }) => {
      const cwd = await mkdtemp(join(tmpdir(), "example-"));
      try {
        const env = { PATH: process.env["PATH"] ?? "", HOME: cwd };
        await run(file, { cwd, env, signal });
      } finally {
        await rm(cwd, { recursive: true, force: true, maxRetries: 5 });
      }
    });
  } else {
    test(
      `examples/${name}.ts runs with the real CLI`,
      ({ signal }) =>
        withRealCli(turns, async ({ cliPath, cwd, env, model }) => {
          const all = { ...env, CLAUDE_CLI_PATH: cliPath };
          await run(file, { cwd, env: all, signal });
          assert.equal(model.unusedTurns, 0);
        }),
      { skip: reasonWithoutCli },
    );
  }
}

test("every example has a script and a line in examples/README.md", () => {
  const names = FILES.map((file) => file.replace(/\.\w+$/, ""));
  assert.deepEqual(names.sort(), Object.keys(SCRIPTS).sort());
  const page = readSource("examples/README.md");
  for (const name of names) {
    assert.ok(page.includes(`[\`${name}.ts\`](${name}.ts)`), name);
  }
});

test("examples/tsconfig.json leads Bun to every entry", () => {
  const { compilerOptions } = JSON.parse(readSource("examples/tsconfig.json"));
  const paths = ["", "fleet/"].flatMap((folder) => {
    const { name, exports } = JSON.parse(readSource(`${folder}deno.json`));
    return Object.entries<string>(exports).map(([entry, path]) => [
      entry.replace(/^\./, name),
      [path.replace(/^\.\//, `../${folder}`)],
    ]);
  });
  assert.deepEqual(compilerOptions.paths, Object.fromEntries(paths));
});

/** Surroundings of an example. */
interface Surroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Runs an example as its own program, which has to end well and without a word of complaint. */
async function run(
  file: string,
  { cwd, env, signal }: Surroundings,
): Promise<void> {
  const flags = runtime === "deno"
    ? ["run", "-A", "--no-check", "--quiet", "--config", CONFIG]
    : [];
  const child = spawn(process.execPath, [...flags, join(FOLDER, file)], {
    cwd,
    env: { ...env, ...denoCache(), NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
    signal,
  });
  let output = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text) => output += text);
  child.stderr.setEncoding("utf8").on("data", (text) => stderr += text);
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  assert.equal(status, 0, output + stderr);
  assert.equal(stderr, "");
}
