import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { needsShell } from "../_children.ts";
import { test } from "../_harness.ts";
import { shellEnvironment, told, withStandIn } from "./_program.ts";

const PAGE = new URL("../../docs/command.md", import.meta.url);

interface Shape {
  readonly flags: { readonly long: string; readonly choices: string[] }[];
  readonly words: string[];
}

/** All commands with their flags, as their help shows them; what belongs to none has no name. */
async function shapes(): Promise<ReadonlyMap<string, Shape>> {
  const { stdout } = await told(["--help"]);
  const names = [...stdout.matchAll(/^ {2}([a-z-]+) (?:\[|<| {2})/gm)]
    .map(([, name = ""]) => name);
  const shapes = new Map([["", shapeOf(stdout)]]);
  for (const name of names) {
    shapes.set(name, shapeOf((await told([name, "--help"])).stdout));
  }
  return shapes;
}

function shapeOf(help: string): Shape {
  const choicesOf = (text: string) =>
    (/\(choices:\s+([^)]+)\)/.exec(text)?.[1] ?? "").split(/,\s+/)
      .filter((one) => one !== "").map((one) => one.replaceAll('"', ""));
  const parts = help.split(/^ {2}(?=-|[a-z<[])/m);
  const flags = parts.flatMap((text) => {
    const [, long] = /^(?:-\w, )?(--[a-z-]+)/.exec(text) ?? [];
    return long === undefined ? [] : [{ long, choices: choicesOf(text) }];
  });
  const words = parts.filter((text) => !text.startsWith("-"))
    .flatMap(choicesOf);
  return { flags, words };
}

test("docs/command.md names every command, flag and choice, and no other", async () => {
  const page = await readFile(PAGE, "utf8");
  const commands = await shapes();
  assert.equal(commands.size, 10);
  assert.ok(commands.get("jobs")?.words.includes("limit"));
  const mode = commands.get("run")?.flags.find(({ long }) => long === "--mode");
  assert.ok(mode?.choices.includes("plan"));
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
  assert.ok(blocks.length >= 5);
  await withStandIn({
    turns: "Some answer.",
    initialize: { account: { apiKeySource: "ANTHROPIC_API_KEY" } },
  }, async (standIn) => {
    const { folder } = standIn;
    const env = await shellEnvironment(standIn);
    for (const [, block = ""] of blocks) {
      // Whether the model answers is not for these to say.
      const isDoctor = block.includes("doctor");
      const { code, stderr } = await shell(block, folder, env);
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
