import assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type PermissionUpdate, promptPerson } from "@sluice/agent";
import { test } from "./_harness.ts";
import { about, person } from "./_person.ts";

test("promptPerson() draws no two short texts of marks and letters alike, on a terminal that composes them", async () => {
  const parts = [
    ..."e}\\\u0301\u0323\u0327\u00e9\u212a\u1112\u1161\u0338<",
    "\\u{301}",
  ];
  const all = parts.flatMap((one) =>
    parts.flatMap((two) => parts.map((three) => one + two + three))
  );
  const texts = new Map<string, string>();
  for (const command of all) {
    const { terminal, shown } = person("n");
    await promptPerson({ terminal })("Bash", { command }, about());
    const drawn = shown[0]?.normalize("NFC") ?? "";
    assert.equal(texts.get(drawn) ?? command, command, drawn);
    texts.set(drawn, command);
  }
});

test(
  "promptPerson() needs no long time for a text, a rule or an answer that is made to take one",
  async () => {
    const ruleContent = `A=${"''".repeat(60)}`;
    const suggestions: readonly PermissionUpdate[] = [{
      type: "addRules",
      rules: [{ toolName: "Bash", ruleContent }],
      behavior: "allow",
      destination: "session",
    }];
    const { terminal, shown } = person("all", "a", `${"1".repeat(60)}x`, "b");
    const deciding = promptPerson({ terminal })(
      "Bash",
      {
        command: `${"\\".repeat(120_000)}é${"e\u0301q".repeat(27_000)}${
          "\u0323".repeat(120_000)
        }`,
      },
      about({ suggestions }),
    );
    // Each of the three once took longer than this test may.
    while (shown.length < 5) await nextTurn();
    void Promise.resolve(deciding).catch(() => {});
  },
  { timeoutMs: 60_000 },
);
