import type { PermissionDecision } from "../protocol/permissions.ts";
import type { JsonObject } from "../types/json.ts";
import type { Transport } from "../ports/transport.ts";
import type { WaitOptions } from "./watch.ts";

/** One run of a fake CLI: its start, input and end. */
export interface FakeCliRun {
  /** Process id; negative for a run of `FakeCli.transport`. */
  readonly pid: number;
  /** Arguments after the CLI itself. */
  readonly args: readonly string[];
  /** Names of the environment variables. */
  readonly env: readonly string[];
  /** Working directory. */
  readonly cwd: string;
  /** Lines of stdin, parsed; text that is no JSON object as `{ raw: text }`. */
  readonly received: readonly JsonObject[];
  /** Decisions of the host, in the order of the answers; hooks of this package included. */
  readonly decisions: readonly FakeDecision[];
  /** Names of the signals that it received and could record. */
  readonly signals: readonly string[];
  /** Whether stdin has ended. */
  readonly hasStdinEnded: boolean;
  /** Exit code; undefined while it runs, and when a signal killed it. */
  readonly exitCode: number | undefined;
}

/** A decision of the host: about a tool call, or in a hook. */
export type FakeDecision = PermissionRecord | HookRecord;

/** Fields of every decision. */
export interface DecisionRecord {
  /** Input of the call, or of the hook. */
  readonly input: JsonObject;
  /** The whole request. */
  readonly request: JsonObject;
  /** The error that the host answered with. */
  readonly error?: string;
}

/** A permission request and the decision. */
export interface PermissionRecord extends DecisionRecord {
  /** Discriminator. */
  readonly kind: "permission";
  /** Name of the tool. */
  readonly tool: string;
  /** The decision, unchecked; absent when the host answered with an error, as without `canUseTool`. */
  readonly decision?: PermissionDecision;
}

/** A hook call and its answer. */
export interface HookRecord extends DecisionRecord {
  /** Discriminator. */
  readonly kind: "hook";
  /** The event, such as `"PreToolUse"`. */
  readonly event: string;
  /** Output of the hook, unchecked; absent when the host answered with an error. */
  readonly output?: JsonObject;
}

/** A fake CLI and its record. */
export interface FakeCli extends AsyncDisposable {
  /** For the option of this name: a command that starts a process. */
  readonly cliPath: readonly string[];
  /** For the option of this name, in place of `cliPath`: plays the script in this process, without a child. */
  readonly transport: Transport;
  /** Lines of stdin so far, over all runs, parsed. */
  readonly received: readonly JsonObject[];
  /** Decisions of the host so far, over all runs, in the order of the answers. */
  readonly decisions: readonly FakeDecision[];
  /** Runs so far, in the order of their start; calls with `--version` do not count. */
  readonly runs: readonly FakeCliRun[];
  /** Waits for the first line that fits, including past ones; rejects at the timeout with an `Error` that shows the newest events. */
  receivedLine(
    fits: (line: JsonObject) => boolean,
    options?: WaitOptions,
  ): Promise<JsonObject>;
  /** Waits until a condition on the runs holds; rejects as {@link FakeCli.receivedLine} does. */
  until(
    holds: (runs: readonly FakeCliRun[]) => boolean,
    options?: WaitOptions,
  ): Promise<readonly FakeCliRun[]>;
  /**
   * Waits until a request of the CLI is open: it has reached this program and has no answer yet. Move a
   * {@link FakeClock} after it: only then does the timeout of the request exist.
   *
   * @param fits Which request; one for a permission (`can_use_tool`) by default
   * @param options How long to wait
   * @returns The request; rejects as {@link FakeCli.receivedLine} does
   */
  untilAsked(
    fits?: (request: JsonObject) => boolean,
    options?: WaitOptions,
  ): Promise<JsonObject>;
  /** Removes script and record, which otherwise happens when this program ends; running processes continue. */
  close(): Promise<void>;
}
