import assert from "node:assert/strict";
import { checkKnown, FEATURES, targetOf } from "../../src/options/features.ts";
import {
  isOlder,
  MINIMUM_VERSION,
  TESTED_VERSION,
} from "../../src/options/versions.ts";
import { resolveOptions } from "../../src/options/resolve.ts";
import { type AgentOptions, memoryApprovals } from "@sluice/agent";
import { test } from "../_harness.ts";
import { configErrorOf } from "./_config_error.ts";

const NAMES = Object.keys(FEATURES);

test("isOlder() compares the three numbers of a version, and takes what has none for a current one", () => {
  assert.ok(isOlder("2.1.9", "2.1.31"));
  assert.ok(isOlder("1.9.99", "2.1.31"));
  assert.ok(isOlder("2.1.30-beta.1", "2.1.31"));
  assert.ok(!isOlder("2.1.31", "2.1.31"));
  assert.ok(!isOlder("2.1.100", "2.1.31"));
  for (const odd of [undefined, "", "banana", "2", "2.1", "v", "2030.1.1"]) {
    assert.ok(!isOlder(odd, "2.1.31"), odd);
  }
});

const knows = (version: string | undefined, name: string) =>
  targetOf(resolveOptions(), { version }).knows(name);

test("knows() holds from the release on that begins it, and for what says no version", () => {
  for (const name of NAMES) {
    const { release: since } = featureOf(name);
    assert.ok(knows(since, name), name);
    assert.ok(!knows(before(since), name), name);
    for (const current of [undefined, "banana", "2030.1.1", TESTED_VERSION]) {
      assert.ok(knows(current, name), name);
    }
    assert.ok(isOlder(MINIMUM_VERSION, since), `${name} is always there`);
  }
});

test("checkKnown() refuses an option that an older CLI does not know, and names flag, path and versions", () => {
  const cases: Readonly<Record<string, AgentOptions>> = {
    projectConfigRoot: { projectConfigRoot: "/p" },
    managedSettings: { managedSettings: {} },
    allowedTools: { allowedTools: ["Read(src/**)"] },
  };
  for (const [name, options] of Object.entries(cases)) {
    const { release: since, sent } = featureOf(name);
    const found = before(since);
    const error = configErrorOf(() =>
      checkKnown(options, found, "/opt/claude")
    );
    assert.equal(error.key, name);
    for (const text of [sent, since, `"/opt/claude" is ${found}`, "update"]) {
      assert.ok(error.message.includes(text), `${text}: ${error.message}`);
    }
    for (const current of [since, TESTED_VERSION, undefined, "banana"]) {
      checkKnown(options, current, "/opt/claude");
    }
    checkKnown({}, found, "/opt/claude");
  }
});

test("a guard of PreSkillShellCommand needs a CLI that calls it, unless its failure lets the command run", () => {
  const check = (onFailure?: "continue" | "block") =>
    checkKnown(
      { hooks: { PreSkillShellCommand: [{ hooks: [() => ({})], onFailure }] } },
      "2.1.331",
      "/opt/claude",
    );
  for (const onFailure of [undefined, "block"] as const) {
    const error = configErrorOf(() => check(onFailure));
    assert.equal(error.key, "hooks.PreSkillShellCommand");
    assert.match(error.message, /2\.1\.332 .*disableSkillShellExecution/);
  }
  check("continue");
  const none = { PreToolUse: [], PreSkillShellCommand: [{ hooks: [] }] };
  checkKnown({ hooks: none }, "2.1.331", "/opt/claude");
});

test("an allow-list with some reads needs a CLI that leaves mentioned files alone, unless nothing can mention one", () => {
  const check = (options: AgentOptions, version = "2.1.298") =>
    checkKnown(options, version, "/opt/claude");
  const allowedTools = ["Grep", "Read(src/**)"];
  const alone: AgentOptions = { settingSources: [] };
  for (
    const options of [
      { allowedTools },
      { allowedTools, verbatimPrompts: true },
      { allowedTools, ...alone },
      { allowedTools, verbatimPrompts: false, ...alone },
    ] satisfies AgentOptions[]
  ) {
    const error = configErrorOf(() => check(options));
    assert.equal(error.key, "allowedTools");
    assert.match(error.message, /2\.1\.299 .* is 2\.1\.298; .*verbatimPrompts/);
    check(options, "2.1.299");
  }
  check({ allowedTools, verbatimPrompts: true, ...alone });
  check({ allowedTools: ["Read"] });
  // These get a rule instead, or their rule reaches mentions.
  check({ allowedTools: ["Bash"] });
  check({ allowedTools, tools: ["Grep"] });
  check({ deniedTools: ["Read(secret.txt)"] });
  const env = { CLAUDE_CODE_DISABLE_FILE_MENTIONS: "0" };
  check({ allowedTools, env });
});

test("checkKnown() refuses what cannot be delivered another way any more", () => {
  const options = { sandbox: { enabled: true } };
  checkKnown(options, "2.1.300", "/opt/claude");
  const error = configErrorOf(() =>
    checkKnown(options, "2.1.300", "/opt/claude", { countedAs: undefined })
  );
  assert.equal(error.key, "settings");
  checkKnown(options, "2.1.300", "/opt/claude", { countedAs: "2.1.301" });
  // It may have begun in mode auto, which asks for nothing.
  const canUseTool = () => ({ behavior: "allow" as const });
  const late = { countedAs: undefined };
  const asked = configErrorOf(() =>
    checkKnown({ permissions: { canUseTool } }, "2.1.300", "/claude", late)
  );
  assert.match(asked.message, /or set permissions\.mode/);
  const approvals = { store: memoryApprovals() };
  const parked = configErrorOf(() =>
    checkKnown({ permissions: { approvals } }, "2.1.300", "/claude", late)
  );
  assert.match(parked.message, /^Option "permissions\.approvals" needs/);
  const permissions = { canUseTool, mode: "default" } as const;
  checkKnown({ permissions }, "2.1.300", "/opt/claude", late);
});

function before(version: string): string {
  return version.replace(/\d+$/, (last) => String(Number(last) - 1));
}

function featureOf(name: string) {
  const feature = FEATURES[name];
  assert.ok(feature, name);
  return feature;
}
