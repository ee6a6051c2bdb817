import assert from "node:assert/strict";
import type { AgentOptions } from "@sluice/agent";
import {
  allowTools,
  allToolsExcept,
  BUILTIN_TOOLS,
  denyTools,
  toolsToString,
} from "@sluice/agent/tools";
import { test } from "../_harness.ts";
import { pick, randomFrom } from "../options/_random.ts";

test("toolsToString() joins names with commas", () => {
  assert.equal(toolsToString(["Read", "Write"]), "Read,Write");
  assert.equal(toolsToString(["Read"]), "Read");
  assert.equal(toolsToString([]), "");
}, { ids: ["H-01"] });

test("allowTools() joins names and patterns as they are", () => {
  assert.equal(
    allowTools("Read", "Bash(git:*)", "Edit(src/**)"),
    "Read,Bash(git:*),Edit(src/**)",
  );
  assert.equal(allowTools(), "");
}, { ids: ["H-02"] });

test("allowTools() can be split again", () => {
  const random = randomFrom(11);
  for (let round = 0; round < 300; round++) {
    const specs = randomSpecs(random, 1);
    assert.deepEqual(allowTools(...specs).split(","), specs);
  }
}, { ids: ["H-02"] });

test("denyTools() does what allowTools() does", () => {
  const random = randomFrom(12);
  for (let round = 0; round < 300; round++) {
    const specs = randomSpecs(random, 0);
    assert.equal(denyTools(...specs), allowTools(...specs));
  }
}, { ids: ["H-03"] });

test("allToolsExcept() gives the rest, in order, for any names", () => {
  const random = randomFrom(13);
  const names = [...BUILTIN_TOOLS, "Nonsense", "constructor", ""];
  for (let round = 0; round < 300; round++) {
    const count = Math.floor(random() * 25);
    const excluded = Array.from({ length: count }, () => pick(random, names));
    const expected = BUILTIN_TOOLS.filter((tool) => !excluded.includes(tool));
    assert.deepEqual(allToolsExcept(...excluded), expected);
  }
}, { ids: ["H-04"] });

test("allToolsExcept() gives all 18 or none at the ends", () => {
  assert.equal(allToolsExcept().length, 18);
  assert.deepEqual(allToolsExcept(), [...BUILTIN_TOOLS]);
  assert.deepEqual(allToolsExcept(...BUILTIN_TOOLS), []);
}, { ids: ["H-05", "H-06"] });

test("allToolsExcept() gives a new array that allowedTools takes", () => {
  const options: AgentOptions = { allowedTools: allToolsExcept("Bash") };
  assert.equal(options.allowedTools?.length, 17);
  allToolsExcept().length = 0;
  assert.equal(allToolsExcept().length, 18);
}, { ids: ["H-10"] });

function randomSpecs(random: () => number, least: number): string[] {
  const pieces = [
    "Read",
    "Bash(git:*)",
    "Edit(src/**)",
    "mcp__a__b",
    "Bash(a b)",
  ];
  const count = least + Math.floor(random() * 6);
  return Array.from({ length: count }, () => pick(random, pieces));
}

test(
  "allToolsExcept() looks each tool up in a set, however many are excluded",
  () => {
    const { has } = Set.prototype;
    const { includes, indexOf, some, find } = Array.prototype;
    let lookups = 0;
    const scan = () => {
      throw new Error("A list was searched");
    };
    const excluded = Array.from(
      { length: 1_000 },
      (_, index) => `Tool${index}`,
    );
    let rest: readonly string[] = [];
    Set.prototype.has = function (value) {
      lookups++;
      return has.call(this, value);
    };
    Object.assign(Array.prototype, {
      includes: scan,
      indexOf: scan,
      some: scan,
      find: scan,
    });
    try {
      rest = allToolsExcept("Bash", ...excluded);
    } finally {
      Set.prototype.has = has;
      Object.assign(Array.prototype, { includes, indexOf, some, find });
    }
    assert.equal(rest.length, BUILTIN_TOOLS.length - 1);
    assert.equal(lookups, BUILTIN_TOOLS.length);
  },
  { ids: ["H-07"] },
);
