import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { needsShell } from "../_children.ts";
import { test } from "../_harness.ts";
import { baseEnvironment, commandLine, told, withStandIn } from "./_program.ts";

const PAGE = new URL("../../docs/command.md", import.meta.url);

interface Shape {
  readonly flags: { readonly long: string; readonly choices: string[] }[];
  readonly words: string[];
}

/** All commands with their flags, as the program itself tells a shell; what belongs to none has no name. */
async function shapes(): Promise<ReadonlyMap<string, Shape>> {
  const { stdout } = await told(["completion", "fish"]);
  const shapes = new Map<string, Shape>([["", { flags: [], words: [] }]]);
  for (const line of stdout.split("\n")) {
    const [, name = ""] = /_seen_subcommand_from ([a-z]+)'/.exec(line) ?? [];
    const [, long] = / -l ([a-z-]+)/.exec(line) ?? [];
    const [, choices] = / -x -a '([^']+)'/.exec(line) ?? [];
    const [, word] = / -f -a ([a-z]+)/.exec(line) ?? [];
    const shape = shapes.get(name) ?? { flags: [], words: [] };
    shapes.set(name, shape);
    if (long !== undefined) {
      shape.flags.push({
        long: `--${long}`,
        choices: choices?.split(" ") ?? [],
      });
    } else if (word !== undefined) {
      if (name === "") shapes.set(word, { flags: [], words: [] });
      else shape.words.push(word);
    }
  }
  return shapes;
}

test("docs/command.md names every command, flag and choice, and no other", async () => {
  const page = await readFile(PAGE, "utf8");
  const commands = await shapes();
  assert.equal(commands.size, 11);
  // One of bunx itself.
  const known = new Set(["--bun"]);
  for (const [name, { flags, words }] of commands) {
    assert.ok(page.includes(`\`sluice ${name}`), name);
    for (const { choices, long } of flags) {
      known.add(long);
      if (name !== "") {
        assert.match(page, new RegExp(`\`(?:-\\w, )?${long}\\b`), long);
      }
      for (const choice of choices) assert.ok(page.includes(`\`${choice}\``));
    }
    for (const word of words) assert.ok(page.includes(`| ${word}`), word);
  }
  for (const [, flag = ""] of page.matchAll(/[ `](--[a-z][a-z-]+)/g)) {
    assert.ok(known.has(flag), flag);
  }
});

test("What docs/command.md shows in a shell does what it says", async () => {
  const page = await readFile(PAGE, "utf8");
  const blocks = [...page.matchAll(/```sh\n([^]*?)```/g)];
  assert.ok(blocks.length > 5);
  await withStandIn({
    turns: "Some answer.",
    initialize: { account: { apiKeySource: "ANTHROPIC_API_KEY" } },
  }, async ({ env, folder }) => {
    const bin = join(folder, "bin");
    await mkdir(bin);
    const words = commandLine().map((word) => `'${word}'`).join(" ");
    await writeFile(join(bin, "sluice"), `#!/bin/sh\nexec ${words} "$@"\n`);
    await chmod(join(bin, "sluice"), 0o755);
    const { PATH = "", ...base } = baseEnvironment();
    for (const [, block = ""] of blocks) {
      // Whether the model's address answers is not for these to say.
      const isDoctor = block.includes("doctor");
      const { code, stderr } = await shell(block, folder, {
        ...base,
        ...env,
        PATH: `${bin}:${PATH}`,
      });
      assert.ok(code === 0 || isDoctor, `${block}${stderr}`);
      if (isDoctor) assert.doesNotMatch(stderr, /error/);
    }
    const names = ["run.jsonl", "run.jsonl.html", "page.html", "other.html"];
    for (const name of names) assert.ok(await readFile(join(folder, name)));
  });
}, { skip: needsShell });

/** Runs lines in a shell that stops at the first that fails. */
function shell(
  text: string,
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly code: number | null; readonly stderr: string }> {
  const child = spawn("/bin/sh", ["-ec", text], {
    cwd,
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.on("data", (bytes) => stderr += new TextDecoder().decode(bytes));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stderr }));
  });
}
