import { EventEmitter } from "node:events";
import { PassThrough, type Writable } from "node:stream";
import type { Options, SDKUserMessage } from "@sluice/agent/compat";
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
          if (line.type === "control_response") answered();
          if (line.request?.subtype !== "initialize") continue;
          const { request_id } = line;
          const response = { subtype: "success", request_id, response: {} };
          this.say({ type: "control_response", response });
        }
      });
    });
  }

  say(message: object): void {
    this.stdout.write(`${JSON.stringify(message)}\n`);
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
    return true;
  }
}

/** What happens to a spawned process. */
interface Case {
  /** Changes it before it is returned. */
  readonly make?: (child: Child) => unknown;
  /** What happens once the prompt has arrived. */
  readonly play?: (child: Child, abort: AbortController) => unknown;
  /** Whether `play` waits for no prompt. */
  readonly isEarly?: boolean;
  /** Whether the user aborts right after the start. */
  readonly aborts?: boolean;
  /** Whether the source of prompts stays open after the first. */
  readonly isOpen?: boolean;
  /** Whether the consumer leaves after the first message. */
  readonly leaves?: boolean;
  /** Our outcome, where the official SDK hangs, or throws at the program that called it. */
  readonly own?: readonly string[];
}

const STARTS = "Failed to write to process stdin:";
const NOT_WRITTEN = [`Error: ${STARTS} write EPIPE`, "SIGTERM, SIGKILL"];
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

const goes = (child: Child) => {
  child.stdout.end();
  child.exit(0);
};

/** Each case by name. */
export const CASES: Readonly<Record<string, Case>> = {
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
    own: ["result", "end", KILLED],
  },
  "close events without an exit": {
    play(child) {
      child.stdout.end();
      child.emit("close", 3, null);
    },
    own: ["end", KILLED],
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
    make(child) {
      const { signals } = child;
      child.kill = (signal) => {
        signals.push(signal);
        child.stdout.end();
        child.exit(null, signal);
        return true;
      };
    },
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
const FASTER = 10;
/** A case that takes longer, in milliseconds of its own time, hangs. */
const HANGS_MS = 30_000;

/** What each of the cases does on a package, as lines: messages, the end, and signals. */
export async function spawnedOutcomes(
  sdk: Pick<Sdk, "query">,
  names: readonly string[],
): Promise<Readonly<Record<string, readonly string[]>>> {
  const own = globalThis.setTimeout;
  globalThis.setTimeout =
    ((run: () => void, ms = 0, ...rest: []) =>
      own(run, ms / FASTER, ...rest)) as typeof setTimeout;
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

async function outcomeOf(
  { query }: Pick<Sdk, "query">,
  { make, play, isEarly = false, isOpen = false, leaves = false, aborts }: Case,
): Promise<readonly string[]> {
  const child = new Child();
  make?.(child);
  const abortController = new AbortController();
  const options: Options = {
    pathToClaudeCodeExecutable: "claude",
    abortController,
    spawnClaudeCodeProcess() {
      void (isEarly ? later(10) : child.prompted)
        .then(() => play?.(child, abortController));
      if (aborts) queueMicrotask(() => abortController.abort());
      return child as never;
    },
  };
  const lines: string[] = [];
  const over = new AbortController();
  const hangs = new Promise<void>((resolve) => {
    const timer = setTimeout(() => {
      lines.push("hangs");
      resolve();
    }, HANGS_MS);
    over.signal.onabort = () => clearTimeout(timer);
  });
  const whole = (async () => {
    try {
      const prompt = isOpen ? openPrompt() : "Hi";
      for await (const { type } of query({ prompt, options })) {
        lines.push(type);
        if (leaves) break;
      }
      lines.push("end");
    } catch (error) {
      lines.push(shown(error));
    }
  })();
  await Promise.race([whole, hangs]);
  over.abort();
  return child.signals.length > 0
    ? [...lines, child.signals.join(", ")]
    : lines;
}

async function* openPrompt(): AsyncGenerator<SDKUserMessage> {
  yield userMessage("Hi");
  await new Promise(() => {});
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
