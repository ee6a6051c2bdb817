import { EventEmitter, once } from "node:events";
import { PassThrough, type Writable } from "node:stream";
import type { Options, Query, SDKUserMessage } from "@sluice/agent/compat";
import { Deferred } from "@sluice/agent/extend";
import type { Sdk } from "./_program.ts";
import { userMessage } from "./_compat.ts";

/** A process that a program spawned itself, as `spawnClaudeCodeProcess` returns it. */
class Child extends EventEmitter {
  stdin: Writable = new PassThrough();
  readonly stdout: PassThrough = new PassThrough();
  readonly killed = false;
  exitCode: number | null = null;
  /** Signals received. */
  readonly signals: string[] = [];
  /** Resolves with SIGKILL. */
  readonly shot: Deferred<void> = new Deferred();
  /** Answers received. */
  answers = 0;
  /** Resolves with the first prompt. */
  readonly prompted: Promise<void>;
  /** Resolves with the first answer. */
  readonly answered: Promise<void>;

  constructor() {
    super();
    let answered = () => {};
    this.answered = new Promise((resolve) => answered = resolve);
    this.prompted = new Promise((resolve) => {
      let rest = "";
      this.stdin.on("data", (chunk) => {
        const lines = (rest + chunk).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines.map((line) => JSON.parse(line))) {
          if (line.type === "user") resolve();
          if (line.type === "control_response") {
            this.answers++;
            answered();
          }
          if (line.request?.subtype !== "initialize") continue;
          const { request_id } = line;
          const response = { subtype: "success", request_id, response: {} };
          this.say({ type: "control_response", response });
        }
      });
    });
  }

  /** Writes messages in one chunk. */
  say(...messages: readonly object[]): void {
    const lines = messages.map((message) => `${JSON.stringify(message)}\n`);
    this.stdout.write(lines.join(""));
  }

  result(): void {
    this.say({
      type: "result",
      subtype: "success",
      is_error: false,
      num_turns: 1,
      result: "done",
      session_id: "",
    });
  }

  /** Exits, with its code in the field and in the event. */
  exit(code: number | null, signal: string | null = null): void {
    this.exitCode = code;
    this.emit("exit", code, signal);
  }

  /** Asks something of the program; resolves with its answer. */
  async asks(): Promise<void> {
    const request = { subtype: "unknown" };
    this.say({ type: "control_request", request_id: "1", request });
    await this.answered;
  }

  kill(signal: string): boolean {
    this.signals.push(signal);
    if (signal === "SIGKILL") this.shot.resolve();
    return true;
  }
}

/** Events of a spawned process. */
interface Case {
  /** Changes it before it is returned. */
  readonly make?: (child: Child) => unknown;
  /** Called once the prompt has arrived. */
  readonly play?: (child: Child, abort: AbortController) => unknown;
  /** Whether `play` waits for no prompt. */
  readonly isEarly?: boolean;
  /** Whether the user aborts right after the start. */
  readonly aborts?: boolean;
  /** Starts it ahead of the prompt, and is called before that is sent. */
  readonly ahead?: (child: Child) => unknown;
  /** Whether the source of prompts stays open after the first. */
  readonly isOpen?: boolean;
  /** Pauses before further prompts, in milliseconds. */
  readonly more?: readonly number[];
  /** Whether the consumer leaves after the first message. */
  readonly leaves?: boolean;
  /** Called with each message, and not waited for. */
  readonly act?: (acting: Acting) => unknown;
  /** Whether the consumer does so for a message once it had time for anything else. */
  readonly isBusy?: boolean;
  /** Whether callbacks and a server are there, which note that they were called. */
  readonly isAsked?: boolean;
  /** Runs after the end, before the signals are looked at. */
  readonly last?: (child: Child, run: Query) => unknown;
  /** Our outcome, where the official SDK hangs, loses a prompt in silence, or throws at the program that called it. */
  readonly own?: readonly string[];
}

/** A consumer that acts on a message. */
interface Acting {
  readonly run: Query;
  readonly abort: AbortController;
  readonly type: string;
  readonly log: (line: string) => void;
}

const STARTS = "Failed to write to process stdin:";
const LOST = `Error: ${STARTS} write EPIPE`;
const NOT_WRITTEN = [LOST, "SIGTERM, SIGKILL"];
const LIVED_ON =
  "Error: Claude Code process was ended: it closed its output and did not exit within 10 minutes";
const KILLED = "SIGTERM, SIGKILL";
const NO_PIPES = [
  "TypeError: spawnClaudeCodeProcess has to return a process with stdin and stdout as pipes",
  "SIGKILL",
];

const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const epipe = () => Object.assign(new Error("write EPIPE"), { code: "EPIPE" });

/** Ways of a write to fail. */
const BREAKS = {
  callback: (_: Child, done: (error: Error) => void) =>
    queueMicrotask(() => done(epipe())),
  event: (child: Child) => void child.stdin.destroy(epipe()),
  both(child: Child, done: (error: Error) => void) {
    queueMicrotask(() => done(epipe()));
    child.stdin.destroy(epipe());
  },
  throw() {
    throw epipe();
  },
};

/** Has the answer to a question of the process fail. */
function breaks(child: Child, way: keyof typeof BREAKS): void {
  child.stdin.write = ((_: string, done = () => {}) => {
    BREAKS[way](child, done);
    return false;
  }) as never;
  child.asks();
}

/** Has each later line fail as at a closed pipe. */
function closesInput(child: Child): void {
  child.stdin.write = ((_: string, done = (_: Error) => {}) => {
    queueMicrotask(() => {
      done(epipe());
      child.stdin.emit("error", epipe());
    });
    return false;
  }) as never;
}

/** Closes its input, has a result if wanted, and exits with code 0 some seconds later. */
const goesDeaf = (hasResult: boolean) => async (child: Child) => {
  closesInput(child);
  await later(2_000);
  if (hasResult) child.result();
  await later(2_000);
  goes(child);
};

/** Closes its output, and exits a while after the end of its input. */
function exitsAtEnd(child: Child): void {
  child.stdout.end();
  child.stdin.once("end", () => void later(5_000).then(() => child.exit(0)));
}

const goes = (child: Child) => {
  child.stdout.end();
  child.exit(0);
};

/** Has it exit, and waits until everyone knows. */
const exits =
  (exit = (child: Child) => child.exit(0)) => async (child: Child) => {
    child.stdout.end();
    exit(child);
    await later(1_000);
  };

/** Has it end by the first signal. */
const dies = (child: Child) => {
  const { signals } = child;
  child.kill = (signal) => {
    signals.push(signal);
    child.stdout.end();
    child.exit(null, signal);
    return true;
  };
};

const SAID = {
  type: "assistant",
  parent_tool_use_id: null,
  message: { content: [] },
};

/** Requests of the CLI that call something of the program. */
const QUESTIONS: Readonly<Record<string, object>> = {
  "a question about a tool": {
    subtype: "can_use_tool",
    tool_name: "Bash",
    input: {},
    tool_use_id: "1",
  },
  "a hook": {
    subtype: "hook_callback",
    callback_id: "hook_0",
    input: { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: {} },
    tool_use_id: "1",
  },
  "a call of a tool": {
    subtype: "mcp_message",
    server_name: "own",
    message: {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "look", arguments: {} },
    },
  },
};

const asking = (request: object) => ({
  type: "control_request",
  request_id: "1",
  request,
});

/** Ways to leave at a message without leaving the loop. */
const LEAVES: Readonly<Record<string, (acting: Acting) => unknown>> = {
  "close()": ({ run }) => run.close(),
  "return()": ({ run }) => run.return(),
  "await using": ({ run }) => run[Symbol.asyncDispose](),
};

/** Messages come before a question that was written behind them, in whatever chunks. */
const ORDER: Readonly<Record<string, Case>> = Object.fromEntries(
  Object.entries(QUESTIONS).flatMap(([what, request]) =>
    [
      [`three messages and ${what} in one chunk`, {
        isAsked: true,
        async play(child) {
          child.say(SAID, SAID, SAID, asking(request), SAID);
          await child.answered;
          child.result();
          goes(child);
        },
      }],
      [`a message and ${what} in two chunks at once`, {
        isAsked: true,
        async play(child) {
          child.say(SAID);
          child.say(asking(request));
          await child.answered;
          child.result();
          goes(child);
        },
      }],
      [`a message that keeps the consumer busy, and ${what}`, {
        isAsked: true,
        isBusy: true,
        async play(child) {
          child.say(SAID, asking(request));
          await child.answered;
          child.result();
          goes(child);
        },
      }],
      [`${what} behind a message at which the consumer leaves the loop`, {
        isAsked: true,
        isOpen: true,
        leaves: true,
        make: dies,
        play: (child) => child.say(SAID, asking(request)),
        // The official SDK calls it, and sends no answer.
        own: ["assistant", "end", "0 answers", "SIGTERM"],
      }],
      [`${what} behind a message at which the consumer aborts`, {
        isAsked: true,
        isOpen: true,
        make: dies,
        act: ({ abort }) => abort.abort(),
        play: (child) => child.say(SAID, asking(request)),
        own: [
          "assistant",
          "Error: Claude Code process aborted by user",
          "0 answers",
          "SIGTERM",
        ],
      }],
      ...Object.entries(LEAVES).map(([how, act]) => [
        `${what} behind a message at which the consumer ends the query by ${how}`,
        {
          isAsked: true,
          isOpen: true,
          make: dies,
          act,
          play: (child: Child) => child.say(SAID, asking(request)),
          last: (child: Child) =>
            child.signals.length > 0 || once(child, "exit"),
        },
      ]),
    ] as [string, Case][]
  ),
);

/** Each case by name. */
export const CASES: Readonly<Record<string, Case>> = {
  ...ORDER,
  "lines behind the carriage returns of a progress bar": {
    isAsked: true,
    async play(child) {
      child.stdout.write("10%\r100%\r");
      child.say(asking(QUESTIONS["a question about a tool"]!));
      await child.answered;
      child.stdout.write(`${JSON.stringify(SAID)}\r`);
      child.result();
      goes(child);
    },
  },
  "an error while it lives": {
    play: (child) => child.emit("error", new Error("link broke")),
    last: (child) => child.shot.promise,
  },
  "an error while it lives, then a close": {
    play: (child) => child.emit("error", new Error("link broke")),
    async last(child, run) {
      run.close();
      await child.shot.promise;
    },
  },
  "an output that ends with a code in the field, without an exit": {
    async play(child) {
      child.result();
      child.stdout.end();
      child.exitCode = 0;
      await later(9_000);
      child.signals.push("not over after 9 s");
    },
  },
  "a process that is gone already with code 0": {
    make: (child) => child.exitCode = 0,
    isEarly: true,
    play: (child) => child.stdout.end(),
  },
  "an exit with code 0 between the start and the prompt": { ahead: exits() },
  "an exit with code 3 between the start and the prompt": {
    ahead: exits((child) => child.exit(3)),
  },
  "an exit with code 0 between the start and a stream of prompts": {
    ahead: exits(),
    isOpen: true,
    // The official SDK ends without an error.
    own: ["Error: ProcessTransport is not ready for writing"],
  },
  "an exit with code 3 between the start and a stream of prompts": {
    ahead: exits((child) => child.exit(3)),
    isOpen: true,
  },
  "an exit with an open output between the start and the prompt": {
    ahead: (child) => {
      child.exit(0);
      return later(500);
    },
  },
  "an output that ends between the start and the prompt, and an exit": {
    async ahead(child) {
      child.stdout.end();
      void later(4_000).then(() => child.exit(0));
      await later(1_000);
    },
    own: [`Error: ${STARTS} Claude Code had closed its output`],
  },
  "an exit with code 4 right after the start": {
    make(child) {
      queueMicrotask(() => {
        child.exit(4);
        child.stdout.end();
      });
    },
  },
  "prompts behind the result of a single one": {
    async play(child) {
      child.result();
      await once(child.stdin, "end");
      child.say(SAID);
      await later(500);
      goes(child);
    },
    act({ run, type, log }) {
      if (type !== "assistant") return;
      run.streamInput(openPrompt(0))
        .then(() => log("taken"), (error) => log(shown(error)));
    },
  },
  "a result, then the end": {
    play(child) {
      child.result();
      goes(child);
    },
  },
  "a result a second after the exit": {
    async play(child) {
      child.exit(0);
      await later(1_000);
      child.result();
      child.stdout.end();
    },
  },
  "messages up to five seconds after the exit": {
    async play(child) {
      child.exit(0);
      for (let count = 0; count < 5; count++) {
        await later(1_000);
        child.say({ type: "system", subtype: "status", session_id: "" });
      }
      child.result();
      child.stdout.end();
    },
  },
  "pieces of output for eight seconds after an exit with code 3, then a result":
    {
      async play(child) {
        child.exit(3);
        for (let count = 0; count < 16; count++) {
          await later(500);
          child.stdout.write(" ");
        }
        child.result();
        child.stdout.end();
      },
    },
  "a result nine seconds after the exit": {
    async play(child) {
      child.exit(0);
      await later(9_000);
      child.result();
      child.stdout.end();
    },
  },
  "an output that ends four seconds before an exit with code 4": {
    async play(child) {
      child.stdout.end();
      await later(4_000);
      child.exit(4);
    },
  },
  "an output that ends twelve seconds before an exit with code 4": {
    async play(child) {
      child.stdout.end();
      await later(12_000);
      child.exit(4);
    },
  },
  "a result, and an output that ends twelve seconds before an exit with code 4":
    {
      async play(child) {
        child.result();
        child.stdout.end();
        await later(12_000);
        child.exit(4);
      },
    },
  "an output that ends four seconds before the exit": {
    async play(child) {
      child.result();
      child.stdout.end();
      await later(4_000);
      child.exit(0);
    },
  },
  "an answer that fails, and a result two seconds later": {
    async play(child) {
      breaks(child, "callback");
      for (let count = 0; count < 4; count++) {
        await later(500);
        child.say({ type: "system", subtype: "status", session_id: "" });
      }
      child.result();
      goes(child);
    },
  },
  "a result after an exit with code 3": {
    async play(child) {
      child.exit(3);
      await later(1_000);
      child.result();
      child.stdout.end();
    },
  },
  "a result after an end by a signal": {
    async play(child) {
      child.exit(null, "SIGKILL");
      await later(1_000);
      child.result();
      child.stdout.end();
    },
  },
  "a result after the exit, and an output that stays open": {
    async play(child) {
      child.exit(0);
      await later(1_000);
      child.result();
    },
    own: ["result", "end"],
  },
  "an exit with code 3 and an output that stays open": {
    play: (child) => child.exit(3),
    own: ["Error: Claude Code process exited with code 3 exitCode=3"],
  },
  "an output that ends without an exit": {
    play(child) {
      child.result();
      child.stdout.end();
    },
    own: ["result", LIVED_ON, KILLED],
  },
  "an output that ends without an exit and without a result": {
    play: (child) => child.stdout.end(),
    own: [LIVED_ON, KILLED],
  },
  "close events without an exit": {
    play(child) {
      child.stdout.end();
      child.emit("close", 3, null);
    },
    own: ["Error: Claude Code process exited with code 3 exitCode=3"],
  },
  "an output that ends, an open source, and an exit at the end of the input": {
    isOpen: true,
    play(child) {
      child.stdout.end();
      child.stdin.once("end", () => child.exit(0));
    },
    own: ["end"],
  },
  "an output that ends, and prompts nine and thirteen seconds later": {
    more: [9_000, 4_000],
    play: exitsAtEnd,
  },
  "an output that ends, and a prompt twelve seconds later": {
    more: [12_000],
    play: exitsAtEnd,
    own: [`Error: ${STARTS} Claude Code had closed its output`],
  },
  "an output destroyed before the exit": {
    async play(child) {
      child.stdout.destroy();
      await later(500);
      child.exit(0);
    },
    own: ["end"],
  },
  "an output destroyed after the exit": {
    async play(child) {
      child.exit(0);
      await later(500);
      child.stdout.destroy();
    },
    own: ["end"],
  },
  "an output destroyed from the start": {
    make: (child) => child.stdout.destroy(),
    isEarly: true,
    play: (child) => child.exit(3),
    own: ["Error: Claude Code process exited with code 3 exitCode=3"],
  },
  "an output that breaks": {
    async play(child) {
      child.stdout.destroy(new Error("connection lost"));
      await later(500);
      child.exit(0);
    },
  },
  "an output that breaks after the exit": {
    async play(child) {
      child.exit(0);
      await later(500);
      child.stdout.destroy(new Error("connection lost"));
    },
  },
  "an output that breaks after a result": {
    async play(child) {
      child.result();
      await later(100);
      child.stdout.destroy(new Error("connection lost"));
      child.exit(0);
    },
  },
  "two exits, the first good": {
    play(child) {
      child.exit(0);
      child.exit(3);
      child.stdout.end();
    },
  },
  "two exits, the first bad": {
    play(child) {
      child.exit(3);
      child.exit(0);
      child.stdout.end();
    },
  },
  "an error after the exit": {
    async play(child) {
      child.result();
      goes(child);
      await later(10);
      child.emit("error", new Error("too late"));
    },
  },
  "two errors": {
    play(child) {
      child.emit("error", new Error("first"));
      child.emit("error", new Error("second"));
      child.stdout.end();
    },
  },
  "an error, then an exit with code 3": {
    play(child) {
      child.emit("error", new Error("lost"));
      child.exit(3);
      child.stdout.end();
    },
  },
  "an error, and an output that stays open": {
    play: (child) => child.emit("error", new Error("lost")),
  },
  "an error, and a result a second later": {
    async play(child) {
      child.emit("error", new Error("lost"));
      await later(1_000);
      child.result();
      child.stdout.end();
    },
  },
  "an error before anything is read": {
    isEarly: true,
    play: (child) => child.emit("error", new Error("no room")),
  },
  "an abort of its own": {
    play(child) {
      child.emit(
        "error",
        Object.assign(new Error("The operation was aborted"), {
          name: "AbortError",
          code: "ABORT_ERR",
        }),
      );
      child.stdout.end();
    },
  },
  "an abort by the query's controller": {
    play(child, abort) {
      abort.abort();
      child.emit(
        "error",
        Object.assign(new Error("x"), { name: "AbortError" }),
      );
      child.stdout.end();
      child.exit(null, "SIGTERM");
    },
  },
  "an abort right after the start": {
    aborts: true,
    make: (child) =>
      child.kill = (signal) => {
        child.stdout.end();
        child.exit(null, signal);
        return true;
      },
  },
  "a code told by the event alone": {
    play(child) {
      child.stdout.end();
      child.emit("exit", 7, null);
    },
  },
  "a signal told by the event alone": {
    play(child) {
      child.stdout.end();
      child.emit("exit", null, "SIGKILL");
    },
  },
  "an exit without code and signal": {
    play(child) {
      child.stdout.end();
      child.emit("exit", null, null);
    },
    own: ["end"],
  },
  "a process that is gone already": {
    make(child) {
      child.exitCode = 3;
      child.stdout.destroy();
    },
    isEarly: true,
    own: ["Error: Claude Code process exited with code 3 exitCode=3"],
  },
  "a kill that throws, when the consumer leaves": {
    make: (child) =>
      child.kill = (signal) => {
        child.signals.push(signal);
        if (child.signals.length > 2) return true;
        throw new Error("no such process");
      },
    play: (child) => child.result(),
    isOpen: true,
    leaves: true,
    own: ["result", "end", KILLED],
  },
  "a kill that throws, at an abort": {
    make: (child) =>
      child.kill = (signal) => {
        child.signals.push(signal);
        if (child.signals.length > 2) return true;
        throw new Error("no such process");
      },
    play: (_, abort) => abort.abort(),
    isOpen: true,
    own: ["Error: Claude Code process aborted by user", KILLED],
  },
  "a kill that returns false, when the consumer leaves": {
    make(child) {
      const { signals } = child;
      child.kill = (signal) => signals.push(signal) < 0;
    },
    play: (child) => child.result(),
    isOpen: true,
    leaves: true,
    own: ["result", "end", KILLED],
  },
  "a kill that ends it, when the consumer leaves": {
    make: dies,
    play: (child) => child.result(),
    isOpen: true,
    leaves: true,
  },
  "no field for its code": {
    make: (child) => Object.assign(child, { exitCode: undefined }),
    async play(child) {
      // Longer than output is awaited after an exit.
      await later(7_000);
      child.result();
      child.stdout.end();
      child.emit("exit", 0, null);
    },
    own: ["result", "end"],
  },
  "a code of the event that is not that of the field": {
    play(child) {
      child.stdout.end();
      child.emit("exit", 7, null);
      child.exitCode = 0;
    },
  },
  "an input that calls nothing back": {
    make(child) {
      const { stdin } = child;
      Object.assign(child, {
        stdin: {
          write: (text: string) => stdin.write(text),
          end: () => {},
          on: () => {},
          once: () => {},
        },
      });
    },
    async play(child) {
      await child.asks();
      child.result();
      goes(child);
    },
  },
  "an input whose end throws": {
    make(child) {
      child.stdin.end = () => {
        throw epipe();
      };
    },
    async play(child) {
      child.result();
      await later(100);
      child.stdout.end();
      child.exit(0);
    },
    own: ["result", "end"],
  },
  "no stdin": {
    make: (child) => (child as unknown as { stdin: unknown }).stdin = null,
    isEarly: true,
    own: NO_PIPES,
  },
  "no stdout": {
    make: (child) => Object.assign(child, { stdout: null }),
    isEarly: true,
    own: NO_PIPES,
  },
  "an answer that fails by its callback": {
    play: (child) => breaks(child, "callback"),
    own: NOT_WRITTEN,
  },
  "an answer that fails by an event": {
    play: (child) => breaks(child, "event"),
    own: NOT_WRITTEN,
  },
  "an answer that fails both ways, and an open source": {
    play: (child) => breaks(child, "both"),
    isOpen: true,
    own: NOT_WRITTEN,
  },
  "an answer that throws, and an open source": {
    play: (child) => breaks(child, "throw"),
    isOpen: true,
    own: NOT_WRITTEN,
  },
  "an answer that fails, and an exit with code 3": {
    isOpen: true,
    async play(child) {
      breaks(child, "both");
      await later(500);
      child.stdout.end();
      child.exit(3);
    },
  },
  "an answer that fails, and a result": {
    async play(child) {
      breaks(child, "both");
      await later(500);
      child.result();
      goes(child);
    },
  },
  "a prompt for a closed input, and an exit with code 0": {
    play: goesDeaf(false),
    more: [1_000],
    own: [LOST],
  },
  "two prompts for a closed input, and an exit with code 0": {
    play: goesDeaf(false),
    more: [1_000, 1_000],
    own: [LOST],
  },
  "a prompt for a closed input, a result, and an exit with code 0": {
    play: goesDeaf(true),
    more: [1_000],
    own: ["result", LOST],
  },
  "a prompt for a closed input, and an exit with code 3": {
    async play(child) {
      closesInput(child);
      await later(2_000);
      child.stdout.end();
      child.exit(3);
    },
    more: [1_000],
  },
  "a result for a prompt that could not be written": {
    make: closesInput,
    isEarly: true,
    async play(child) {
      await later(500);
      child.result();
      goes(child);
    },
  },
  "an input that breaks after the prompt, and a result": {
    async play(child) {
      child.stdin.destroy(epipe());
      await later(500);
      child.result();
      goes(child);
    },
  },
};

/** How much faster timers run meanwhile. */
const FASTER = 2;
/** The same for those of more than two minutes. */
const MUCH_FASTER = 48;
const LONG_MS = 120_000;
/** A case that takes longer, in milliseconds of its own time, hangs. */
const HANGS_MS = 80_000;

/** Outcome of each case on a package, as lines: messages, the end, and signals. */
export async function spawnedOutcomes(
  sdk: Parts,
  names: readonly string[],
): Promise<Readonly<Record<string, readonly string[]>>> {
  const own = globalThis.setTimeout;
  globalThis.setTimeout = ((run: () => void, ms = 0, ...rest: []) =>
    own(
      run,
      ms / (ms > LONG_MS ? MUCH_FASTER : FASTER),
      ...rest,
    )) as typeof setTimeout;
  try {
    return Object.fromEntries(
      await Promise.all(
        names.map(async (name) => [name, await outcomeOf(sdk, CASES[name]!)]),
      ),
    );
  } finally {
    globalThis.setTimeout = own;
  }
}

type Parts = Pick<Sdk, "query" | "startup" | "createSdkMcpServer" | "tool">;

/** Callbacks that note that they were called. */
function callbacks(
  { createSdkMcpServer, tool }: Parts,
  log: (line: string) => void,
): Options {
  const noted = <T>(answer: T) => () => {
    log("asked");
    return Promise.resolve(answer);
  };
  return {
    canUseTool: noted({ behavior: "allow" as const, updatedInput: {} }),
    hooks: { PreToolUse: [{ hooks: [noted({})] }] },
    mcpServers: {
      own: createSdkMcpServer({
        name: "own",
        tools: [tool("look", "Looks", {}, noted({ content: [] }))],
      }),
    },
  };
}

async function outcomeOf(sdk: Parts, given: Case): Promise<readonly string[]> {
  const { make, play, isEarly, isOpen, leaves, aborts, act, isAsked } = given;
  const child = new Child();
  make?.(child);
  const abort = new AbortController();
  const lines: string[] = [];
  const log = (line: string) => void lines.push(line);
  const options: Options = {
    pathToClaudeCodeExecutable: "claude",
    abortController: abort,
    ...isAsked && callbacks(sdk, log),
    spawnClaudeCodeProcess() {
      void (isEarly ? later(10) : child.prompted)
        .then(() => play?.(child, abort));
      if (aborts) queueMicrotask(() => abort.abort());
      return child as never;
    },
  };
  const over = new AbortController();
  const hangs = new Promise<void>((resolve) => {
    const timer = setTimeout(() => {
      lines.push("hangs");
      resolve();
    }, HANGS_MS);
    over.signal.onabort = () => clearTimeout(timer);
  });
  const whole = (async () => {
    let run: Query | undefined;
    try {
      const prompt = isOpen
        ? openPrompt()
        : given.more
        ? prompts(given.more)
        : "Hi";
      if (given.ahead === undefined) run = sdk.query({ prompt, options });
      else {
        const warm = await sdk.startup({ options });
        await given.ahead(child);
        run = warm.query(prompt);
      }
      for await (const { type } of run) {
        lines.push(type);
        if (leaves) break;
        act?.({ run, abort, type, log });
        if (given.isBusy) await later(500);
      }
      lines.push("end");
    } catch (error) {
      lines.push(shown(error));
    }
    if (run !== undefined) await given.last?.(child, run);
  })();
  await Promise.race([whole, hangs]);
  over.abort();
  if (isAsked) lines.push(`${child.answers} answers`);
  return child.signals.length > 0
    ? [...lines, child.signals.join(", ")]
    : lines;
}

async function* openPrompt(waits = Infinity): AsyncGenerator<SDKUserMessage> {
  yield userMessage("Hi");
  if (waits > 0) await new Promise(() => {});
}

async function* prompts(
  pauses: readonly number[],
): AsyncGenerator<SDKUserMessage> {
  yield userMessage("Hi");
  for (const pause of pauses) {
    await later(pause);
    yield userMessage("more");
  }
}

function shown(error: unknown): string {
  const { name, message, exitCode, signal, code } = error as Error & {
    readonly exitCode?: number;
    readonly signal?: string;
    readonly code?: string;
  };
  const fields = Object.entries({ exitCode, signal, code })
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}=${value}`).join("");
  return `${name}: ${message}${fields}`;
}
