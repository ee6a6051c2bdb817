import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import {
  cp,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { test } from "../_harness.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const DENO_ONLY = { only: "deno" } as const;

/** A copy of what the generator reads and writes. */
async function withCopy(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "protocol-"));
  try {
    const scripts = ["drift", "protocol", "protocol.ts", "project.ts"]
      .map((name) => `scripts/${name}`);
    const parts = [
      "protocol",
      "src/protocol",
      "src/compat/generated",
      "src/conversation/generated",
      "src/parse/generated",
      "src/testing/generated",
      "src/types/generated",
      "docs",
      "stand_in/sdk_tools.ts",
      "tests/fixtures/transcripts",
      "protocol.schema.json",
    ];
    for (const part of [...parts, ...scripts]) {
      await cp(join(ROOT, part), join(folder, part), { recursive: true });
    }
    await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
    const { fmt, imports } = JSON.parse(
      await readFile(join(ROOT, "deno.json"), "utf8"),
    );
    // Nothing is fetched there.
    const config = { nodeModulesDir: "manual", lock: false, fmt, imports };
    await writeFile(join(folder, "deno.json"), JSON.stringify(config));
    await writeFile(
      join(folder, "package.json"),
      JSON.stringify({ dependencies: { "@sinclair/typebox": "*" } }),
    );
    await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Runs the generator there; gives its exit code and all that it printed. */
async function generate(
  folder: string,
  ...args: readonly string[]
): Promise<{ code: unknown; output: string }> {
  const script = join(folder, "scripts/protocol.ts");
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [
      "run",
      "-A",
      "--no-check",
      "--quiet",
      script,
      ...args,
    ], { cwd: folder, env: { ...process.env, NO_COLOR: "1" } });
    return { code: 0, output: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as Record<string, unknown>;
    return { code, output: `${stdout}${stderr}` };
  }
}

/** Changes a file of the copy by hand. */
async function edit(
  path: string,
  from: string | RegExp,
  to: string,
): Promise<void> {
  const text = await readFile(path, "utf8");
  const changed = text.replace(from, to);
  assert.notEqual(changed, text);
  await writeFile(path, changed);
}

test(
  "a new kind of message is one edit and one command: its type, its row, its schema",
  async () => {
    await withCopy(async (folder) => {
      assert.equal((await generate(folder, "--check")).code, 0);
      await edit(
        join(folder, "protocol/messages_system.ts"),
        "const KINDS: Fields = {\n",
        `const KINDS: Fields = {
  ShellCwdMessage: system("shell_cwd", "Reports a new working directory of the shell", {
    cwd: text("The new working directory"),
    depth: maybe(number("Number of folders above it")),
  }),
`,
      );
      const stale = await generate(folder, "--check");
      assert.equal(stale.code, 1);
      assert.match(
        stale.output,
        /messages_system\.ts.* differ from protocol\/: run/,
      );
      assert.equal((await generate(folder)).code, 0);
      assert.equal((await generate(folder, "--check")).code, 0);

      const read = (path: string) => readFile(join(folder, path), "utf8");
      const types = await read("src/protocol/messages_system.ts");
      assert.match(
        types,
        /\/\*\* Reports a new working directory of the shell\. \*\/\nexport interface ShellCwdMessage extends SystemFields \{/,
      );
      assert.match(
        types,
        /\n {2}\/\*\* The new working directory\. \*\/\n {2}readonly cwd: string;/,
      );
      assert.match(types, /\n {2}readonly depth\?: number;/);
      assert.match(
        types,
        /export type SystemMessage =\n {2}\| ShellCwdMessage\n/,
      );
      const tables = (await read("src/protocol/tables.ts"))
        .replaceAll(/\s/g, "").replaceAll(",]", "]");
      const row = '["cwd","string"],["uuid","string"],["session_id","string"]';
      assert.ok(tables.includes(`["shell_cwd",[${row}]]`));
      const schema = JSON.parse(await read("protocol.schema.json"));
      assert.deepEqual(schema.$defs.ShellCwdMessage.required, [
        "uuid",
        "session_id",
        "type",
        "subtype",
        "cwd",
      ]);
      assert.deepEqual(
        schema["x-messages"].find((one: { subtype?: string }) =>
          one.subtype === "shell_cwd"
        ),
        {
          type: "system",
          subtype: "shell_cwd",
          def: "ShellCwdMessage",
          published: true,
        },
      );
      assert.match(await read("src/protocol/schema.ts"), /ShellCwdMessage/);
      assert.match(await read("src/protocol/mod.ts"), /ShellCwdMessage/);
    });
  },
  DENO_ONLY,
);

test(
  "a new control and a new event of hooks are one edit each: their types, what they send, their rows in the docs",
  async () => {
    await withCopy(async (folder) => {
      await edit(
        join(folder, "protocol/control_host.ts"),
        "  get_session_cost: request(",
        `  list_checkpoints: request(
    "Lists the points that files can be put back to",
    { after: text("Uuid of a prompt"), max_count: maybe(number("The most to list; all")) },
    shape("Those points", { checkpoints: list(text(), "Uuids of the prompts") }),
    { method: "checkpoints", group: "files" },
  ),
  get_session_cost: request(`,
      );
      await edit(
        join(folder, "protocol/hooks.ts"),
        "  TeammateIdle: event(",
        `  BudgetWarning: event(
    "When most of the budget is spent",
    input({ spent_usd: number("Spent so far, in US dollars") }),
    output({}, ["AdditionalContext"]),
    { blocks: true, official: false },
  ),
  TeammateIdle: event(`,
      );
      assert.equal((await generate(folder)).code, 0);
      const found = async (path: string, ...texts: readonly string[]) => {
        const text = (await readFile(join(folder, path), "utf8"))
          .replaceAll(/\s+/g, " ");
        for (const one of texts) {
          assert.ok(text.includes(one), `${path}: ${one}`);
        }
      };
      await found(
        "src/types/generated/controls.ts",
        "/** The most to list; all. */ readonly maxCount?: number | undefined;",
        "checkpoints( after: string, options?: CheckpointsOptions, ): Promise<ListCheckpointsReply>;",
      );
      await found(
        "src/conversation/generated/controls.ts",
        'subtype: "list_checkpoints", after, max_count: options?.maxCount,',
      );
      await found("src/protocol/control_replies.ts", "ListCheckpointsReply {");
      await found("src/testing/generated/replies.ts", '"list_checkpoints":');
      await found(
        "docs/controls.md",
        "- `checkpoints(after)` (`list_checkpoints`): ",
      );
      await found("src/protocol/hook_inputs.ts", "BudgetWarningHookInput");
      await found("src/protocol/values.ts", '"BudgetWarning"');
      await found(
        "docs/hooks.md",
        "| `BudgetWarning` | yes | yes | When most of the budget is spent |",
        "- `spent_usd`: ",
      );
      const values = await readFile(
        join(folder, "src/compat/generated/values.ts"),
        "utf8",
      );
      assert.ok(!values.includes("BudgetWarning"));
    });
  },
  DENO_ONLY,
);

test(
  "an unsound description is refused, and each fault is reported with its place",
  async () => {
    await withCopy(async (folder) => {
      const file = join(folder, "protocol/usage.ts");
      const before = await readFile(
        join(folder, "src/protocol/usage.ts"),
        "utf8",
      );
      await edit(
        file,
        /(export const USAGE: Topic = topic\([^{]*\{)/,
        `$1
  TextBlock: shape("Described in content.ts", { type: tag("text") }),
  Dangling: shape("Names what is nowhere", {
    one: ref("Nowhere", "A name"),
    many: list(ref("Nobody"), "Names"),
    silent: text(),
  }, { extends: ["NoBase"] }),
  Silent: shape("", {}),
`,
      );
      await edit(file, "import {", "import { tag,");
      const { code, output } = await generate(folder);
      assert.notEqual(code, 0);
      for (
        const fault of [
          "usage: TextBlock is described in content as well",
          "usage: Dangling.one names Nowhere, which is not described",
          "usage: Dangling.many names Nobody, which is not described",
          "usage: Dangling.silent has no description",
          "usage: Dangling names NoBase, which is not described",
          "usage: Silent has no description",
        ]
      ) assert.ok(output.includes(fault), `${fault}\n${output}`);
      assert.equal(
        await readFile(join(folder, "src/protocol/usage.ts"), "utf8"),
        before,
      );
    });
  },
  DENO_ONLY,
);

test(
  "a file that is edited by hand, and one that nothing makes, are found",
  async () => {
    await withCopy(async (folder) => {
      await edit(
        join(folder, "src/protocol/usage.ts"),
        "input_tokens",
        "input",
      );
      await writeFile(join(folder, "src/protocol/old.ts"), "export {};\n");
      const { code, output } = await generate(folder, "--check");
      assert.equal(code, 1);
      assert.match(output, /src\/protocol\/usage\.ts.* differ/);
      assert.match(output, /src\/protocol\/old\.ts is not made/);
      assert.equal((await generate(folder)).code, 0);
      assert.equal(
        (await readdir(join(folder, "src/protocol"))).includes("old.ts"),
        false,
      );
    });
  },
  DENO_ONLY,
);
