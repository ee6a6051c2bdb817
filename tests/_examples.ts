import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { host } from "./_children.ts";
import {
  type FakeCli,
  fakeCli,
  type FakeCliScript,
  type ModelRequest,
  type ModelTurn,
} from "@sluice/agent/testing";
import { withRealCli } from "./_real_cli.ts";

const { name: runtime } = await host();

/** The text of a file of the repository; in the Node lane the tests lie deeper and are no TypeScript. */
export function readSource(path: string): string {
  return readFileSync(sourcePath(path), "utf8");
}

/** Where a file of the repository lies. */
export function sourcePath(path: string): string {
  return join(root(), path);
}

/** Whether there is such a file in the repository. */
export function hasSource(path: string): boolean {
  return existsSync(join(root(), path));
}

/** The files below a folder of the repository, as paths from its root. */
export function listSources(folder: string): readonly string[] {
  return readdirSync(join(root(), folder), { recursive: true })
    .map((name) => `${folder}/${String(name).replaceAll("\\", "/")}`)
    .filter((name) => /\.\w+$/.test(name))
    .sort();
}

function root(): string {
  let folder = new URL("../", import.meta.url);
  while (!existsSync(new URL("src/types/options.ts", folder))) {
    folder = new URL("../", folder);
  }
  return fileURLToPath(folder);
}

/** One fenced block of code of a page. */
export interface Example {
  /** Its page, and the line on which it begins. */
  readonly title: string;
  /** The word behind `ts`: the runtime it is for, `ignore`, `program` or nothing. */
  readonly kind: string;
  /** The script of the CLI behind it. */
  readonly script: FakeCliScript;
  /** The answers of the model behind the real CLI, where that runs it. */
  readonly model: readonly ModelTurn[] | undefined;
  /** The files of the page above it, by their path. */
  readonly files: Readonly<Record<string, string>>;
  readonly code: string;
  /** The text above it. */
  readonly before: string;
}

/** The script of the CLI behind an example that names none. */
const USUAL: FakeCliScript = { turns: { say: "An answer.", chunks: 3 } };

/**
 * The blocks of a page. A comment `cli: SCRIPT` in front of one says what the CLI does, `model: TURNS` what the model does
 * behind the real CLI. `write: PATH` in front of a block of any language makes it a file of the real CLI's working directory.
 */
export function examplesOf(page: string): readonly Example[] {
  const text = readSource(page);
  const blocks = text.matchAll(
    /^(?:<!-- (cli|model): ((?:(?!-->).)*) -->\n+)?```ts ?(\w*)(?: ignore)?\n(.*?)^```$/gms,
  );
  return [...blocks].map((block) => {
    const [whole, by, script, kind = "", code = ""] = block;
    const before = text.slice(0, block.index);
    const line = (before + whole.slice(0, whole.indexOf("```ts"))).split("\n");
    const played = script === undefined ? undefined : JSON.parse(script);
    return {
      title: `${page}:${line.length}`,
      kind,
      script: by === "cli" ? played : USUAL,
      model: by === "model" ? played : undefined,
      files: filesOf(before),
      code,
      before,
    };
  });
}

function filesOf(text: string): Record<string, string> {
  const blocks = text.matchAll(
    /^<!-- write: (\S+) -->\n+```\w*\n(.*?)^```$/gms,
  );
  return Object.fromEntries(
    Array.from(blocks, ([, path, content]) => [path, content]),
  );
}

/** Whether an example is for the runtime that runs now, with a fake CLI. */
export function isForHere({ kind, model }: Example): boolean {
  return model === undefined && (kind === "" || kind === runtime);
}

/** Runs examples one after the other in one process; what they print must be what stands behind `// =>`, if anything does. */
export async function runExamples(examples: readonly Example[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "examples-"));
  const fakes: FakeCli[] = [];
  try {
    const blocks = await Promise.all(
      examples.map(async ({ title, script, code }, index) => {
        const fake = fakeCli(script);
        fakes.push(fake);
        const cli = join(folder, `claude-${index}`);
        const command = fake.cliPath.map((part) => `'${part}'`).join(" ");
        const text = `#!/bin/sh\nexec ${command} "$@"\n`;
        await writeFile(cli, text, { mode: 0o755 });
        const module = join(folder, `example-${index}.mjs`);
        await writeFile(module, withEntries(code));
        return {
          title,
          cli,
          module: pathToFileURL(module).href,
          prints: printsOf(code),
        };
      }),
    );
    const program = join(folder, "run.mjs");
    await writeFile(program, programOf(blocks));
    const { status, stderr } = await run(program);
    assert.equal(status, 0, stderr);
    assert.equal(stderr, "");
  } finally {
    for (const fake of fakes) await fake.close();
    await rm(folder, { recursive: true });
  }
}

/**
 * Runs examples one after the other in one process, each with the real CLI, a scripted model, a home and a directory of its own.
 *
 * @returns What the models were asked
 */
export async function runWithRealCli(
  examples: readonly Example[],
): Promise<readonly ModelRequest[]> {
  const requests: ModelRequest[] = [];
  const folder = await mkdtemp(join(tmpdir(), "examples-"));
  const blocks: Block[] = [];
  const prepare = async (at: number): Promise<void> => {
    const example = examples[at];
    if (example === undefined) {
      const program = join(folder, "run.mjs");
      await writeFile(program, programOf(blocks));
      const { status, stderr } = await run(program);
      assert.equal(status, 0, stderr);
      assert.equal(stderr, "");
      return;
    }
    const { title, code, model: turns = [], files } = example;
    await withRealCli(turns, async ({ cliPath, env, cwd, model }) => {
      for (const [path, content] of Object.entries(files)) {
        await mkdir(dirname(join(cwd, path)), { recursive: true });
        await writeFile(join(cwd, path), content);
      }
      const module = join(folder, `example-${at}.mjs`);
      await writeFile(module, withEntries(code));
      blocks.push({
        title,
        cli: cliPath,
        module: pathToFileURL(module).href,
        prints: printsOf(code),
        place: { cwd, env },
      });
      await prepare(at + 1);
      requests.push(...model.requests);
    });
  };
  try {
    await prepare(0);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  return requests;
}

function printsOf(code: string): readonly (string | undefined)[] {
  return [...code.matchAll(/\/\/ => (.*)$/gm)].map((one) => one[1]);
}

/** The example lies outside the project: what it imports of this package and of others is named by address. */
function withEntries(code: string): string {
  return code.replaceAll(
    /"(?:jsr:)?((?:@sluice\/(?:agent|fleet)|@ag-ui\/core|@opentelemetry\/)[^"]*|ai|hono|zod)"/g,
    (_, name) => JSON.stringify(import.meta.resolve(name)),
  );
}

/** An example in a program. */
interface Block {
  readonly title: string;
  readonly cli: string;
  /** Address of its code. */
  readonly module: string;
  readonly prints: readonly (string | undefined)[];
  /** Its working directory and its whole environment; those of the program unless given. */
  readonly place?: {
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
  };
}

/** The names of what an example prints are unknown to it, so it needs nothing but `console.log()`. */
function programOf(blocks: readonly Block[]): string {
  return `import assert from "node:assert/strict";
import process from "node:process";
for (const { title, cli, module, prints, place } of ${JSON.stringify(blocks)}) {
  if (place !== undefined) {
    process.chdir(place.cwd);
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, place.env, { NO_COLOR: "1" });
  }
  process.env.CLAUDE_CLI_PATH = cli;
  const lines = [];
  console.log = (...values) => void lines.push(values.map(String).join(" "));
  try {
    await import(module);
    if (prints.length > 0) assert.deepEqual(lines, prints);
  } catch (error) {
    console.error(title, error);
    process.exit(1);
  }
}
`;
}

interface Outcome {
  readonly status: number | null;
  readonly stderr: string;
}

function run(program: string): Promise<Outcome> {
  const config = join(root(), "deno.json");
  const flags = runtime === "deno"
    ? ["run", "-A", "--no-check", "--quiet", "--config", config]
    : [];
  const child = spawn(process.execPath, [...flags, program], {
    cwd: root(),
    env: { ...process.env, NO_COLOR: "1" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text) => stderr += text);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) => resolve({ status, stderr }));
  });
}
