import { asObject, cut } from "../../errors/text.ts";
import type { PermissionDecision } from "../../protocol/permissions.ts";
import type { JsonObject } from "../../types/json.ts";
import type { FakeCliRun, FakeDecision } from "../fake_cli_record.ts";

/** The host's answer to a request, or the error in its place. */
export interface HostAnswer {
  readonly response?: JsonObject | undefined;
  readonly error?: string;
}

export interface LogEntry {
  readonly start?: Pick<FakeCliRun, "args" | "env" | "cwd">;
  readonly line?: JsonObject;
  /** A request that is in the pipe to the host, and its id. */
  readonly asked?: { readonly id: string; readonly request: JsonObject };
  readonly settled?: string;
  readonly decision?: FakeDecision;
  readonly signal?: string;
  readonly stdinEnd?: true;
  readonly exit?: number;
}

type Logged = LogEntry & { readonly pid: number };

export interface FakeRecord {
  readonly received: readonly JsonObject[];
  readonly decisions: readonly FakeDecision[];
  readonly runs: readonly FakeCliRun[];
  /** Requests that have reached the host, and have no answer yet. */
  readonly open: readonly JsonObject[];
  readonly newest: string;
}

export function readRecord(log: string): FakeRecord {
  // Whole lines only: the last one may be half written.
  const entries = log.split("\n").slice(0, -1)
    .map((line) => JSON.parse(line) as Logged);
  const settled = new Set(
    entries.map(({ pid, settled }) => `${pid} ${settled}`),
  );
  return {
    received: all(entries, "line"),
    decisions: all(entries, "decision"),
    runs: entries.flatMap(({ pid, start }) =>
      start === undefined ? [] : [runOf(pid, start, entries)]
    ),
    open: entries.flatMap(({ pid, asked }) =>
      asked === undefined || settled.has(`${pid} ${asked.id}`)
        ? []
        : [asked.request]
    ),
    newest: newestOf(entries),
  };
}

function all<Name extends keyof LogEntry>(
  entries: readonly Logged[],
  name: Name,
): NonNullable<LogEntry[Name]>[] {
  return entries.map((entry) => entry[name])
    .filter((value) => value !== undefined);
}

function runOf(
  pid: number,
  start: NonNullable<LogEntry["start"]>,
  entries: readonly Logged[],
): FakeCliRun {
  const own = entries.filter((entry) => entry.pid === pid);
  return {
    pid,
    ...start,
    received: all(own, "line"),
    decisions: all(own, "decision"),
    signals: all(own, "signal"),
    hasStdinEnded: all(own, "stdinEnd").length > 0,
    exitCode: all(own, "exit")[0],
  };
}

/** The host's decision, if the request asked for one; it comes from another program, and is shown unchecked. */
export function decisionOn(
  request: JsonObject,
  { response = {}, error }: HostAnswer,
): FakeDecision | undefined {
  const input = asObject(request["input"]);
  const isGiven = error === undefined;
  const facts = { input, request, ...!isGiven && { error } };
  switch (request["subtype"]) {
    case "can_use_tool":
      return {
        kind: "permission",
        tool: String(request["tool_name"]),
        ...facts,
        ...isGiven && { decision: response as unknown as PermissionDecision },
      };
    case "hook_callback":
      return {
        kind: "hook",
        event: String(input["hook_event_name"]),
        ...facts,
        ...isGiven && { output: response },
      };
    default:
      return undefined;
  }
}

const SHOWN = 5;

function newestOf(all: readonly Logged[]): string {
  const entries = all.filter(({ asked, settled, decision }) =>
    (asked ?? settled ?? decision) === undefined
  );
  if (entries.length === 0) return "it was not started";
  const shown = entries.slice(-SHOWN).map(({ pid, ...entry }) => {
    const [[event, value] = []] = Object.entries(entry);
    // Arguments may hold secrets.
    const shown = event === "start" ? "" : cut(JSON.stringify(value), 100);
    return `  ${pid} ${event} ${shown}`.trimEnd();
  });
  return [`it recorded ${entries.length} events, the newest:`, ...shown]
    .join("\n");
}
