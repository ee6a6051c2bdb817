import assert from "node:assert/strict";
import { isGoneWithin, needsProc, needsShell } from "../_children.ts";
import type { FakeCli } from "@sluice/agent/testing";
import { test } from "../_harness.ts";
import { withStandIn } from "./_program.ts";
import { atTerminal, needsTmux } from "./_tmux.ts";

const skip = needsTmux ?? needsShell ?? needsProc;
const CALL = { tool: "Bash", input: { command: "rm -rf build" } } as const;
const RULES = [{
  type: "addRules",
  rules: [{ toolName: "Bash" }],
  behavior: "allow",
  destination: "session",
}];

test(
  "At a terminal sluice run asks about a tool, and takes yes, always, and a reason why not",
  async ({ signal }) => {
    const cases = [
      ["y", { behavior: "allow" }],
      ["a", { behavior: "allow", updatedPermissions: RULES }],
      ["not today", { behavior: "deny", message: "not today" }],
    ] as const;
    for (const [typed, decision] of cases) {
      await withStandIn([[
        "I clean up.",
        { ...CALL, fields: { permission_suggestions: RULES } },
        "Over.",
      ]], async ({ env, fake, folder }) => {
        await atTerminal(
          ["run", "Clean"],
          { cwd: folder, env, signal },
          async ({ press, shows }) => {
            const asked = await shows(/or why not: /);
            assert.match(
              asked,
              /I clean up\.\n[^]*May the agent use Bash\?\n {2}command: rm -rf build/,
            );
            press(typed, "Enter");
            if (typed === "a") {
              await shows(/1 {2}allow every use of Bash\nEnter = 1, .*back: /);
              press("Enter");
            }
            const end = await shows(/EXIT \d/);
            assert.match(end, /Over\.[^]*EXIT 0/);
          },
        );
        const [decided] = fake.decisions;
        assert.ok(decided?.kind === "permission");
        assert.deepEqual(
          Object.fromEntries(
            Object.entries(decided.decision ?? {}).filter(([name]) =>
              ["behavior", "message", "updatedPermissions"].includes(name)
            ),
          ),
          decision,
        );
      });
    }
  },
  { skip },
);

test(
  "A person is asked at the terminal when the prompt comes by a pipe, too",
  async ({ signal }) => {
    await withStandIn([[CALL, "Over."]], async ({ env, fake, folder }) => {
      const settings = { cwd: folder, env, signal, input: "some context" };
      await atTerminal(["run", "Clean"], settings, async ({ press, shows }) => {
        await shows(/or why not: /);
        press("not now", "Enter");
        await shows(/Over\.[^]*EXIT 0/);
      });
      const [decided] = fake.decisions;
      assert.ok(decided?.kind === "permission");
      assert.deepEqual(decided.decision?.behavior, "deny");
      assert.match(JSON.stringify(fake.received), /Clean\\n\\nsome context/);
    });
  },
  { skip },
);

test(
  "At a terminal Ctrl-C reaches the program alone: it ends the turn, and a question that is open",
  async ({ signal }) => {
    await withStandIn(
      [["I clean up.", CALL, "Over."]],
      async ({ env, fake, folder }) => {
        await atTerminal(
          ["run", "Clean"],
          { cwd: folder, env, signal },
          async ({ press, shows }) => {
            await shows(/or why not: /);
            press("C-c");
            await shows(/EXIT 130/);
          },
        );
        const [only] = fake.runs;
        assert.equal(await isGoneWithin(10_000, only?.pid ?? 0), true);
        assert.deepEqual(only?.signals, []);
      },
    );
  },
  { skip },
);

test(
  "At a terminal sluice chat takes turn after turn, brings lines back, knows commands, and leaves by Ctrl-D",
  async ({ signal }) => {
    await withStandIn({
      turns: ["One.", "Two.", "Three."],
      initialize: {
        commands: [{
          name: "compact",
          description: "Compacts",
          argumentHint: "",
        }],
      },
    }, async ({ env, fake, folder }) => {
      await atTerminal(
        ["chat"],
        { cwd: folder, env, signal },
        async ({ press, shows }) => {
          await shows(/\/help lists 1 commands[^]*›/);
          press("first", "Enter");
          await shows(/One\.[^]*› *$/m);
          press("Up", "Enter");
          await shows(/Two\./);
          press("/help", "Enter");
          // Input is echoed once, also at a later prompt.
          await shows(/^› \/help\n\/compact {2}Compacts\n\/exit/m);
          press("/compact", "Enter");
          await shows(/Three\.[^]*› *$/m);
          press("C-c");
          await shows(/Ctrl-C again, or Ctrl-D, ends the chat/);
          press("C-d");
          await shows(/EXIT 0/);
        },
      );
      const said = fake.received.filter(({ type }) => type === "user")
        .map((line) => JSON.stringify(line["message"]));
      assert.equal(said.length, 3);
      for (const [at, words] of ["first", "first", "/compact"].entries()) {
        assert.ok(said[at]?.includes(words), said[at]);
      }
    });
  },
  { skip },
);

test(
  "At a terminal Ctrl-C ends a turn of sluice chat, and the chat goes on",
  async ({ signal }) => {
    await withStandIn({
      turns: [["Begun.", { wait: "forever" }], "Still here."],
    }, async ({ env, folder }) => {
      await atTerminal(
        ["chat"],
        { cwd: folder, env, signal },
        async ({ press, shows }) => {
          await shows(/›/);
          press("work", "Enter");
          await shows(/Begun\./);
          press("C-c");
          await shows(/interrupting[^]*›/);
          press("again", "Enter");
          await shows(/Still here\./);
          press("/exit", "Enter");
          await shows(/EXIT 0/);
        },
      );
    });
  },
  { skip },
);

test(
  "sluice chat with stderr in a file asks on the screen, where the person is",
  async ({ signal }) => {
    await withStandIn({
      turns: [[
        "I have a plan. Shall I go on?",
        { tool: "Bash", input: { command: "rm -rf sub" } },
        "Done.",
      ]],
    }, async ({ env, fake, folder }) => {
      await atTerminal(
        ["chat"],
        { cwd: folder, env, errors: "errors.txt", signal },
        async ({ press, shows }) => {
          await shows(/›/);
          press("tidy up", "Enter");
          await shows(/rm -rf sub[^]*y = yes/);
          press("y", "Enter");
          await shows(/Done\./);
          press("C-d");
          await shows(/EXIT 0/);
        },
      );
      assert.equal(fake.decisions.length, 1);
    });
  },
  { skip },
);

/** What the stand-in CLI was told, prompt by prompt. */
function prompts(fake: FakeCli): readonly unknown[] {
  return fake.received.filter(({ type }) => type === "user")
    .map(({ message }) => (message as { readonly content: unknown }).content)
    .map((content) =>
      Array.isArray(content) ? content[0]?.text ?? content : content
    );
}

test(
  "At a terminal sluice chat keeps lines that are typed ahead, and takes a pasted text whole",
  async ({ signal }) => {
    const turns = [
      "One.",
      "Two.",
      "Three.",
      "Four.",
      "Five.",
      "Six.",
      "Seven.",
    ];
    await withStandIn({ turns }, async ({ env, fake, folder }) => {
      await atTerminal(
        ["chat"],
        { cwd: folder, env, signal },
        async ({ paste, press, shows }) => {
          await shows(/›/);
          press("first", "Enter", "second", "Enter", "third", "Enter", "begun");
          await shows(/Three\.[^]*› begun$/m);
          press(" and ended", "Enter");
          await shows(/Four\./);
          paste("a pasted\n\ttext\nof \x1b[31mthree lines\n");
          await shows(/› a pasted\n[^]*three lines/);
          press(" by hand", "Enter");
          await shows(/Five\./);
          press("ends in \\", "Enter", "a \\\\", "M-Enter", "b\\\\", "Enter");
          await shows(/Six\./);
          paste(Array.from({ length: 10_000 }, (_, at) => `n${at}`).join("\n"));
          await shows(/n19\n.*\(9979 more lines\)\n[^]*n9999/);
          press("Enter");
          await shows(/Seven\./);
          press("C-d");
          await shows(/EXIT 0/);
        },
      );
      const [first, second, third, begun, pasted, typed, long] = prompts(fake);
      assert.deepEqual([first, second, third, begun, pasted, typed], [
        "first",
        "second",
        "third",
        "begun and ended",
        "a pasted\n\ttext\nof [31mthree lines\n by hand",
        "ends in \na \\\\\nb\\\\",
      ]);
      assert.equal(`${long}`.split("\n").length, 10_000);
      assert.match(`${long}`, /^n0\n[^]*\nn5000\n[^]*\nn9999$/);
    });
  },
  { skip },
);

test(
  "At a terminal what was typed or pasted before a question of sluice chat answers a prompt, and no question",
  async ({ signal }) => {
    await withStandIn(
      { turns: [["Begun.", CALL, "Over."], "Next."] },
      async ({ env, fake, folder }) => {
        await atTerminal(
          ["chat"],
          { cwd: folder, env, signal },
          async ({ paste, press, shows }) => {
            await shows(/›/);
            press("work", "Enter", "y", "Enter", "y");
            await shows(/or why not: $/m);
            paste("y\n");
            await shows(/or why not: y $/m);
            press("but no", "Enter");
            await shows(/Over\.[^]*› y\n[^]*Next\.[^]*› y$/m);
            press("C-c", "C-c");
            await shows(/EXIT 130/);
          },
        );
        const [decided] = fake.decisions;
        assert.ok(decided?.kind === "permission");
        assert.match(JSON.stringify(decided.decision), /"y but no"/);
        assert.deepEqual(prompts(fake), ["work", "y"]);
      },
    );
  },
  { skip },
);

test(
  "At a terminal a paste that began before a question of sluice chat belongs to the next prompt",
  async ({ signal }) => {
    const bytes = (text: string) => [
      "-H",
      ...Array.from(text, (one) => one.charCodeAt(0).toString(16)),
    ];
    await withStandIn(
      { turns: [["Begun.", CALL, "Over."], "Next."] },
      async ({ env, fake, folder }) => {
        await atTerminal(
          ["chat"],
          { cwd: folder, env, signal },
          async ({ press, shows }) => {
            await shows(/›/);
            press(...bytes("work\r\x1b[200~ye"));
            await shows(/or why not: $/m);
            press(...bytes("s\x1b[201~never\r"));
            await shows(/Over\.[^]*› yes$/m);
            press("Enter");
            await shows(/Next\.[^]*› *$/m);
            press("C-d");
            await shows(/EXIT 0/);
          },
        );
        const [decided] = fake.decisions;
        assert.match(JSON.stringify(decided), /"message":"never"/);
        assert.deepEqual(prompts(fake), ["work", "yes"]);
      },
    );
  },
  { skip },
);

test(
  "At a terminal Ctrl-C at a question of sluice chat ends the turn, drops what was typed ahead, and leaves the terminal as it was",
  async ({ signal }) => {
    await withStandIn(
      { turns: [["Begun.", CALL, "Over."], "Next."] },
      async ({ env, fake, folder }) => {
        await atTerminal(
          ["chat"],
          { cwd: folder, env, signal },
          async ({ paste, press, shows }) => {
            await shows(/›/);
            press("work", "Enter", "never", "Enter");
            await shows(/or why not: $/m);
            press("C-c");
            await shows(/interrupting[^]*› *$/m);
            press("again", "Enter");
            await shows(/Next\.[^]*› *$/m);
            press("C-d");
            await shows(/EXIT 0/);
            // "cat" runs on: the terminal echoes a line without marks of a paste, then it does.
            paste("echo\n");
            await shows(/^echo\necho$/m);
          },
        );
        assert.deepEqual(prompts(fake), ["work", "again"]);
      },
    );
  },
  { skip },
);

test("A terminal of a broken size gets whole lines", async ({ signal }) => {
  await withStandIn("ok", async ({ env, folder }) => {
    await atTerminal(
      ["--help"],
      { cwd: folder, env, signal, columns: 10 },
      async ({ shows }) => {
        await shows(/EXIT 0/);
      },
    );
  });
}, { skip });
