import { EventEmitter } from "node:events";
import { PassThrough, type Readable } from "node:stream";
import { Deferred } from "@sluice/agent/extend";
import {
  type Options,
  query,
  type SpawnedProcess,
  type SpawnOptions,
} from "@sluice/agent/compat";
import type { JsonObject } from "@sluice/agent";
import { messagesOf } from "./_compat.ts";

/** A CLI that a test plays itself, by `spawnClaudeCodeProcess`. */
export interface PlayedCli {
  readonly options: Options;
  /** Lines that came in. */
  readonly received: readonly JsonObject[];
  /** Signals that it was sent. */
  readonly signals: readonly string[];
  /** Whether its input has ended. */
  readonly hasInputEnded: () => boolean;
  /** Whether it has exited. */
  readonly isGone: () => boolean;
  /** Resolves with the first line that fits. */
  readonly until: (fits: (line: JsonObject) => boolean) => Promise<JsonObject>;
  readonly say: (message: object, end?: string) => void;
  readonly exit: (code: number) => void;
  readonly onInputEnd: (listener: () => void) => void;
}

/** Plays a CLI that answers `initialize`; SIGTERM and the end of input end it, unless told otherwise. */
export function playedCli(
  {
    stdout = new PassThrough(),
    onSignal,
    staysOpen = false,
    initialize = () => ({}),
    onLine,
  }: {
    readonly stdout?: Readable;
    readonly onSignal?: (signal: string, exit: (code: number) => void) => void;
    readonly staysOpen?: boolean;
    /** Further fields of the answer to `initialize`; `undefined` = the test answers it. */
    readonly initialize?: () => object | undefined;
    /** Called with each line that came in. */
    readonly onLine?: (line: JsonObject) => void;
  } = {},
): PlayedCli {
  const received: JsonObject[] = [];
  const signals: string[] = [];
  const wanted: {
    fits: (line: JsonObject) => boolean;
    found: Deferred<JsonObject>;
  }[] = [];
  const events = new EventEmitter();
  const stdin = new PassThrough();
  let exitCode: number | null = null;
  let hasInputEnded = false;
  const exit = (code: number) => {
    if (exitCode !== null) return;
    exitCode = code;
    if (stdout instanceof PassThrough) stdout.end();
    events.emit("exit", code, null);
  };
  const say = (message: object, end = "\n") => {
    if (stdout instanceof PassThrough) {
      stdout.write(`${JSON.stringify(message)}${end}`);
    }
  };
  let rest = "";
  stdin.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const one of lines) {
      const line: JsonObject = JSON.parse(one);
      received.push(line);
      const { request, request_id } = line;
      const fields = (request as JsonObject | undefined)?.["subtype"] ===
          "initialize" && initialize();
      if (fields) {
        const response = {
          subtype: "success",
          request_id,
          response: {},
          ...fields,
        };
        say({ type: "control_response", response });
      }
      onLine?.(line);
      for (const { fits, found } of wanted) if (fits(line)) found.resolve(line);
    }
  }).on("end", () => {
    hasInputEnded = true;
    if (!staysOpen) exit(0);
  });
  const child: SpawnedProcess = Object.assign(events as EventEmitter, {
    stdin,
    stdout,
    killed: false,
    get exitCode() {
      return exitCode;
    },
    kill(signal: string) {
      signals.push(signal);
      if (onSignal) onSignal(signal, exit);
      else exit(143);
      return true;
    },
  }) as never;
  // `Object.assign` reads getters.
  Object.defineProperty(child, "exitCode", { get: () => exitCode });
  return {
    options: {
      pathToClaudeCodeExecutable: "claude",
      spawnClaudeCodeProcess: () => child,
    },
    received,
    signals,
    hasInputEnded: () => hasInputEnded,
    isGone: () => exitCode !== null,
    until(fits) {
      const there = received.find(fits);
      if (there !== undefined) return Promise.resolve(there);
      const found = new Deferred<JsonObject>();
      wanted.push({ fits, found });
      return found.promise;
    },
    say,
    exit,
    onInputEnd: (listener) => void stdin.on("end", listener),
  };
}

/** With what a CLI would be started; nothing is. */
export async function launchOf(
  options: Options,
  look: (launch: SpawnOptions) => void | Promise<void> = () => {},
): Promise<SpawnOptions> {
  const launched = new Deferred<SpawnOptions>();
  let looked: void | Promise<void> = undefined;
  const run = query({
    prompt: "Hi",
    options: {
      pathToClaudeCodeExecutable: "claude",
      ...options,
      spawnClaudeCodeProcess(launch) {
        looked = look(launch);
        launched.resolve(launch);
        throw new Error("Seen enough");
      },
    },
  });
  await messagesOf(run).catch((error) => launched.reject(error));
  await looked;
  return await launched.promise;
}
