import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fixture } from "./_children.ts";
import { test } from "./_harness.ts";

const FIXTURE = new URL("./fixtures/ask_person.ts", import.meta.url);
const IN_WORKER = new URL("./fixtures/ask_in_worker.ts", import.meta.url);
const hasPty = spawnSync("script", ["--version"]).status === 0;

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A request for a report, as the program sends it. */
// deno-lint-ignore no-control-regex -- requests are escape sequences
const REQUEST = /\x1b7((?:\x1b\[\d+;\d+H\x1b\[6n)+)\x1b8/g;

/** Codes for a plain state of the terminal. */
// deno-lint-ignore no-control-regex -- codes of a terminal
const PLAIN = /\x1b7\x1b\[r\x1b8(?:\x1b\[\??\d+[hlm]|\x1b\(B|\x0f)*/g;

/** Answers of a terminal, and the text without the requests. */
function emulate(
  text: string,
): { readonly reports: string; readonly rest: string } {
  let reports = "";
  const rest = text.replace(PLAIN, "").replace(REQUEST, (_, moves: string) => {
    reports += moves.replaceAll("H\x1b[6n", "R");
    return "";
  });
  return { reports, rest };
}

/** Shows what a program writes and answers its requests; `type()` comes after the answers, keys of `early` before them. */
function screenOf(
  child: ReturnType<typeof spawn>,
  onShown: (shown: string) => void,
  early: (text: string) => string = () => "",
): () => string {
  let [shown, open] = ["", ""];
  const decoder = new TextDecoder();
  child.stdout?.on("data", (data: Uint8Array) => {
    open += decoder.decode(data, { stream: true });
    const { reports, rest } = emulate(open);
    const keys = early(rest);
    if (keys + reports !== "") child.stdin?.write(keys + reports);
    // Its request follows.
    if (reports === "" && /(?:why not|back): $/.test(rest)) return;
    // The rest of a request follows.
    const at = rest.indexOf("\x1b7");
    open = at < 0 ? "" : rest.slice(at);
    shown += at < 0 ? rest : rest.slice(0, at);
    // A person types later than the terminal answers.
    if (reports === "") onShown(shown);
    else setTimeout(() => onShown(shown), 100);
  });
  return () => shown;
}

/** Runs the fixture, types once it asks, and gives all that was shown. */
function run(
  command: string,
  args: readonly string[],
  typed: string | undefined,
): Promise<string> {
  const { env } = fixture(FIXTURE);
  const child = spawn(command, [...args], {
    env: { ...env, SHELL: "/bin/sh", TERM: "xterm" },
  });
  let isAsked = false;
  const shown = screenOf(child, (text) => {
    if (isAsked || !text.includes("why not: ")) return;
    isAsked = true;
    if (typed !== undefined) child.stdin.write(typed);
  });
  if (typed === undefined) child.stdin.end();
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", () => resolve(shown()));
  });
}

test(
  "promptPerson() asks at a real terminal, and the program ends by itself afterwards",
  async () => {
    const { command, args } = fixture(FIXTURE);
    const line = [command, ...args].map(quoted).join(" ");
    const shown = await run(
      "script",
      ["-qec", line, "/dev/null"],
      "not today\n",
    );
    assert.match(shown, /May the agent use Bash\?\r?\n {2}command: ls/);
    assert.match(shown, /DECIDED \{"behavior":"deny","message":"not today"\}/);
    // A question that is over hears nothing of what is typed later.
    assert.match(shown, /LISTENING 0/);
  },
  { skip: hasPty ? undefined : "needs script(1)" },
);

test(
  "promptPerson() asks where the output streams of the runtime have no descriptor",
  async () => {
    const { command, args } = fixture(FIXTURE);
    const line = [command, ...args].map(quoted).join(" ");
    const words = ["-qec", `NO_DESCRIPTORS=1 ${line}`, "/dev/null"];
    const shown = await run("script", words, "later\n");
    assert.match(shown, /DECIDED \{"behavior":"deny","message":"later"\}/);
  },
  { skip: hasPty ? undefined : "needs script(1)" },
);

test(
  "promptPerson() asks on Deno with few permissions, and Deno asks for none",
  async () => {
    const { command, args } = fixture(FIXTURE);
    const few = ["--allow-env", `--allow-read=${process.cwd()}`];
    const line = [command, ...args.flatMap((one) => one === "-A" ? few : one)]
      .map(quoted).join(" ");
    const shown = await run("script", ["-qec", line, "/dev/null"], "later\n");
    assert.match(shown, /DECIDED \{"behavior":"deny","message":"later"\}/);
    assert.doesNotMatch(shown, /Allow\?/);
  },
  {
    skip: !hasPty
      ? "needs script(1)"
      : "Deno" in globalThis
      ? undefined
      : "needs Deno",
  },
);

test(
  "promptPerson() denies in a worker thread, with a reason that names it",
  async () => {
    const { command, args } = fixture(IN_WORKER);
    const line = [command, ...args].map(quoted).join(" ");
    const shown = await run("script", ["-qec", line, "/dev/null"], undefined);
    const decided = shown.match(/DECIDED .*/g) ?? [];
    // Node has no web workers.
    const count = "Worker" in globalThis ? 2 : 1;
    assert.equal(decided.length, count, shown);
    for (const one of decided) {
      assert.match(one, /"behavior":"deny","message":"A worker thread cannot/);
    }
  },
  { skip: hasPty ? undefined : "needs script(1)" },
);

/** Runs the fixture at a terminal, and does each step once the text since the step before fits. */
async function converse(
  calls: number,
  steps: (
    type: (text: string) => void,
    ask: (call: number) => void,
  ) => [shown: RegExp, then: () => void][],
  early?: (text: string) => string,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "ahead-"));
  const paths = Array.from({ length: calls }, (_, at) => join(folder, `${at}`));
  const { command, args, env } = fixture(FIXTURE);
  const line = [command, ...args, ...paths].map(quoted).join(" ");
  const child = spawn("script", ["-qec", line, "/dev/null"], {
    env: { ...env, SHELL: "/bin/sh", TERM: "xterm" },
  });
  const left = steps(
    (text) => child.stdin.write(text),
    (call) => writeFileSync(paths[call] ?? "", ""),
  );
  let seen = 0;
  const shown = screenOf(child, (text) => {
    for (;;) {
      const match = left[0]?.[0].exec(text.slice(seen));
      if (!match) return;
      seen += match.index + match[0].length;
      left.shift()?.[1]();
    }
  }, early);
  try {
    await new Promise((resolve) => child.on("close", resolve));
    return shown();
  } finally {
    await rm(folder, { recursive: true });
  }
}

test(
  "promptPerson() takes nothing that was typed before a question for its answer",
  async () => {
    const shown = await converse(3, (type, ask) =>
      [0, 1, 2].flatMap((call) => [
        // One line is whole, the other is not.
        [/WAITING/, () => type("y\nye")],
        [/y\r?\nye/, () => ask(call)],
        [/why not: $/, () => type("s, but later\n")],
      ]));
    assert.equal(
      shown.match(/DECIDED \{"behavior":"deny","message":"s, but later"\}/g)
        ?.length,
      3,
      shown,
    );
  },
  { skip: hasPty ? undefined : "needs script(1)" },
);

test(
  "promptPerson() takes nothing that was typed while a question was drawn",
  async () => {
    const shown = await converse(1, (type, ask) => [
      [/WAITING/, () => ask(0)],
      [/command: ls/, () => type("xx")],
      [/why not: /, () => type("later\n")],
    ]);
    // Under load the keys may come after the question.
    if (/why not: xx/.test(shown)) return;
    assert.match(shown, /"message":"later"/);
  },
  { skip: hasPty ? undefined : "needs script(1)" },
);

test(
  "promptPerson() takes nothing that was typed before the list of rules for a choice",
  async () => {
    let early = 0;
    const shown = await converse(
      1,
      (type, ask) => [
        [/WAITING/, () => ask(0)],
        [/why not: $/, () => type("a\n")],
        [/back: $/, () => type("b\n")],
        [/why not: $/, () => type("no\n")],
      ],
      (text) => {
        // At its heading the "a" has been taken, at its last line the terminal has reported nothing yet.
        if (!/Allow from now on|back: $/.test(text)) return "";
        early++;
        return "\n";
      },
    );
    assert.ok(early > 0);
    assert.match(shown, /DECIDED \{"behavior":"deny"/);
    assert.equal(shown.match(/back: /g)?.length, 1, shown);
    assert.doesNotMatch(shown, /several lines/);
  },
  { skip: hasPty ? undefined : "needs script(1)" },
);

test(
  "promptPerson() takes no line for an answer that came together with others, as of a pasted text",
  async () => {
    const shown = await converse(1, (type, ask) => [
      [/WAITING/, () => ask(0)],
      [/why not: $/, () => type("y\nls -la\nrm x\n")],
      [/several lines at once[^]*why not: $/, () => type("y\nls")],
      [/several lines at once[^]*why not: $/, () => type("later\n")],
    ]);
    assert.match(shown, /DECIDED \{"behavior":"deny","message":"later"\}/);
  },
  { skip: hasPty ? undefined : "needs script(1)" },
);

test(
  "promptPerson() takes no line for an answer that is as long as the terminal passes on, and says so",
  async () => {
    const words = "host ".repeat(1_000);
    const fits = words.slice(0, 3_000);
    const shown = await converse(1, (type, ask) => [
      [/WAITING/, () => ask(0)],
      [/why not: $/, () => type(`${words}but not prod\n`)],
      [
        /longer than the terminal passes on[^]*why not: $/,
        () => type(`${fits}but not prod\n`),
      ],
    ]);
    const decided = /DECIDED (\{.*\})/.exec(shown)?.[1] ?? "{}";
    assert.deepEqual(JSON.parse(decided), {
      behavior: "deny",
      message: `${fits}but not prod`,
    });
  },
  { skip: hasPty ? undefined : "needs script(1)" },
);

/** Runs the fixture at a terminal whose answers the test gives itself. */
async function atTerminalOf(
  term: string,
  hear: (text: string, type: (keys: string) => void) => string,
): Promise<string> {
  const { command, args, env } = fixture(FIXTURE);
  const line = [command, ...args].map(quoted).join(" ");
  const child = spawn("script", ["-qec", line, "/dev/null"], {
    env: { ...env, SHELL: "/bin/sh", TERM: term },
  });
  let [shown, open] = ["", ""];
  const decoder = new TextDecoder();
  child.stdout.on("data", (data: Uint8Array) => {
    const text = decoder.decode(data, { stream: true });
    shown += text;
    open = hear(open + text, (keys) => child.stdin.write(keys));
  });
  await new Promise((resolve) => child.on("close", resolve));
  return shown;
}

test(
  "promptPerson() takes no key that was typed before the terminal reported that it drew the question, and no report that was made up",
  async () => {
    const shown = await atTerminalOf("xterm", (text, type) => {
      const { reports } = emulate(text);
      if (reports === "") return text;
      type("y\n\x1b[1;1R\x1b[24;80R\x1b[1;1Ry\n");
      // Parts of a report are none.
      setTimeout(() => type(`${reports.slice(0, -1)}y\n`), 300);
      setTimeout(() => type(reports), 600);
      setTimeout(() => type("later\n"), 900);
      return "";
    });
    assert.match(shown, /DECIDED \{"behavior":"deny","message":"later"\}/);
  },
  { skip: hasPty ? undefined : "needs script(1)" },
);

test(
  "promptPerson() counts the last of the reports that several screens of a terminal send",
  async () => {
    const shown = await atTerminalOf("xterm", (text, type) => {
      const { reports } = emulate(text);
      if (reports === "") return text;
      type(reports);
      setTimeout(() => type(`y${reports}later\n`), 300);
      return "";
    });
    assert.match(shown, /DECIDED \{"behavior":"deny","message":"later"\}/);
  },
  { skip: hasPty ? undefined : "needs script(1)" },
);

for (const term of ["dumb", "xterm"]) {
  test(
    `promptPerson() takes the word yes alone at a terminal that reports nothing: ${term}`,
    async () => {
      const shown = await atTerminalOf(term, (text, type) => {
        const at = text.search(/\nyes = yes, n = no, or why not: /);
        if (at < 0) return text;
        type(/^again/.test(text) ? "yes\n" : "y\n");
        return "again";
      });
      assert.equal(shown.match(/\nyes = yes/g)?.length, 2, shown);
      assert.match(shown, /DECIDED \{"behavior":"allow"\}/);
      assert.equal(shown.includes("\x1b"), term === "xterm");
    },
    { skip: hasPty ? undefined : "needs script(1)" },
  );
}

test(
  "promptPerson() takes no line that ends by Ctrl-D, and denies later calls as well",
  async () => {
    const shown = await converse(2, (type, ask) => [
      [/WAITING/, () => ask(0)],
      [/why not: $/, () => type("y\x04\x04")],
      [/WAITING/, () => ask(1)],
    ]);
    assert.equal(
      shown.match(/DECIDED \{"behavior":"deny","message":"The person left/g)
        ?.length,
      2,
      shown,
    );
  },
  { skip: hasPty ? undefined : "needs script(1)" },
);

test("promptPerson() denies at once where stdin is no terminal", async () => {
  const { command, args } = fixture(FIXTURE);
  const shown = await run(command, args, undefined);
  assert.match(
    shown,
    /DECIDED \{"behavior":"deny","message":"There is no person/,
  );
});

/** A terminal, and what the fixture reports to a file. */
interface Closable {
  readonly shows: (pattern: RegExp) => Promise<void>;
  /** Resolves at the end of the fixture, too. */
  readonly reports: (pattern: RegExp) => Promise<void>;
  readonly type: (text: string) => void;
  /** Has the fixture ask about its next call. */
  readonly ask: () => void;
  /** Closes the terminal. */
  readonly close: () => Promise<void>;
}

/** Runs the fixture at a terminal that is closed, below a shell that survives this; gives what it reports until its end. */
async function atClosedTerminal(
  redirections: string,
  calls: number,
  signal: AbortSignal,
  use: (terminal: Closable) => Promise<void>,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "closed-"));
  const paths = Array.from({ length: calls }, (_, at) => join(folder, `${at}`));
  const left = [...paths];
  const REPORT = join(folder, "report");
  writeFileSync(REPORT, "");
  const { command, args, env } = fixture(FIXTURE);
  const line = [command, ...args, ...paths].map(quoted).join(" ");
  const child = spawn("script", [
    "-qec",
    `trap : HUP; ${line} ${redirections}; echo ENDED >>"$REPORT"`,
    "/dev/null",
  ], {
    env: { ...env, REPORT, SHELL: "/bin/sh", TERM: "xterm" },
  });
  let shown = "";
  screenOf(child, (text) => shown = text);
  const gone = new Promise((resolve) => child.on("close", resolve));
  const reported = () => readFileSync(REPORT, "utf8");
  let seen = 0;
  async function until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      if (signal.aborted) throw new Error(`${shown}\n${reported()}`);
      await sleep(20);
    }
  }
  try {
    await use({
      async shows(pattern) {
        await until(() => pattern.test(shown.slice(seen)));
        seen = shown.length;
      },
      reports: (pattern) =>
        until(() => pattern.test(reported()) || /ENDED/.test(reported())),
      type: (text) => child.stdin.write(text),
      ask: () => writeFileSync(left.shift() ?? "", ""),
      async close() {
        child.kill("SIGKILL");
        await gone;
      },
    });
    await until(() => /ENDED/.test(reported()));
    return reported();
  } finally {
    child.kill("SIGKILL");
    await gone;
    await rm(folder, { recursive: true });
  }
}

for (const redirections of [">/dev/null", "2>/dev/null", "</dev/null"]) {
  test(
    `A program continues without a person if its terminal closes while a question is open: ${redirections}`,
    async ({ signal }) => {
      const report = await atClosedTerminal(
        redirections,
        2,
        signal,
        async ({ ask, close, reports, shows }) => {
          ask();
          await shows(/why not: $/);
          await close();
          await reports(/DECIDED/);
          ask();
        },
      );
      const decided = report.match(/DECIDED .*/g) ?? [];
      assert.equal(decided.length, 2, report);
      assert.match(decided[0] ?? "", /"The person left without an answer"/);
      assert.match(decided[1] ?? "", /"deny"/);
      assert.match(report, /LISTENING 0/);
    },
    { skip: hasPty ? undefined : "needs script(1)" },
  );

  test(
    `A program is told that no person is there if its terminal closes before a question: ${redirections}`,
    async ({ signal }) => {
      const report = await atClosedTerminal(
        redirections,
        2,
        signal,
        async ({ ask, close, reports, shows, type }) => {
          ask();
          await shows(/why not: $/);
          type("no\n");
          await reports(/DECIDED/);
          await close();
          ask();
        },
      );
      assert.match(
        report,
        /"The person said no"[^]*"There is no person at a terminal to ask"[^]*LISTENING 0/,
      );
    },
    { skip: hasPty ? undefined : "needs script(1)" },
  );
}

/** Runs an interactive shell, and does each step once the text since the step before fits; `ask()` is the line that asks about a command. */
async function inShell(
  steps: (
    type: (line: string) => void,
    ask: (command: string) => string,
  ) => readonly (readonly [shown: RegExp, then: () => void])[],
): Promise<string> {
  const { command, args, env } = fixture(FIXTURE);
  const program = [command, ...args].map(quoted).join(" ");
  const child = spawn("script", ["-qec", "bash --norc -i", "/dev/null"], {
    env: { ...env, SHELL: "/bin/sh", PS1: "READY ", TERM: "xterm" },
  });
  const left = [...steps(
    (line) => child.stdin.write(line),
    (asked) => `ASK=${asked} ${program}`,
  )];
  let seen = 0;
  const shown = screenOf(child, (text) => {
    for (;;) {
      const match = left[0]?.[0].exec(text.slice(seen));
      if (!match) return;
      seen += match.index + match[0].length;
      left.shift()?.[1]();
    }
  });
  await new Promise((resolve) => child.on("close", resolve));
  assert.deepEqual(left, [], shown());
  return shown();
}

const needsJobs = hasPty && process.platform !== "win32" &&
    spawnSync("bash", ["-c", ""]).status === 0
  ? undefined
  : "needs script(1) and bash";

test(
  "A program that is suspended at its question keeps no other from asking, and asks again when it continues",
  async () => {
    const shown = await inShell((type, ask) => [
      [/READY $/, () => type(`${ask("first")}\n`)],
      [/command: first[^]*why not: $/, () => type("\x1a")],
      [/Stopped[^]*READY $/, () => type(`${ask("second")}\n`)],
      [/command: second[^]*why not: $/, () => type("y\n")],
      [/READY $/, () => type("fg\n")],
      [/command: first[^]*why not: $/, () => type("no\n")],
      [/READY $/, () => type("exit\n")],
    ]);
    assert.match(
      shown,
      /DECIDED \{"behavior":"allow"\}[^]*DECIDED \{"behavior":"deny","message":"The person said no"\}/,
    );
  },
  { skip: needsJobs },
);

test(
  "A program in the background shows no question until it comes to the front",
  async () => {
    const wait = 'until [ -n "$(jobs -s)" ]; do sleep 0.05; done';
    const shown = await inShell((type, ask) => [
      [/READY $/, () => type(`${ask("behind")} & ${wait}\n`)],
      [/Stopped[^]*READY $/, () => type(`${ask("front")}\n`)],
      [/command: front[^]*why not: $/, () => type("y\n")],
      [/DECIDED[^]*READY $/, () => type("fg\n")],
      [/command: behind[^]*why not: $/, () => type("no\n")],
      [/DECIDED[^]*READY $/, () => type("exit\n")],
    ]);
    assert.match(shown, /command: front[^]*"allow"[^]*"deny"/);
    assert.doesNotMatch(shown, /command: behind[^]*command: front/);
  },
  { skip: needsJobs },
);

test(
  "Where stdin is a pipe, each of several questions takes the first line that answers it",
  async () => {
    const shown = await inShell((type, ask) => [
      [
        /READY $/,
        () => type(`echo text | ${ask("ls")} /dev/null /dev/null\n`),
      ],
      [/why not: $/, () => type("no\n")],
      [/DECIDED[^]*why not: $/, () => type("y\n")],
      ..."Bun" in globalThis
        ? [
          // It ends once its last read of a closed keyboard has a line.
          [
            /DECIDED[^]*LISTENING 0/,
            () => void setTimeout(() => type("\n"), 1_500),
          ] as const,
        ]
        : [],
      [/READY $/, () => type("exit\n")],
    ]);
    assert.match(shown, /The person said no[^]*"allow"/);
  },
  { skip: needsJobs },
);

test(
  "Two programs of one job take turns at a terminal, and the second says what it waits for",
  async () => {
    const shown = await inShell((type, ask) => [
      [
        /READY $/,
        () => type(`(${ask("x1")} </dev/tty & ${ask("x2")}; wait)\n`),
      ],
      [/why not: [^]*another program asks/, () => type("y\n")],
      // The first program lets the second ask before it reports its own decision.
      [/command: x[^]*why not: /, () => type("no\n")],
      [/READY $/, () => type("exit\n")],
    ]);
    assert.deepEqual(
      shown.match(/"allow"|"deny"/g)?.toSorted(),
      ['"allow"', '"deny"'],
      shown,
    );
    assert.equal(shown.match(/why not: /g)?.length, 2, shown);
  },
  {
    skip: needsJobs ??
      (process.platform === "linux" ? undefined : "needs Linux"),
  },
);
