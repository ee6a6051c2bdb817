import { cut, isObject } from "../../errors/text.ts";
import type { JsonObject } from "../../types/json.ts";
import type { PermissionDecision } from "../../protocol/permissions.ts";
import type { FakeCliRun, FakeDecision } from "../fake_cli.ts";
import { parseLine } from "../wire_lines.ts";

/** How much of what came an error shows. */
const SHOWN = 5;

/** What the fake CLI noted, one entry per line of its log. */
export interface Entry {
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

/** The newest of what came, a short line each. */
export function showLast(entries: readonly Entry[]): string {
  if (entries.length === 0) return "it was not started";
  const shown = entries.slice(-SHOWN).map(({ pid, event, text, name, code }) =>
    `  ${pid} ${event} ${cut(String(text ?? name ?? code ?? ""), 100)}`
      .trimEnd()
  );
  return [`it got ${entries.length} things, at last`, ...shown].join("\n");
}

/** What came in on stdin. */
export function linesIn(entries: readonly Entry[]): readonly JsonObject[] {
  return entries.flatMap(({ event, text = "" }) =>
    event === "line" ? [parseLine(text)] : []
  );
}

/** The processes, in the order of their start. */
export function runsIn(entries: readonly Entry[]): readonly FakeCliRun[] {
  return entries
    .filter(({ event }) => event === "start")
    .map((start) => toRun(start, entries));
}

function toRun(start: Entry, entries: readonly Entry[]): FakeCliRun {
  const own = entries.filter(({ pid }) => pid === start.pid);
  return {
    pid: start.pid,
    args: start.args ?? [],
    env: start.env ?? [],
    cwd: start.cwd ?? "",
    received: linesIn(own),
    decisions: decisionsIn(own),
    signals: own.flatMap(({ event, name = "" }) =>
      event === "signal" ? [name] : []
    ),
    hasStdinEnded: own.some(({ event }) => event === "stdin-end"),
    exitCode: own.find(({ event }) => event === "exit")?.code,
  };
}

/** Answers beside what they answer; an id is unique in one process. */
export function decisionsIn(
  entries: readonly Entry[],
): readonly FakeDecision[] {
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
