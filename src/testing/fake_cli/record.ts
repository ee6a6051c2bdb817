import { cut, isObject } from "../../errors/text.ts";
import type { PermissionDecision } from "../../protocol/permissions.ts";
import type { JsonObject } from "../../types/json.ts";
import type { FakeCliRun, FakeDecision } from "../fake_cli_record.ts";
import { parseLine } from "../lines.ts";

/** One line of the log of a fake CLI. */
interface Entry {
  readonly pid: number;
  readonly event:
    | "start"
    | "line"
    | "asked"
    | "written"
    | "settled"
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

/** The log as its reader sees it. */
export interface FakeRecord {
  readonly received: readonly JsonObject[];
  readonly decisions: readonly FakeDecision[];
  readonly runs: readonly FakeCliRun[];
  /** Requests that have reached the host, and have no answer yet. */
  readonly open: readonly JsonObject[];
  /** The newest entries, a short line each. */
  readonly newest: string;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

interface Run extends Writable<FakeCliRun> {
  readonly received: JsonObject[];
  readonly decisions: FakeDecision[];
  readonly signals: string[];
}

/** Reads a log. */
export function readRecord(log: string): FakeRecord {
  // Whole lines only: the last one may be half written.
  const entries = log.split("\n").slice(0, -1)
    .map((line) => JSON.parse(line) as Entry);
  const runs = new Map<number, Run>();
  const received: JsonObject[] = [];
  const decisions: FakeDecision[] = [];
  /** Requests by process and id, which is unique in one process. */
  const requests = new Map<string, JsonObject>();
  const written = new Set<string>();
  const settled = new Set<string>();
  for (const entry of entries) {
    const { pid, event, id, text = "" } = entry;
    const key = `${pid} ${id}`;
    const run = runs.get(pid);
    if (event === "start") runs.set(pid, runOf(entry));
    if (event === "asked") requests.set(key, entry.request ?? {});
    if (event === "written") written.add(key);
    if (event === "settled") settled.add(key);
    if (run === undefined) continue;
    if (event === "signal") run.signals.push(entry.name ?? "");
    if (event === "stdin-end") run.hasStdinEnded = true;
    if (event === "exit") run.exitCode ??= entry.code;
    if (event !== "line") continue;
    const line = parseLine(text);
    received.push(line);
    run.received.push(line);
    const { response } = line;
    const decision = isObject(response) &&
      decisionOf(requests.get(`${pid} ${response["request_id"]}`), response);
    if (!decision) continue;
    decisions.push(decision);
    run.decisions.push(decision);
  }
  const open = [...written].filter((key) => !settled.has(key))
    .map((key) => requests.get(key) ?? {});
  const newest = newestOf(entries);
  return { received, decisions, runs: [...runs.values()], open, newest };
}

function runOf({ pid, args = [], env = [], cwd = "" }: Entry): Run {
  return {
    pid,
    args,
    env,
    cwd,
    received: [],
    decisions: [],
    signals: [],
    hasStdinEnded: false,
    exitCode: undefined,
  };
}

/** The host's decision, if the request asked for one. */
function decisionOf(
  request: JsonObject | undefined,
  { subtype, response, error }: JsonObject,
): FakeDecision | undefined {
  if (request === undefined) return undefined;
  const given = isObject(response) ? response : {};
  const input = isObject(request["input"]) ? request["input"] : {};
  const isGiven = subtype === "success";
  const failure = isGiven ? {} : { error: String(error) };
  if (request["subtype"] === "can_use_tool") {
    return {
      kind: "permission",
      tool: String(request["tool_name"]),
      input,
      request,
      // It comes from another program, and is shown unchecked.
      ...isGiven && { decision: given as unknown as PermissionDecision },
      ...failure,
    };
  }
  return request["subtype"] !== "hook_callback" ? undefined : {
    kind: "hook",
    event: String(input["hook_event_name"]),
    input,
    request,
    ...isGiven && { output: given },
    ...failure,
  };
}

/** How many entries an error shows. */
const SHOWN = 5;

function newestOf(all: readonly Entry[]): string {
  const entries = all.filter(({ event }) =>
    event !== "asked" && event !== "written" && event !== "settled"
  );
  if (entries.length === 0) return "it was not started";
  const shown = entries.slice(-SHOWN).map(({ pid, event, text, name, code }) =>
    `  ${pid} ${event} ${cut(String(text ?? name ?? code ?? ""), 100)}`
      .trimEnd()
  );
  return [`it recorded ${entries.length} events, the newest:`, ...shown]
    .join("\n");
}
