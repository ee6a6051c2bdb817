import assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import { promptPerson } from "../src/permissions.ts";
import type { JsonObject } from "../src/types/json.ts";
import type { PermissionContext } from "../src/types/permissions.ts";
import type { PermissionUpdate } from "../src/protocol/permissions.ts";
import { test } from "./_harness.ts";

/** A person that says these lines, and what is shown to him. */
function person(...lines: readonly (string | undefined)[]) {
  const shown: string[] = [];
  let at = 0;
  return {
    shown,
    terminal: {
      isPerson: true,
      ask(text: string, signal: AbortSignal) {
        shown.push(text);
        if (at < lines.length) return Promise.resolve(lines[at++]);
        return new Promise<never>((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
        });
      },
    },
  };
}

function about(fields: Partial<PermissionContext> = {}): PermissionContext {
  return {
    signal: new AbortController().signal,
    requestId: "r1",
    caughtUp: Promise.resolve(),
    raw: {},
    ...fields,
  };
}

const RULES: readonly PermissionUpdate[] = [{
  type: "addRules",
  rules: [{ toolName: "Bash" }],
  behavior: "allow",
  destination: "session",
}];
const INPUT: JsonObject = { command: "ls" };

test("promptPerson() takes yes, no, always and a reason, and asks again for anything that is none", async () => {
  const cases: readonly [
    lines: string[],
    decision: object,
    suggestions?: readonly PermissionUpdate[],
  ][] = [
    [["y"], { behavior: "allow" }],
    [[" YES "], { behavior: "allow" }],
    [["n"], { behavior: "deny", message: "The person said no" }],
    [["not now"], { behavior: "deny", message: "not now" }],
    [["", "y"], { behavior: "allow" }],
    [["always", "no"], { behavior: "deny", message: "The person said no" }],
    [["a"], { behavior: "allow", updatedPermissions: RULES }, RULES],
  ];
  for (const [lines, decision, suggestions] of cases) {
    const { terminal, shown } = person(...lines);
    const decide = promptPerson({ terminal });
    const context = about(suggestions && { suggestions });
    assert.deepEqual(await decide("Bash", INPUT, context), decision);
    assert.equal(shown.length, lines.length);
    assert.equal(/always/.test(shown[0] ?? ""), suggestions !== undefined);
    assert.match(shown[0] ?? "", /Bash\?\n {2}command: ls\n/);
    assert.equal(decide.timeoutMs, Infinity);
  }
});

test("promptPerson() shows nothing that a terminal would obey, and says what it leaves out", async () => {
  const { terminal, shown } = person("n");
  await promptPerson({ terminal })("Ba\x1b[2Jsh", {
    command: "ls\n\x1b]0;title\x07\u202e\x9b",
    long: "x".repeat(10_000),
    ...Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [`k${at}`, at]),
    ),
  }, about({ title: "T\r\x1b[1A" }));
  const [text = ""] = shown;
  assert.equal(/[^\P{C}\n]/u.test(text), false, JSON.stringify(text));
  assert.ok(text.includes("ls\\u{a}\\u{1b}]0;title\\u{7}\\u{202e}\\u{9b}"));
  assert.match(text, /\(9500 more characters\)/);
  assert.match(text, /\(12 more\)/);
  assert.ok(text.length < 2_000);
});

test("promptPerson() asks one question at a time, and none that was taken back", async () => {
  const { terminal, shown } = person();
  const decide = promptPerson({ terminal });
  const controllers = [1, 2, 3].map(() => new AbortController());
  const decisions = controllers.map(({ signal }, at) =>
    Promise.resolve(decide(`Tool${at}`, {}, about({ signal })))
      .catch((error: unknown) => error)
  );
  while (shown.length === 0) await nextTurn();
  controllers[1]?.abort("second");
  controllers[0]?.abort("first");
  assert.deepEqual(await Promise.all(decisions.slice(0, 2)), [
    "first",
    "second",
  ]);
  while (shown.length === 1) await nextTurn();
  assert.match(shown[1] ?? "", /Tool2/);
  controllers[2]?.abort("third");
  assert.equal(await decisions[2], "third");
});

test("promptPerson() denies where nobody sits, and when the person leaves", async () => {
  const { terminal } = person(undefined);
  const left = await promptPerson({ terminal })("Bash", INPUT, about());
  assert.deepEqual(left, {
    behavior: "deny",
    message: "The person left without an answer",
  });
  const nobody = { ...terminal, isPerson: false };
  const alone = await promptPerson({ terminal: nobody })("Bash", {}, about());
  assert.deepEqual(alone, {
    behavior: "deny",
    message: "Nobody sits at a terminal to be asked",
  });
});
