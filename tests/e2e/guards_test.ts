import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import {
  type AgentOptions,
  type JsonObject,
  ProtocolError,
  query,
} from "@sluice/agent";
import { collect, rejectionOf } from "../_collect.ts";
import type { RealCli } from "../_real_cli.ts";
import { bash, realTest, toolResults } from "./_real.ts";

const SECRET = "the secret of this test";
const GUARDED: AgentOptions = { allowedTools: ["Bash(echo:*)"] };
const LOOK = [bash("cat secret.txt"), "Done."];

async function writeSecret({ cwd }: RealCli): Promise<void> {
  await writeFile(join(cwd, "secret.txt"), SECRET);
}

async function writeUserSettings(
  { env }: RealCli,
  settings: JsonObject,
): Promise<void> {
  const folder = join(env["HOME"] ?? "", ".claude");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "settings.json"), JSON.stringify(settings));
}

/** The start fails with one error, and the model is never called. */
async function refusesBareMode(
  real: RealCli,
  options: AgentOptions,
): Promise<void> {
  await writeSecret(real);
  const conversation = query("Go", { ...real.options, ...GUARDED, ...options });
  const { items, error } = await collect(conversation);
  assert.deepEqual(items, []);
  assert.ok(error instanceof ProtocolError, String(error));
  assert.match(error.message, /bare mode/);
  assert.equal(error, await rejectionOf(conversation.ready));
  assert.equal(real.model.requests.length, 0);
}

/** The guard holds: the file is not shown. */
async function staysShut(real: RealCli, options: AgentOptions): Promise<void> {
  await writeSecret(real);
  const { items } = await collect(
    query("Go", { ...real.options, ...GUARDED, ...options }),
  );
  const [look] = toolResults(items);
  assert.equal(look?.isError, true);
  assert.match(look?.text ?? "", /not covered by allowedTools/);
}

realTest(
  "allowedTools holds when this program runs with the variable of bare mode",
  LOOK,
  async (real) => {
    process.env["CLAUDE_CODE_SIMPLE"] = "1";
    try {
      await staysShut(real, { envPolicy: "inherit" });
    } finally {
      delete process.env["CLAUDE_CODE_SIMPLE"];
    }
  },
  { ids: ["O-17"] },
);

realTest(
  "bare mode by the user's settings is an error of the start, not a guard that does nothing",
  LOOK,
  async (real) => {
    await writeUserSettings(real, { env: { CLAUDE_CODE_SIMPLE: "1" } });
    await refusesBareMode(real, {});
    await refusesBareMode(real, {
      allowedTools: undefined as never,
      hooks: { PreToolUse: [{ hooks: [() => ({})] }] },
    });
  },
);

realTest(
  "bare mode by a settings file or the command is an error of the start",
  LOOK,
  async (real) => {
    const settings = join(real.cwd, "flags.json");
    const env = { CLAUDE_CODE_SIMPLE: "1" };
    await writeFile(settings, JSON.stringify({ env }));
    await refusesBareMode(real, { settings });
    await refusesBareMode(real, { cliPath: [real.cliPath, "--bare"] });
  },
);

realTest(
  "allowedTools holds when the user's settings disable all hooks",
  LOOK,
  async (real) => {
    await writeUserSettings(real, { disableAllHooks: true });
    await staysShut(real, {});
  },
);

realTest(
  "hooks hold when the user's settings switch bare mode on in the middle of a session, and leave the user's variables as they are",
  [bash("echo $A_VARIABLE_OF_THE_USER"), bash("sleep 3"), ...LOOK],
  async (real) => {
    await writeSecret(real);
    const first = "echo $A_VARIABLE_OF_THE_USER";
    const seen: unknown[] = [];
    const { items } = await collect(query("Go", {
      ...real.options,
      settings: { env: { A_VARIABLE_OF_THE_USER: "kept" } },
      deniedTools: ["Write"],
      hooks: {
        PreToolUse: [{
          hooks: [async ({ tool_input: { command } }) => {
            seen.push(command);
            if (command === first) {
              await writeUserSettings(real, {
                env: { CLAUDE_CODE_SIMPLE: "1" },
              });
            }
            const isLook = String(command).startsWith("cat");
            return {
              hookSpecificOutput: {
                hookEventName: "PreToolUse",
                permissionDecision: isLook ? "deny" : "allow",
              },
            };
          }],
        }],
      },
    }));
    assert.deepEqual(seen, [first, "sleep 3", "cat secret.txt"]);
    const results = toolResults(items);
    assert.match(results[0]?.text ?? "", /kept/);
    assert.equal(results.at(-1)?.isError, true);
  },
);

/** A skill of the project with a shell line. */
async function writeSkill({ cwd }: RealCli): Promise<void> {
  const folder = join(cwd, ".claude", "skills", "leak");
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, "SKILL.md"),
    "---\nname: leak\ndescription: Looks around\nallowed-tools: Bash\n---\nSeen: !`touch skilled.txt`\n",
  );
}

realTest(
  "a shell line of a skill does not run past allowedTools, unless the settings say so",
  ["Done.", "Done."],
  async (real) => {
    await writeSkill(real);
    const options = {
      ...real.options,
      allowedTools: ["Bash(echo:*)", "Skill"],
    };
    const made = join(real.cwd, "skilled.txt");
    await collect(query("/leak", options));
    assert.equal(existsSync(made), false);
    const settings = { disableSkillShellExecution: false };
    await collect(query("/leak", { ...options, settings }));
    assert.equal(existsSync(made), true);
  },
);

realTest(
  "an input that canUseTool changes runs only if the lists allow it",
  [bash("touch first.txt"), "Done.", bash("touch second.txt"), "Done."],
  async ({ options, cwd }) => {
    const changed: AgentOptions = {
      ...options,
      permissions: {
        canUseTool: () => ({
          behavior: "allow",
          updatedInput: { command: "mkdir made", description: "x" },
        }),
      },
    };
    for (
      const list of [
        { allowedTools: ["Bash(touch:*)"] },
        { deniedTools: ["Bash(mkdir:*)"] },
      ]
    ) {
      const { items } = await collect(query("Go", { ...changed, ...list }));
      assert.equal(toolResults(items)[0]?.isError, true);
      assert.equal(existsSync(join(cwd, "made")), false);
    }
  },
  { ids: ["O-17"] },
);
