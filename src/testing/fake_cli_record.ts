import type { PermissionDecision } from "../protocol/permissions.ts";
import type { JsonObject } from "../types/json.ts";
import type { Transport } from "../ports/transport.ts";
import type { WaitOptions } from "./watch.ts";

/** One process of a fake CLI: how it was started, what it got, how it ended. */
export interface FakeCliRun {
  /** Process id. */
  readonly pid: number;
  /** Arguments after the CLI itself. */
  readonly args: readonly string[];
  /** Names of the environment variables. */
  readonly env: readonly string[];
  /** Working directory. */
  readonly cwd: string;
  /** The lines that came in on stdin, parsed, in order; text that is no JSON object comes as `{ raw: text }`. */
  readonly received: readonly JsonObject[];
  /** What the host decided, in the order of the answers; hooks of the package itself are among them. */
  readonly decisions: readonly FakeDecision[];
  /** Names of the signals that it got and could note. */
  readonly signals: readonly string[];
  /** Whether stdin has ended. */
  readonly hasStdinEnded: boolean;
  /** Exit code; undefined while it runs, and when a signal killed it. */
  readonly exitCode: number | undefined;
}

/** What the host decided: about one tool call, or in one hook. */
export type FakeDecision = PermissionRecord | HookRecord;

/** A permission that was asked for, and the decision. */
export interface PermissionRecord {
  /** Discriminates. */
  readonly kind: "permission";
  /** Name of the tool. */
  readonly tool: string;
  /** What it would have run with. */
  readonly input: JsonObject;
  /** The whole question. */
  readonly request: JsonObject;
  /** The decision as it came; absent when the host answered with an error, as one that has no `canUseTool` may. */
  readonly decision?: PermissionDecision;
  /** That error. */
  readonly error?: string;
}

/** A hook that was called, and its answer. */
export interface HookRecord {
  /** Discriminates. */
  readonly kind: "hook";
  /** The event, such as `"PreToolUse"`. */
  readonly event: string;
  /** What the hook was told. */
  readonly input: JsonObject;
  /** The whole question. */
  readonly request: JsonObject;
  /** What it gave back, as it came; absent when the host answered with an error. */
  readonly output?: JsonObject;
  /** That error. */
  readonly error?: string;
}

/** A stand-in CLI, and what it has received so far. */
export interface FakeCli extends AsyncDisposable {
  /** For the option of this name: the runtime, its flags, the fake CLI, its script. */
  readonly cliPath: readonly string[];
  /** For the option of this name, in place of `cliPath`: plays the script in this process, without a child. */
  readonly transport: Transport;
  /** The lines that came in on stdin so far, over all processes, parsed, in order. */
  readonly received: readonly JsonObject[];
  /** What the host decided so far, over all processes, in the order of the answers: permissions and hooks. */
  readonly decisions: readonly FakeDecision[];
  /** The processes so far, in the order of their start; calls with `--version` do not count. */
  readonly runs: readonly FakeCliRun[];
  /** Waits for the first line that fits, one that has already come included; rejects with an `Error` that shows the last of what came when the time is up. */
  receivedLine(
    fits: (line: JsonObject) => boolean,
    options?: WaitOptions,
  ): Promise<JsonObject>;
  /** Waits until a condition on the processes holds; rejects as {@link FakeCli.receivedLine} does. */
  until(
    holds: (runs: readonly FakeCliRun[]) => boolean,
    options?: WaitOptions,
  ): Promise<readonly FakeCliRun[]>;
  /**
   * Waits until a request of the CLI is open: it has reached this program, which has not answered yet. A
   * {@link FakeClock} that is moved then moves the limits of that request, too.
   *
   * @param fits Which request; one for a permission (`can_use_tool`) unless given
   * @param options How long to wait
   * @returns The request; rejects as {@link FakeCli.receivedLine} does
   */
  untilAsked(
    fits?: (request: JsonObject) => boolean,
    options?: WaitOptions,
  ): Promise<JsonObject>;
  /** Removes script and record; a process that still runs is left alone. Without it that happens when this program ends. */
  close(): Promise<void>;
}
