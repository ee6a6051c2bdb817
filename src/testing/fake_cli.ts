import { isObject } from "../errors/is_object.ts";
import { closableOnDeno } from "../runtime/program.ts";
import { commandFor, makeScratch, type Scratch } from "../runtime/rerun.ts";
import type { JsonObject } from "../types/json.ts";
import type { PermissionDecision } from "../types/permissions.ts";
import { toPlan, toScriptText } from "./fake_cli_check.ts";
import type { FakeCliScript } from "./fake_cli_script.ts";
import { shorten } from "./text_pieces.ts";
import { parseLine } from "./wire_lines.ts";

const POLL_MS = 5;

/** How much of what came an error shows. */
const SHOWN = 5;

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

/** Settings of a wait for something that a fake CLI gets. */
export interface FakeCliWaitOptions {
  /** Milliseconds until the wait is given up, 10 000 unless given. */
  readonly timeoutMs?: number | undefined;
}

/** A stand-in CLI, and what it has received so far. */
export interface FakeCli extends AsyncDisposable {
  /** For the option of this name: the runtime, its flags, the fake CLI, its script. */
  readonly cliPath: readonly string[];
  /** The lines that came in on stdin so far, over all processes, parsed, in order. */
  readonly received: readonly JsonObject[];
  /** What the host decided so far, over all processes, in the order of the answers: permissions and hooks. */
  readonly decisions: readonly FakeDecision[];
  /** The processes so far, in the order of their start; calls with `--version` do not count. */
  readonly runs: readonly FakeCliRun[];
  /** Waits for the first line that fits, one that has already come included; rejects with an `Error` that shows the last of what came when the time is up. */
  receivedLine(
    fits: (line: JsonObject) => boolean,
    options?: FakeCliWaitOptions,
  ): Promise<JsonObject>;
  /** Waits until a condition on the processes holds; rejects as {@link FakeCli.receivedLine} does. */
  until(
    holds: (runs: readonly FakeCliRun[]) => boolean,
    options?: FakeCliWaitOptions,
  ): Promise<readonly FakeCliRun[]>;
  /** Removes script and record; a process that still runs is left alone. Without it that happens when this program ends. */
  close(): Promise<void>;
}

/**
 * Makes a stand-in CLI that follows a script: real processes and pipes, but no CLI, no model, no network.
 *
 * The script is one text (the answer to every prompt), a list with one turn for each prompt, or a whole
 * {@link FakeCliPlan}. A turn is a text, a step or a list of steps: say something, call a tool, ask for a
 * permission, call hooks and MCP servers, send odd lines, stall, exit, ... Around them the fake CLI
 * does by itself what the real one does: it answers `initialize` and other control requests, begins a turn with
 * `system/init` and ends it with a result, honours interrupts, and exits when stdin ends.
 *
 * Nothing is started here: whoever runs `cliPath` starts a process, as often as it likes.
 *
 * @param script What it says and does
 * @returns The command for the option `cliPath`, and what it received
 * @throws {ConfigError} If the script has a key or a step that does not exist
 *
 * @example A plain answer
 * ```ts
 * import { query } from "@sluice/agent";
 * import { fakeCli } from "@sluice/agent/testing";
 * import assert from "node:assert/strict";
 *
 * const { cliPath } = fakeCli("Hello, Ada!");
 * assert.equal(await query("Say hello", { cliPath }).text(), "Hello, Ada!");
 * ```
 *
 * @example Answers by the words of the prompt, and what was decided
 * ```ts
 * import { query } from "@sluice/agent";
 * import { fakeCli } from "@sluice/agent/testing";
 * import assert from "node:assert/strict";
 *
 * const fake = fakeCli({
 *   match: [
 *     { prompt: /weather/i, turn: "Rain." },
 *     { prompt: "clean", turn: [{ tool: "Bash", input: { command: "rm -rf build" } }, "Done."] },
 *   ],
 * });
 * const { cliPath } = fake;
 * const permissions = { canUseTool: () => ({ behavior: "allow" } as const) };
 * assert.equal(await query("Please clean up", { cliPath, permissions }).text(), "Done.");
 * assert.equal(await query("Weather?", { cliPath }).text(), "Rain.");
 *
 * const [first] = fake.decisions;
 * assert.ok(first?.kind === "permission");
 * assert.deepEqual([first.tool, first.decision?.behavior], ["Bash", "allow"]);
 * ```
 *
 * @example A tool that is denied
 * ```ts
 * import { query } from "@sluice/agent";
 * import { fakeCli } from "@sluice/agent/testing";
 * import assert from "node:assert/strict";
 *
 * const { cliPath } = fakeCli([
 *   [{ tool: "Bash", input: { command: "rm -rf build" } }, "Then I will leave it."],
 * ]);
 * const result = await query("Clean up", {
 *   cliPath,
 *   permissions: { canUseTool: () => ({ behavior: "deny", message: "No" }) },
 * }).result();
 * assert.equal(result.permission_denials[0]?.tool_name, "Bash");
 * ```
 */
export function fakeCli(script: FakeCliScript): FakeCli {
  return new ScriptedCli(toScriptText(toPlan(script)));
}

/** What the fake CLI noted, one entry per line of its log. */
interface Entry {
  readonly pid: number;
  readonly event:
    | "start"
    | "line"
    | "asked"
    | "signal"
    | "stdin-end"
    | "exit";
  readonly id?: string;
  readonly request?: JsonObject;
  readonly args?: readonly string[];
  readonly env?: readonly string[];
  readonly cwd?: string;
  readonly text?: string;
  readonly name?: string;
  readonly code?: number;
}

class ScriptedCli implements FakeCli {
  readonly cliPath: readonly string[];
  readonly #folder: Scratch;

  constructor(script: string) {
    this.#folder = makeScratch("fake-cli-");
    this.#folder.write("script.json", script);
    const main = new URL("./fake_cli_main.ts", import.meta.url);
    const folder = this.#folder.path(".");
    const command = [...commandFor(main), folder];
    this.cliPath = script.includes('"close":')
      ? closableOnDeno(command, folder)
      : command;
  }

  get received(): readonly JsonObject[] {
    return this.#entries().flatMap(({ event, text = "" }) =>
      event === "line" ? [parseLine(text)] : []
    );
  }

  get decisions(): readonly FakeDecision[] {
    return decisionsIn(this.#entries());
  }

  get runs(): readonly FakeCliRun[] {
    const entries = this.#entries();
    return entries
      .filter(({ event }) => event === "start")
      .map((start) => toRun(start, entries));
  }

  async receivedLine(
    fits: (line: JsonObject) => boolean,
    options: FakeCliWaitOptions = {},
  ): Promise<JsonObject> {
    let found: JsonObject | undefined;
    await this.#poll(
      () => (found = this.received.find(fits)) !== undefined,
      options,
    );
    return found ?? {};
  }

  async until(
    holds: (runs: readonly FakeCliRun[]) => boolean,
    options: FakeCliWaitOptions = {},
  ): Promise<readonly FakeCliRun[]> {
    await this.#poll(() => holds(this.runs), options);
    return this.runs;
  }

  close(): Promise<void> {
    this.#folder.remove();
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** What it notes comes from another process, so somebody has to look. */
  async #poll(
    isThere: () => boolean,
    { timeoutMs = 10_000 }: FakeCliWaitOptions,
  ): Promise<void> {
    const end = performance.now() + timeoutMs;
    while (!isThere()) {
      if (performance.now() > end) {
        throw new Error(
          `Fake CLI did not get what was waited for within ${timeoutMs} ms: ${
            showLast(this.#entries())
          }`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  /** Whole lines only: the last one may be half written. */
  #entries(): readonly Entry[] {
    const lines = this.#folder.read("log.jsonl").split("\n").slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Entry);
  }
}

/** The newest of what came, a short line each. */
function showLast(entries: readonly Entry[]): string {
  if (entries.length === 0) return "it was not started";
  const shown = entries.slice(-SHOWN).map(({ pid, event, text, name, code }) =>
    `  ${pid} ${event} ${shorten(String(text ?? name ?? code ?? ""), 100)}`
      .trimEnd()
  );
  return [`it got ${entries.length} things, at last`, ...shown].join("\n");
}

function toRun(start: Entry, entries: readonly Entry[]): FakeCliRun {
  const own = entries.filter(({ pid }) => pid === start.pid);
  return {
    pid: start.pid,
    args: start.args ?? [],
    env: start.env ?? [],
    cwd: start.cwd ?? "",
    received: own.flatMap(({ event, text = "" }) =>
      event === "line" ? [parseLine(text)] : []
    ),
    decisions: decisionsIn(own),
    signals: own.flatMap(({ event, name = "" }) =>
      event === "signal" ? [name] : []
    ),
    hasStdinEnded: own.some(({ event }) => event === "stdin-end"),
    exitCode: own.find(({ event }) => event === "exit")?.code,
  };
}

/** Answers beside what they answer; an id is unique in one process. */
function decisionsIn(entries: readonly Entry[]): readonly FakeDecision[] {
  const asked = new Map<string, JsonObject>();
  return entries.flatMap(({ pid, event, id, request, text = "" }) => {
    if (event === "asked" && request !== undefined) {
      asked.set(`${pid} ${id}`, request);
    }
    if (event !== "line" || asked.size === 0) return [];
    const { response } = parseLine(text);
    if (!isObject(response)) return [];
    const question = asked.get(`${pid} ${response["request_id"]}`);
    return question === undefined ? [] : [toDecision(question, response)];
  });
}

function toDecision(
  request: JsonObject,
  { subtype, response, error }: JsonObject,
): FakeDecision {
  const given = asObject(response);
  const failure = subtype === "success" ? {} : { error: String(error) };
  const input = asObject(request["input"]);
  return request["subtype"] === "can_use_tool"
    ? {
      kind: "permission",
      tool: String(request["tool_name"]),
      input,
      request,
      ...subtype === "success" &&
        // Another program wrote it: it is shown as it came.
        { decision: given as unknown as PermissionDecision },
      ...failure,
    }
    : {
      kind: "hook",
      event: String(input["hook_event_name"]),
      input,
      request,
      ...subtype === "success" && { output: given },
      ...failure,
    };
}

function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}
