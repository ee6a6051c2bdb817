import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type HookCallback, query } from "@sluice/agent";
import { collect } from "../_collect.ts";
import { realTest, toolResults, withRealClient } from "./_real.ts";

realTest(
  "the model can load the skills of the option `skills` without a permission, and no other",
  [
    { tool: "Skill", input: { skill: "listed" } },
    { tool: "Skill", input: { skill: "other" } },
    "Done.",
  ],
  async ({ options, cwd, model }) => {
    for (const name of ["listed", "other"]) {
      const folder = join(cwd, ".claude", "skills", name);
      await mkdir(folder, { recursive: true });
      await writeFile(
        join(folder, "SKILL.md"),
        `---\nname: ${name}\ndescription: Does the ${name} work\nallowed-tools: Bash(ls:*)\n---\nLook.\n`,
      );
    }
    const { items } = await collect(
      query("Go", { ...options, skills: ["listed"] }),
    );
    assert.deepEqual(
      toolResults(items).map(({ isError }) => isError),
      [false, true],
    );
    const sent = JSON.stringify(model.requests);
    assert.equal(sent.includes("Does the listed work"), true);
    assert.equal(sent.includes("Does the other work"), false);
  },
);

realTest(
  "a hook of PreSkillShellCommand keeps a command in the text of a slash command from running, even if it fails",
  ["Done.", "Done.", "Done."],
  async (real) => {
    const folder = join(real.cwd, ".claude", "commands");
    await mkdir(folder, { recursive: true });
    await writeFile(
      join(folder, "mark.md"),
      "---\nallowed-tools: Bash(touch:*)\n---\nDo: !`touch $ARGUMENTS`\n",
    );
    const isThere = (name: string) => existsSync(join(real.cwd, name));
    const seen: string[] = [];
    let guard: HookCallback<"PreSkillShellCommand"> = () => ({});
    const note: HookCallback<"PreSkillShellCommand"> = (input, context) => {
      seen.push(`${input.command_name}: ${input.tool_input.command}`);
      return guard(input, context);
    };
    await withRealClient(real, {
      hooks: { PreSkillShellCommand: [{ hooks: [note] }] },
    }, async (client) => {
      await client.ask("/mark free");
      assert.equal(isThere("free"), true);
      guard = () => ({
        hookSpecificOutput: {
          hookEventName: "PreSkillShellCommand",
          permissionDecision: "deny",
        },
      });
      await client.ask("/mark denied");
      guard = () => {
        throw new Error("out of order");
      };
      await client.ask("/mark broken");
    });
    assert.deepEqual(
      ["denied", "broken"].map(isThere),
      [false, false],
    );
    assert.deepEqual(seen, [
      "mark: touch free",
      "mark: touch denied",
      "mark: touch broken",
    ]);
  },
);
