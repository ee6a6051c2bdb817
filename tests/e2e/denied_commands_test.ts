import assert from "node:assert/strict";
import { type JsonObject, query } from "@sluice/agent";
import { resolveOptions } from "../../src/options/resolve.ts";
import { toolPolicy } from "../../src/options/tool_policy.ts";
import { collect } from "../_collect.ts";
import { realTest, toolResults } from "./_real.ts";

/** Rules for programs that do not exist. */
const RULES = ["gone:*", "lost x", "void * end", "/bin/exact:*", "./own:*"];

/** Words after which the CLI looks for a command (2.1.330), as calls. */
const BEHIND = [
  ...["", "FOO=1 ", "FOO='a b' ", "! ", "builtin ", "chrt 1 ", "command "],
  ...["doas ", "env ", "exec ", "exec -a y ", "flock /tmp/l ", "ionice -c3 "],
  ...["nice -n 5 ", "noglob ", "nohup ", "nsenter -t 1 ", "pkexec "],
  ...["script -c ", "setsid -w ", "stdbuf -o0 ", "strace ", "ltrace "],
  ...["sandbox-exec ", "sudo -n ", "taskset 1 ", "time ", "timeout 5 "],
  ...["unshare ", "watch ", "xargs ", "/usr/bin/env ", "/usr/bin/sudo "],
  ...["/usr/bin/timeout 5 ", "./setsid ", "'sudo' ", "sudo setsid "],
];
const FIRST_NAME = "gone x";
const MORE_NAMES = ["gone", "/bin/gone x", "./own x", "void a end"];

const LINES = [
  // All pairs would take the CLI twice as long, and few words read what is behind them.
  ...BEHIND.flatMap((words, at) => [
    words + FIRST_NAME,
    words + MORE_NAMES[at % MORE_NAMES.length],
  ]),
  ...MORE_NAMES.slice(1),
  ...["./gone x", "../../bin/gone x", "a/b\\ c/gone x", "'/a b/gone' x"],
  ...["/bin/'gone' x", '"/bin/gone" x', "~/gone x", "$HOME/gone x", "gone.exe"],
  ...["g'one' x", "\\gone x", "lost x", "/sbin/lost x", "lost 'x'", "lo'st' x"],
  ...["/usr/bin/void a end", "/bin/exact x", "sudo /bin/exact x"],
  ...["true && /bin/gone x", "echo $(/bin/gone x)", "{ /bin/gone x; }"],
  ...["(/bin/gone x)", "for x in 1; do /bin/gone x; done", "A=$x /bin/gone x"],
  ...["if x; then /bin/gone y; fi", "case a in a) /bin/gone x;; esac"],
  ...["f() { /bin/gone x; }; f", "FOO=1 /bin/gone x > log", ">x /bin/gone y"],
  ...["2>&1 /bin/gone x", "gone x 2>&1 | cat", "ls & /bin/gone x"],
  ...["while /bin/gone x; do ls; done", "ls\n/bin/gone x", "ls | gone x"],
];

realTest(
  "a command that a deny rule of the CLI finds is denied by Sluice, whose check of changed inputs stands alone",
  [
    {
      tools: LINES.map((command) => ({
        name: "Bash",
        input: { command, description: "run it" },
      })),
    },
    "Done.",
  ],
  async ({ options }) => {
    const rules = RULES.map((rule) => `Bash(${rule})`);
    const asked: JsonObject[] = [];
    const { items } = await collect(query("Go", {
      ...options,
      settings: { permissions: { deny: rules, ask: ["Bash"] } },
      permissions: {
        canUseTool(_, input) {
          asked.push(input);
          return { behavior: "deny", message: "Asked" };
        },
      },
    }));
    assert.equal(toolResults(items).length, LINES.length);
    const missed = asked.map(({ command }) => command);
    const denied = LINES.filter((line) => !missed.includes(line));
    // Else the test would prove nothing.
    assert.ok(denied.length > LINES.length * 0.8, missed.join("\n"));
    const policy = toolPolicy(resolveOptions({ deniedTools: rules }));
    assert.deepEqual(
      denied.filter((command) => policy?.("Bash", { command }) === undefined),
      [],
    );
  },
);
