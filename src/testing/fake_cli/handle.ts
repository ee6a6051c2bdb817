import { systemClock } from "../../async/system_clock.ts";
import { cut, isObject } from "../../errors/text.ts";
import type { PermissionDecision } from "../../protocol/permissions.ts";
import { makeScratch } from "../../runtime/rerun.ts";
import type { JsonObject } from "../../types/json.ts";
import type { FakeCli, FakeCliRun, FakeDecision } from "../fake_cli_record.ts";
import type { FakeCliPlan } from "../fake_cli_script.ts";
import type { FakeCliWaitOptions } from "../watch.ts";
import { parseLine } from "../wire_lines.ts";

const POLL_MS = 5;
/** Rounds of the event loop in which a line in the pipe is read and handled. */
const READING_ROUNDS = 5;

/** Makes a stand-in CLI of a plan and the command that plays the script in a folder. */
export function fakeCliOf(
  plan: FakeCliPlan,
  commandIn: (folder: string) => readonly string[],
): FakeCli {
  const scratch = makeScratch("fake-cli-");
  scratch.write(
    "script.json",
    // A pattern becomes its source and flags.
    JSON.stringify(
      plan,
      (_key, value) =>
        value instanceof RegExp
          ? { source: value.source, flags: value.flags }
          : value,
    ),
  );
  // Whole lines only: the last one may be half written.
  const log = () =>
    scratch.read("log.jsonl").split("\n").slice(0, -1)
      .map((line) => JSON.parse(line) as Entry);
  /** What is noted comes from another process, so somebody has to look. */
  async function poll<T>(
    find: () => T | undefined,
    { timeoutMs = 10_000 }: FakeCliWaitOptions = {},
  ): Promise<T> {
    const end = performance.now() + timeoutMs;
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      if (performance.now() > end) {
        throw new Error(
          `Fake CLI did not get what was waited for within ${timeoutMs} ms: ${
            showLast(log())
          }`,
        );
      }
      await systemClock.sleep(POLL_MS);
    }
  }
  const cli: FakeCli = {
    cliPath: commandIn(scratch.path(".")),
    get received() {
      return linesIn(log());
    },
    get decisions() {
      return decisionsIn(log());
    },
    get runs() {
      return runsIn(log());
    },
    receivedLine: (fits, options) =>
      poll(() => cli.received.find(fits), options),
    until: (holds, options) =>
      poll(() => {
        const { runs } = cli;
        return holds(runs) ? runs : undefined;
      }, options),
    async untilAsked(fits = isPermission, options) {
      const request = await poll(() => openIn(log()).find(fits), options);
      // It is in the pipe: the program reads it in the next rounds of its event loop.
      for (let round = 0; round < READING_ROUNDS; round++) {
        await systemClock.sleep(1);
      }
      return request;
    },
    close() {
      scratch.remove();
      return Promise.resolve();
    },
    [Symbol.asyncDispose]: () => cli.close(),
  };
  return cli;
}

/** How much of what came an error shows. */
const SHOWN = 5;

/** What the fake CLI noted, one entry per line of its log. */
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

/** The newest of what came, a short line each. */
function showLast(entries: readonly Entry[]): string {
  if (entries.length === 0) return "it was not started";
  const shown = entries.slice(-SHOWN).map(({ pid, event, text, name, code }) =>
    `  ${pid} ${event} ${cut(String(text ?? name ?? code ?? ""), 100)}`
      .trimEnd()
  );
  return [`it got ${entries.length} things, at last`, ...shown].join("\n");
}

/** What came in on stdin. */
function linesIn(entries: readonly Entry[]): readonly JsonObject[] {
  return entries.flatMap(({ event, text = "" }) =>
    event === "line" ? [parseLine(text)] : []
  );
}

/** Requests that the program has got, or is about to read, and has not answered. */
function openIn(entries: readonly Entry[]): readonly JsonObject[] {
  const key = ({ pid, id }: Entry) => `${pid} ${id}`;
  const over = new Set(
    entries.filter(({ event }) => event === "settled").map(key),
  );
  return entries.flatMap((entry) => {
    const { event, request } = entry;
    const isOpen = event === "written" && !over.has(key(entry));
    return isOpen && request !== undefined ? [request] : [];
  });
}

function isPermission({ subtype }: JsonObject): boolean {
  return subtype === "can_use_tool";
}

/** The processes, in the order of their start. */
function runsIn(entries: readonly Entry[]): readonly FakeCliRun[] {
  const starts = entries.filter(({ event }) => event === "start");
  return starts.map(({ pid, args = [], env = [], cwd = "" }) => {
    const own = entries.filter((entry) => entry.pid === pid);
    return {
      pid,
      args,
      env,
      cwd,
      received: linesIn(own),
      decisions: decisionsIn(own),
      signals: own.flatMap(({ event, name = "" }) =>
        event === "signal" ? [name] : []
      ),
      hasStdinEnded: own.some(({ event }) => event === "stdin-end"),
      exitCode: own.find(({ event }) => event === "exit")?.code,
    };
  });
}

/** Answers beside what they answer; an id is unique in one process. */
function decisionsIn(
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
  const given = isObject(response) ? response : {};
  const input = isObject(request["input"]) ? request["input"] : {};
  const isGiven = subtype === "success";
  const failure = isGiven ? {} : { error: String(error) };
  return request["subtype"] === "can_use_tool"
    ? {
      kind: "permission",
      tool: String(request["tool_name"]),
      input,
      request,
      // Another program wrote it: it is shown as it came.
      ...isGiven && { decision: given as unknown as PermissionDecision },
      ...failure,
    }
    : {
      kind: "hook",
      event: String(input["hook_event_name"]),
      input,
      request,
      ...isGiven && { output: given },
      ...failure,
    };
}
