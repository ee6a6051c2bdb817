import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { query } from "@sluice/agent";
import { collect } from "../_collect.ts";
import { realTest, toolResults } from "./_real.ts";

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
