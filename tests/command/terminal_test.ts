import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isGoneWithin, needsProc, needsShell } from "../_children.ts";
import { testStandIn } from "./_program.ts";
import { bytes, decisionOf, prompts, testTerminal } from "./_terminal.ts";
import { atTerminal, needsTmux } from "./_tmux.ts";

const CALL = { tool: "Bash", input: { command: "rm -rf build" } } as const;
const RULES = [{
  type: "addRules",
  rules: [{ toolName: "Bash" }],
  behavior: "allow",
  destination: "session",
}];

for (
  const [typed, decision] of [
    ["y", { behavior: "allow" }],
    ["a", { behavior: "allow", updatedPermissions: RULES }],
    ["not today", { behavior: "deny", message: "not today" }],
  ] as const
) {
  testTerminal(
    `At a terminal sluice run asks about a tool, and takes "${typed}"`,
    [[
      "I clean up.",
      { ...CALL, fields: { permission_suggestions: RULES } },
      "Over.",
    ]],
    ["run", "Clean"],
    async ({ press, shows }) => {
      const asked = await shows(/or why not: /);
      assert.match(
        asked,
        /I clean up\.\n[^]*May the agent use Bash\?\n {2}command: rm -rf build/,
      );
      press(typed, "Enter");
      if (typed === "a") {
        await shows(/1 {2}allow every use of Bash\n1 = grant it, .*back: /);
        press("1", "Enter");
      }
      await shows(/Over\.[^]*EXIT 0/);
    },
    ({ fake }) => assert.deepEqual(decisionOf(fake), decision),
  );
}

for (const args of [["run", "Clean"], ["chat"]]) {
  testTerminal(
    `At a terminal that a file left with few rows to scroll, other letters and hidden text, sluice ${
      args[0]
    } shows the whole call`,
    [[{
      tool: "Bash",
      input: { command: "rm -rf build\n#\n#\n#\n#\nls" },
    }, "Over."]],
    args,
    async ({ inSight, press, shows }) => {
      if (args[0] === "chat") {
        await shows(/›/);
        press("Clean", "Enter");
      }
      await shows(/or why not: /);
      assert.match(
        inSight(),
        /May the agent use Bash\?\n[^]*rm -rf build\n[^]*ls\n/,
      );
      press("n", "Enter");
      await shows(/Over\./);
    },
    ({ fake }) => assert.equal(decisionOf(fake).behavior, "deny"),
    { printed: "\\033[1;4r\\033(0\\033[8m" },
  );

  testTerminal(
    `At a terminal a question of sluice ${
      args[0]
    } is shown again, from its first page, after a suspension and with another size`,
    [[{
      tool: "Bash",
      input: {
        command: Array.from({ length: 12 }, (_, at) => `step ${at}`).join("\n"),
      },
    }, "Over."]],
    args,
    async ({ press, resize, shows, wipeAndContinue }) => {
      if (args[0] === "chat") {
        await shows(/›/);
        press("Clean", "Enter");
      }
      await shows(/or why not: /);
      wipeAndContinue();
      await shows(/May the agent use Bash\?[^]*step 11[^]*or why not: /);
      resize(100, 12);
      await shows(/step \d[^]*lines\) Enter = more, /);
      // This page alone was shown.
      press("y", "Enter");
      await shows(/Not taken as an answer[^]*\ny = yes, n = no, or why not: /);
      press("n", "Enter");
      await shows(/Over\./);
    },
    ({ fake }) => assert.equal(decisionOf(fake).behavior, "deny"),
  );
}

for (const args of [["run", "Clean"], ["chat"]]) {
  testTerminal(
    `At a terminal sluice ${
      args[0]
    } shows the call again, and not the list of rules alone, after a suspension at that list`,
    [[{ ...CALL, fields: { permission_suggestions: RULES } }, "Over."]],
    args,
    async ({ press, shows, wipeAndContinue }) => {
      if (args[0] === "chat") {
        await shows(/›/);
        press("Clean", "Enter");
      }
      await shows(/or why not: /);
      press("a", "Enter");
      await shows(/1 = grant it.*back: /);
      wipeAndContinue();
      await shows(/May the agent use Bash\?[^]*rm -rf build[^]*or why not: /);
      press("1", "Enter");
      await shows(/Over\./);
    },
    ({ fake }) => assert.equal(decisionOf(fake).message, "1"),
  );
}

testTerminal(
  "At a terminal a question is asked where the keyboard is, though stderr is another terminal",
  [[CALL, "Over."]],
  ["run", "Clean"],
  async ({ press, shows }) => {
    await shows(/rm -rf build[^]*or why not: /);
    press("y", "Enter");
    await shows(/Over\.[^]*EXIT 0/);
  },
  ({ fake }) => assert.equal(decisionOf(fake).behavior, "allow"),
  { errorsElsewhere: true },
);

testTerminal(
  "A person is asked at the terminal when the prompt comes by a pipe, too",
  [[CALL, "Over."]],
  ["run", "Clean"],
  async ({ press, shows }) => {
    await shows(/or why not: /);
    press("not now", "Enter");
    await shows(/Over\.[^]*EXIT 0/);
  },
  ({ fake }) => {
    assert.equal(decisionOf(fake).behavior, "deny");
    assert.match(JSON.stringify(fake.received), /Clean\\n\\nsome context/);
  },
  { input: "some context" },
);

testTerminal(
  "At a terminal the first answer to each question of sluice chat counts, though the prompts come by a pipe",
  [[CALL, { wait: 1_500 }, "One."], [CALL, "Two."]],
  ["chat"],
  async ({ press, shows }) => {
    await shows(/or why not: $/m);
    press("y", "Enter");
    await shows(/One\.[^]*or why not: $/m);
    press("y", "Enter");
    await shows(/Two\.[^]*EXIT 0/);
  },
  ({ fake }) => {
    const decisions = fake.decisions.map((one) =>
      one.kind === "permission" && one.decision?.behavior
    );
    assert.deepEqual(decisions, ["allow", "allow"]);
  },
  { input: "one\ntwo\n" },
);

testTerminal(
  "At a terminal a question stays whole while another sluice of the job works",
  {
    match: [
      { prompt: "Clean", turn: [CALL, "Over."] },
      { prompt: "Wait", turn: [{ wait: "forever" }] },
    ],
  },
  ["run", "Clean"],
  async ({ inSight, press, shows }) => {
    await shows(/or why not: *$/m);
    // The other one draws a line each second.
    await sleep(2_500);
    assert.match(inSight(), /command: rm -rf build\n.*or why not: *\n*$/);
    press("y", "Enter");
    await shows(/Over\.[^]*thinking/);
  },
  ({ fake }) => assert.equal(decisionOf(fake).behavior, "allow"),
  { beside: ["run", "Wait"] },
);

testTerminal(
  "At a terminal Ctrl-C reaches the program alone: it ends the turn, and a question that is open",
  [["I clean up.", CALL, "Over."]],
  ["run", "Clean"],
  async ({ press, shows }) => {
    await shows(/or why not: /);
    press("C-c");
    await shows(/EXIT 130/);
  },
  async ({ fake: { runs: [only] } }) => {
    assert.equal(await isGoneWithin(10_000, only?.pid ?? 0), true);
    assert.deepEqual(only?.signals, []);
  },
);

for (const args of [["run", "Clean"], ["chat"]]) {
  testTerminal(
    `At a terminal a second Ctrl-C ends sluice ${
      args[0]
    }, though the interrupted turn asks again`,
    { turns: [[CALL, CALL, CALL, "Over."]], onInterrupt: "ignore" },
    args,
    async ({ press, shows }) => {
      if (args.length === 1) {
        await shows(/›/);
        press("work", "Enter");
      }
      await shows(/or why not: $/m);
      press("C-c");
      await shows(/interrupting; Ctrl-C again[^]*or why not: $/m);
      press("C-c");
      await shows(/EXIT 130/);
    },
    async ({ fake }) => {
      const [only] = fake.runs;
      assert.equal(await isGoneWithin(10_000, only?.pid ?? 0), true);
      assert.equal(decisionOf(fake).behavior, "deny");
    },
  );
}

testTerminal(
  "At a terminal sluice chat takes turn after turn, brings lines back, lists commands, and leaves by Ctrl-D",
  {
    turns: ["One.", "Two.", ["Begun.", { wait: "forever" }], "Four."],
    initialize: {
      commands: [{
        name: "compact",
        description: "Compacts",
        argumentHint: "",
      }],
    },
  },
  ["chat"],
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
    await shows(/Begun\./);
    press("C-c");
    await shows(/interrupting[^]*›/);
    press("again", "Enter");
    await shows(/Four\.[^]*› *$/m);
    press("C-c");
    await shows(/Ctrl-C again, or Ctrl-D, ends the chat/);
    press("C-d");
    await shows(/EXIT 0/);
  },
  ({ fake }) =>
    assert.deepEqual(prompts(fake), ["first", "first", "/compact", "again"]),
);

testTerminal(
  "At a terminal Up in sluice chat finds the earlier line that begins with the typed text",
  ["One.", "Two.", "Three."],
  ["chat"],
  async ({ press, shows }) => {
    await shows(/›/);
    press("first", "Enter");
    await shows(/One\.[^]*› *$/m);
    press("second", "Enter");
    await shows(/Two\.[^]*› *$/m);
    press("fi", "Up");
    await shows(/› first *$/m);
    press("Enter");
    await shows(/Three\.[^]*› *$/m);
    press("C-d");
    await shows(/EXIT 0/);
  },
  ({ fake }) => assert.deepEqual(prompts(fake), ["first", "second", "first"]),
);

testTerminal(
  "sluice chat with stderr in a file asks on the screen, where the person is",
  [["I have a plan. Shall I go on?", CALL, "Done."]],
  ["chat"],
  async ({ press, shows }) => {
    await shows(/›/);
    press("tidy up", "Enter");
    await shows(/rm -rf build[^]*y = yes/);
    press("y", "Enter");
    await shows(/Done\./);
    press("C-d");
    await shows(/EXIT 0/);
  },
  ({ fake }) => assert.equal(fake.decisions.length, 1),
  { errors: "errors.txt" },
);

testTerminal(
  "At a terminal sluice chat keeps lines that are typed ahead, and takes a pasted text whole",
  {
    turns: ["One.", "Two.", "Three.", "Four.", "Five.", "Six.", "Seven."],
  },
  ["chat"],
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
  ({ fake }) => {
    const [long, ...others] = prompts(fake).toReversed();
    assert.deepEqual(others.toReversed(), [
      "first",
      "second",
      "third",
      "begun and ended",
      "a pasted\n\ttext\nof [31mthree lines\n by hand",
      "ends in \na \\\\\nb\\\\",
    ]);
    assert.equal(`${long}`.split("\n").length, 10_000);
    assert.match(`${long}`, /^n0\n[^]*\nn5000\n[^]*\nn9999$/);
  },
);

testTerminal(
  "At a terminal what was typed or pasted before a question of sluice chat answers a prompt, and no question",
  { turns: [["Begun.", CALL, "Over."], "Next."] },
  ["chat"],
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
  ({ fake }) => {
    assert.equal(decisionOf(fake).message, "y but no");
    assert.deepEqual(prompts(fake), ["work", "y"]);
  },
);

testTerminal(
  "At a terminal several lines that come together answer no question of sluice chat",
  { turns: [["Begun.", CALL, "Over."]] },
  ["chat"],
  async ({ press, shows }) => {
    await shows(/›/);
    press("work", "Enter");
    await shows(/or why not: $/m);
    press(...bytes("y\rls\r"));
    await shows(/\(several lines at once are no answer\)[^]*or why not: $/m);
    press("n", "Enter");
    await shows(/Over\.[^]*› *$/m);
  },
  ({ fake }) => {
    assert.equal(decisionOf(fake).behavior, "deny");
    assert.deepEqual(prompts(fake), ["work"]);
  },
);

testTerminal(
  "sluice chat leaves the terminal as it was when SIGQUIT ends it",
  [],
  ["chat"],
  async ({ paste, shows, signal }) => {
    await shows(/›/);
    signal("SIGQUIT");
    await shows(/EXIT 131/);
    paste("echo\n");
    await shows(/^echo\necho$/m);
  },
);

testTerminal(
  "Ctrl-Z in sluice chat changes nothing where no shell could continue it",
  { turns: ["One."] },
  ["chat"],
  async ({ paste, press, shows }) => {
    await shows(/›/);
    press("C-z", "begun");
    await shows(/› begun$/m);
    paste(" here\nand there");
    await shows(/and there$/m);
    press("Enter");
    await shows(/One\./);
  },
  ({ fake }) => assert.deepEqual(prompts(fake), ["begun here\nand there"]),
);

testTerminal(
  "At a terminal a paste that began before a question of sluice chat belongs to the next prompt",
  { turns: [["Begun.", CALL, "Over."], "Next."] },
  ["chat"],
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
  ({ fake }) => {
    assert.equal(decisionOf(fake).message, "never");
    assert.deepEqual(prompts(fake), ["work", "yes"]);
  },
);

testTerminal(
  "At a terminal a paste of sluice chat without an end mark is over after a second, and neither it nor its rest answers a question",
  { turns: [["Begun.", CALL, "Over."], "Next."] },
  ["chat"],
  async ({ press, shows }) => {
    await shows(/›/);
    press(...bytes("\x1b[200~one\rtwo"));
    await shows(/^› one\n… two$/m);
    press(" by hand", "Enter");
    await shows(/or why not: $/m);
    press(...bytes("\x1b[200~half\ry\r"));
    await shows(/or why not: half y $/m);
    press(...bytes("rest\r\x1b[201~"));
    await shows(/or why not: half y rest $/m);
    press(...bytes("\x1b[200~, more\x1b[20"));
    await shows(/or why not: half y rest , more$/m);
    press(...bytes("1~"));
    press(" no", "Enter");
    await shows(/Over\.[^]*› *$/m);
    press("C-d");
    await shows(/EXIT 0/);
  },
  ({ fake }) => {
    assert.equal(decisionOf(fake).message, "half y rest , more no");
    assert.deepEqual(prompts(fake), ["one\ntwo by hand"]);
  },
);

testTerminal(
  "At a terminal sluice chat knows a paste by its mark, though that comes in two pieces",
  { turns: ["One."] },
  ["chat"],
  async ({ press, shows }) => {
    await shows(/›/);
    press(...bytes("\x1b[2"));
    await sleep(300);
    press(...bytes("00~one\rtwo\x1b[201~"));
    await shows(/^› one\n… two$/m);
    press("Enter");
    await shows(/One\./);
  },
  ({ fake }) => assert.deepEqual(prompts(fake), ["one\ntwo"]),
);

testTerminal(
  "At a terminal a slow paste of sluice chat is one, and answers no question",
  [[CALL, "Over."]],
  ["chat"],
  async ({ press, shows }) => {
    await shows(/›/);
    press("work", "Enter");
    await shows(/or why not: $/m);
    for (const part of ["\x1b[200~y", "\r", "y\r", "y", "\r", "\x1b[201~"]) {
      press(...bytes(part));
      await sleep(300);
    }
    await shows(/or why not: y y y $/m);
    press("no", "Enter");
    await shows(/Over\./);
  },
  ({ fake }) => assert.equal(decisionOf(fake).message, "y y y no"),
);

testTerminal(
  "At a terminal Ctrl-C ends a turn of sluice chat, though a paste has lost its end mark",
  { turns: [["Begun.", { wait: "forever" }], "Next."] },
  ["chat"],
  async ({ press, shows }) => {
    await shows(/›/);
    press("work", "Enter");
    await shows(/Begun\./);
    press(...bytes("\x1b[200~half"));
    // A paste shows nothing during a turn.
    await sleep(1_500);
    press("C-c");
    await shows(/interrupting[^]*› *$/m);
    press("again", "Enter");
    await shows(/Next\./);
  },
  ({ fake }) => assert.deepEqual(prompts(fake), ["work", "again"]),
);

testTerminal(
  "At a terminal Ctrl-C at a question of sluice chat ends the turn, drops what was typed ahead, and leaves the terminal as it was",
  { turns: [["Begun.", CALL, "Over."], "Next."] },
  ["chat"],
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
  ({ fake }) => assert.deepEqual(prompts(fake), ["work", "again"]),
);

testTerminal(
  "A terminal of a broken size gets whole lines",
  "ok",
  ["--help"],
  async ({ shows }) => void await shows(/EXIT 0/),
  undefined,
  { columns: 10 },
);

for (const args of [["run", "Clean"], ["chat"]]) {
  testTerminal(
    `At a terminal Ctrl-C at a question of sluice ${
      args[0]
    } denies the call, though the CLI does not withdraw it`,
    { turns: [[CALL, "Over."]], onInterrupt: "ignore" },
    args,
    async ({ press, shows }) => {
      if (args[0] === "chat") {
        await shows(/›/);
        press("Clean", "Enter");
      }
      await shows(/or why not: /);
      press("y", "C-c", "y", "Enter");
      await shows(/^interrupting[^]*Over\./m);
    },
    ({ fake }) =>
      assert.deepEqual(decisionOf(fake), {
        behavior: "deny",
        message: "The person interrupted the turn",
      }),
  );
}

testTerminal(
  "At a terminal Ctrl-C in sluice chat drops what was typed as an answer",
  [[CALL, "Over."]],
  ["chat"],
  async ({ press, shows }) => {
    await shows(/›/);
    press("Clean", "Enter");
    await shows(/or why not: /);
    press("y", "C-c", "Enter");
    await shows(/interrupted[^]*›/i);
  },
  ({ fake }) => assert.doesNotMatch(JSON.stringify(fake.decisions), /allow/),
);

for (const args of [["run", "Clean"], ["chat"]]) {
  testStandIn(
    `sluice ${args[0]} ends with 129 when its terminal is gone`,
    [[CALL, "Over."]],
    async ({ env, folder: cwd, signal }) => {
      const exitFile = join(cwd, "exit");
      await atTerminal(args, { cwd, env, signal, exitFile }, async (screen) => {
        await screen.shows(args[0] === "chat" ? /›/ : /or why not: /);
        screen.hangUp();
        assert.equal(await written(exitFile, signal), "129\n");
      });
    },
    { skip: needsTmux ?? needsShell ?? needsProc },
  );
}

testStandIn(
  "sluice run does not report a failed write when its terminal is gone",
  [[CALL, "Over."]],
  async ({ env, folder: cwd, signal }) => {
    const [exitFile, errors] = [join(cwd, "exit"), join(cwd, "errors")];
    const settings = { cwd, env, signal, errors, exitFile };
    await atTerminal(["run", "Clean"], settings, async (screen) => {
      await screen.shows(/or why not: /);
      screen.hangUp();
      assert.equal(await written(exitFile, signal), "129\n");
      assert.doesNotMatch(await readFile(errors, "utf8"), /Cannot write/);
    });
  },
  { skip: needsTmux ?? needsShell ?? needsProc },
);

/** The text of a file once there is some. */
async function written(path: string, signal: AbortSignal): Promise<string> {
  for (;;) {
    signal.throwIfAborted();
    const text = await readFile(path, "utf8").catch(() => "");
    if (text !== "") return text;
    await sleep(20);
  }
}

testTerminal(
  "In a locale without UTF-8 sluice run prints ASCII alone, so that no letter of the model drives the terminal",
  [[
    "\u00db1;4r\u00e9",
    { tool: "Ba\u00dbsh", input: { command: "ls" } },
    "Over.",
  ]],
  ["run", "Clean"],
  async ({ press, shows }) => {
    const asked = await shows(/or why not: /);
    assert.match(asked, /\\u\{db\}1;4r\\u\{e9\}/);
    assert.match(asked, /May the agent use Ba\\u\{db\}sh/);
    press("n", "Enter");
    await shows(/EXIT 0/);
  },
  () => {},
  { locale: "de_DE.ISO-8859-1" },
);

testTerminal(
  "In a locale that does not name UTF-8 a question is ASCII alone, as tmux draws other letters as `_`",
  [[{ tool: "Bash", input: { command: "bash ./check\u00e9.sh" } }, "Over."]],
  ["run", "Check"],
  async ({ press, shows }) => {
    await shows(/command: bash \.\/check\\u\{e9\}\.sh[^]*or why not: /);
    press("n", "Enter");
    await shows(/EXIT 0/);
  },
  () => {},
  { locale: "C" },
);

testTerminal(
  "A question shows the code of an emoji that tmux draws as nothing",
  [[{ tool: "Bash", input: { command: "bash ./check\u{1fae8}.sh" } }, "Over."]],
  ["run", "Check"],
  async ({ press, shows }) => {
    await shows(/command: bash \.\/check\\u\{1fae8\}\.sh[^]*or why not: /);
    press("n", "Enter");
    await shows(/EXIT 0/);
  },
);
