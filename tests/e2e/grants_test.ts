import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type CanUseTool,
  type PermissionUpdate,
  promptPerson,
  query,
} from "@sluice/agent";
import { collect } from "../_collect.ts";
import { bash, realTest, toolResults } from "./_real.ts";

/** A call before each of these words, in a form that the shell accepts. */
const BEHIND: Readonly<Record<string, string>> = {
  timeout: "timeout 5 ",
  time: "time ",
  nice: "nice ",
  nohup: "nohup ",
  stdbuf: "stdbuf -o0 ",
  command: "command ",
  xargs: "echo more | xargs ",
};
/** Forms that no sentence names. */
const OTHERS = ["FOO=1 ", "PATH=/x ", "env ", "setsid ", "xargs -n1 "];

const RULES: readonly (readonly [rule: string, command: string])[] = [
  ["./prefix.sh staging:*", "./prefix.sh staging"],
  ["./exact.sh staging", "./exact.sh staging"],
  ["./pattern.sh * staging", "./pattern.sh -v staging"],
];

const FIRST = "touch first";
const FORMS = ["", "NODE_ENV=p ", ...Object.values(BEHIND), ...OTHERS];
const CALLS = RULES.flatMap(([, command]) =>
  FORMS.map((form) => form + command)
);

realTest(
  "the sentence of a grant for a shell names all forms of a command that the CLI then runs without asking",
  [bash(FIRST), ...CALLS.map(bash), "Done."],
  async ({ options, cwd }) => {
    for (const [, command] of RULES) {
      const [file = ""] = command.split(" ");
      await writeFile(join(cwd, file), "#!/bin/sh\n", { mode: 0o755 });
    }
    const shown: string[] = [];
    const answers = ["a", "1 2 3"];
    const grant = promptPerson({
      terminal: {
        isPerson: true,
        size: () => ({ columns: 400, rows: 40 }),
        ask(text) {
          shown.push(text);
          return Promise.resolve(answers.shift());
        },
      },
    });
    const suggestions: readonly PermissionUpdate[] = [{
      type: "addRules",
      rules: RULES.map(([ruleContent]) => ({ toolName: "Bash", ruleContent })),
      behavior: "allow",
      destination: "session",
    }];
    const asked: string[] = [];
    const canUseTool: CanUseTool = (tool, input, context) => {
      if (input["command"] === FIRST) {
        const { caughtUp, signal } = context;
        return grant(tool, input, {
          ...context,
          caughtUp,
          signal,
          suggestions,
        });
      }
      asked.push(String(input["command"]));
      return { behavior: "deny", message: "Asked" };
    };
    const { items } = await collect(
      query("Go", { ...options, permissions: { canUseTool } }),
    );
    assert.equal(toolResults(items).length, CALLS.length + 1);
    for (const [, command] of RULES) {
      const file = command.slice(0, command.indexOf(".sh") + 3);
      const sentence = shown[1]?.split("\n").find((row) => row.includes(file));
      assert.match(sentence ?? "", /also after variables such as NODE_ENV and/);
      const [, named = ""] = / behind ([\w, ]+)$/.exec(sentence ?? "") ?? [];
      const runs = named.split(", ").map((word) => BEHIND[word]);
      assert.deepEqual(
        asked.filter((one) => one.endsWith(command)),
        FORMS.slice(2).filter((form) => !runs.includes(form))
          .map((form) => form + command),
      );
    }
  },
);
