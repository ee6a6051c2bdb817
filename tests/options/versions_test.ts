import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import {
  checkKnown,
  type Feature,
  type FeatureName,
  FEATURES,
  isOlder,
  knows,
  MINIMUM_VERSION,
  TESTED_VERSION,
  usedBy,
} from "../../src/options/versions.ts";
import type { AgentOptions } from "../../src/types/options.ts";
import { memoryApprovals } from "../../mod.ts";
import { test } from "../_harness.ts";
import { configErrorOf } from "./_config_error.ts";

const NAMES = Object.keys(FEATURES) as FeatureName[];

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

test("knows() holds from the release on that begins it, and for what says no version", () => {
  for (const name of NAMES) {
    const { since } = FEATURES[name];
    assert.ok(knows(since, name), name);
    assert.ok(!knows(before(since), name), name);
    for (const current of [undefined, "banana", "2030.1.1", TESTED_VERSION]) {
      assert.ok(knows(current, name), name);
    }
    assert.ok(isOlder(MINIMUM_VERSION, since), `${name} is always there`);
  }
});

/** Options that make use of what an older CLI cannot be given another way. */
const REFUSED: readonly (readonly [key: string, options: AgentOptions])[] = [
  ["effort", { effort: "low" }],
  ["thinking", { thinking: { type: "adaptive" } }],
  ["thinking.display", {
    thinking: { type: "enabled", budgetTokens: 2_000, display: "omitted" },
  }],
  ["includeHookEvents", { includeHookEvents: true }],
  ["planModeInstructions", { planModeInstructions: "Plan." }],
  ["systemPrompt.excludeDynamicSections", {
    systemPrompt: { preset: "claude_code", excludeDynamicSections: true },
  }],
  ["systemPrompt.snapshot", { systemPrompt: { prompt: "x", snapshot: false } }],
  ["taskBudget", { taskBudget: { total: 100_000 } }],
  ["agentProgressSummaries", { agentProgressSummaries: true }],
  ["perTaskStopAffordance", { perTaskStopAffordance: true }],
  ["toolAliases", { toolAliases: { Shell: "Bash" } }],
  ["projectConfigRoot", { projectConfigRoot: "/p" }],
  ["managedSettings", { managedSettings: {} }],
  ["title", { title: "Kettle" }],
  ["skills", { skills: ["pdf"] }],
  ["allowedTools", { allowedTools: ["Read"] }],
  ["allowedTools", {
    allowedTools: ["Read(src/**)"],
    settings: { disableSkillShellExecution: false },
  }],
  ["settings", { deniedTools: ["Bash"], settings: "/p/settings.json" }],
  ["verbatimPrompts", { verbatimPrompts: true }],
  ["permissions.prompts", { permissions: { prompts: "none" } }],
  ["permissions.approvals", {
    permissions: { approvals: { store: memoryApprovals() } },
  }],
  ["resumeDropsTurn", { resumeDropsTurn: "x" }],
  ["transcripts", {
    transcripts: {
      store: {
        append: () => Promise.resolve(),
        load: () => Promise.resolve(null),
      },
    },
  }],
  ["toolConfig.askUserQuestion.previewFormat", {
    toolConfig: { askUserQuestion: { previewFormat: "html" } },
  }],
  ["promptSuggestions", { promptSuggestions: true }],
  ["forwardSubagentText", { forwardSubagentText: true }],
  ["plugins.skipMcpDiscovery", {
    plugins: [{ type: "local", path: "/p", skipMcpDiscovery: true }],
  }],
];

test("checkKnown() refuses an option that an older CLI ignores or ends for, and names flag, path and versions", () => {
  const seen = new Set<Feature>();
  for (const [key, options] of REFUSED) {
    const feature = NAMES.map((name) => FEATURES[name]).find((one, at) =>
      usedBy(NAMES[at] ?? "", one, options) === key
    );
    assert.ok(feature !== undefined, key);
    seen.add(feature);
    const { since, sent } = feature;
    const found = before(since);
    const error = configErrorOf(() =>
      checkKnown(options, found, "/opt/claude")
    );
    assert.equal(error.key, key);
    for (const text of [sent, since, `"/opt/claude" is ${found}`, "update"]) {
      assert.ok(error.message.includes(text), `${text}: ${error.message}`);
    }
    for (const current of [since, TESTED_VERSION, undefined, "banana"]) {
      checkKnown(options, current, "/opt/claude");
    }
  }
  const rows = NAMES.map((name) => FEATURES[name]);
  const refused = rows.filter(({ instead }) => instead === undefined);
  assert.equal(seen.size, refused.length, "an option has no case here");
});

test("an allow-list needs a CLI that keeps shell lines of skills from running, unless nobody's skills are read", () => {
  const check = (options: AgentOptions, version = "2.1.90") =>
    checkKnown(options, version, "/opt/claude");
  const allowedTools = ["Read"];
  const file = { settings: "settings.json" };
  for (
    const options of [
      { allowedTools: [] },
      { allowedTools, ...file },
      { allowedTools, settingSources: ["project"] },
      {
        allowedTools,
        settingSources: [],
        plugins: [{ type: "local", path: "/p" }],
      },
      { allowedTools, settingSources: [], additionalDirectories: ["/d"] },
    ] satisfies AgentOptions[]
  ) {
    const error = configErrorOf(() => check(options));
    assert.equal(error.key, "allowedTools");
    assert.match(error.message, /2\.1\.91 .* is 2\.1\.90; .*settingSources/);
    check(options, "2.1.91");
  }
  const off = { disableSkillShellExecution: true };
  for (const settings of [off, JSON.stringify(off)]) {
    const error = configErrorOf(() => check({ settings }));
    assert.equal(error.key, "settings.disableSkillShellExecution");
  }
  const settings = { disableSkillShellExecution: false };
  check({ allowedTools, settings });
  check({ allowedTools, settingSources: [] });
  check({ deniedTools: ["Bash"] });
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

test("checkKnown() takes an empty text for none, as the request does", () => {
  for (const options of [{ title: "" }, { planModeInstructions: "" }]) {
    checkKnown(options, "2.1.31", "/opt/claude");
  }
});

test("checkKnown() refuses what could have been done another way when it is told too late", () => {
  const options = { systemPrompt: "Be brief." };
  checkKnown(options, "2.1.100", "/opt/claude");
  const error = configErrorOf(() =>
    checkKnown(options, "2.1.100", "/opt/claude", { countedAs: undefined })
  );
  assert.equal(error.key, "systemPrompt");
  checkKnown(options, "2.1.100", "/opt/claude", { countedAs: "2.1.101" });
});

test("docs/versions.md shows the table of what each release knows", async () => {
  const page = await readFile(
    new URL("../../docs/versions.md", import.meta.url),
    "utf8",
  );
  const rows = NAMES.map((name) => {
    const { sent, since, instead } = FEATURES[name];
    return `| ${since} | ${sent} | ${instead ?? "a `ConfigError`"} |`;
  });
  for (const row of rows) {
    assert.ok(squeezed(page).includes(squeezed(row)), row);
  }
  for (const version of [MINIMUM_VERSION, TESTED_VERSION]) {
    assert.ok(page.includes(version), version);
  }
});

function squeezed(text: string): string {
  return text.replace(/[ \t]+/g, " ");
}

function before(version: string): string {
  return version.replace(/\d+$/, (last) => String(Number(last) - 1));
}
