import {
  FakeClock,
  type MemoryPair,
  memoryTransport,
  type MemoryTransportOptions,
} from "@sluice/agent/testing";
import {
  type AgentOptions,
  type Conversation,
  type JsonObject,
  type JsonValue,
  type LogFields,
  type Logger,
  type Message,
  type Metrics,
  query,
} from "@sluice/agent";
import process from "node:process";
import { TESTED_VERSION } from "../../src/options/versions.ts";
import { collect } from "../_collect.ts";

/** The least that a CLI answers to `initialize`. */
export const REPLY: JsonObject = {
  commands: [],
  agents: [],
  models: [],
  account: {},
  output_style: "default",
  available_output_styles: [],
  claude_code_version: TESTED_VERSION,
};

/** Answers of a CLI in this process, by subtype: the fields of a success, or `undefined` for none. */
export type MemoryAnswers = Readonly<
  Record<
    string,
    JsonObject | ((line: JsonObject) => JsonObject | undefined)
  >
>;

/** A CLI in this process that answers `initialize` and the given requests; the test plays the rest. */
export function memoryCli(
  answers: MemoryAnswers = {},
  options: MemoryTransportOptions = {},
): MemoryPair {
  return memoryTransport({
    ...options,
    respond: (line) => {
      const { subtype } = requestOf(line);
      if (typeof subtype !== "string") return undefined;
      const all: MemoryAnswers = {
        initialize: REPLY,
        get_hooks_listing: { hooks: [] },
        apply_flag_settings: {},
        ...answers,
      };
      const answer = all[subtype];
      const response = typeof answer === "function" ? answer(line) : answer;
      return response && answerLine(line, response);
    },
  });
}

/** A number of prompts from a source that ends, or stays open. */
async function* prompts(
  count: number,
  isOver: boolean,
): AsyncGenerator<string> {
  for (let n = 0; n < count; n++) yield `${n}`;
  if (!isOver) await new Promise(() => {});
}

/** A conversation on a clock of its own, all its prompts written, and read; only the test answers. */
export async function begin(
  { count = 1, isOver = true, clock = new FakeClock(), ...options }:
    & Omit<AgentOptions, "clock">
    & {
      readonly count?: number;
      readonly isOver?: boolean;
      readonly clock?: FakeClock;
    } = {},
): Promise<{
  readonly clock: FakeClock;
  readonly peer: MemoryPair["peer"];
  readonly conversation: Conversation;
  readonly reading: ReturnType<typeof collect<Message>>;
  /** Of the prompts. */
  readonly uuids: readonly string[];
}> {
  const { transport, peer } = memoryCli();
  const conversation = query(prompts(count, isOver), {
    permissions: { canUseTool: () => ({ behavior: "allow" }) },
    ...options,
    transport,
    clock,
  });
  const reading = collect(conversation);
  await conversation.ready;
  await peer.line((line) =>
    isPrompt(line) && peer.lines.filter(isPrompt).length === count
  );
  const uuids = peer.lines.filter(isPrompt).map(({ uuid }) => String(uuid));
  return { clock, peer, conversation, reading, uuids };
}

/** The request in a `control_request` line; empty for any other line. */
export function requestOf(line: JsonObject): JsonObject {
  return line.type === "control_request" ? line.request as JsonObject : {};
}

/** The answer in a `control_response` line; empty for any other line. */
export function responseOf(line: JsonObject): JsonObject {
  return line.type === "control_response" ? line.response as JsonObject : {};
}

/** Whether a line is a control request of that kind. */
export function isRequest(subtype: string): (line: JsonObject) => boolean {
  return (line) => requestOf(line).subtype === subtype;
}

/** Whether a line answers that request. */
export function isAnswerTo(id: string): (line: JsonObject) => boolean {
  return (line) => responseOf(line).request_id === id;
}

/** Whether a line is a prompt. */
export function isPrompt(line: JsonObject): boolean {
  return line.type === "user";
}

/** A success answer to a line. */
export function answerLine(
  { request_id }: JsonObject,
  response: JsonObject,
): JsonObject {
  return {
    type: "control_response",
    response: { subtype: "success", request_id, response },
  };
}

/** A request of the CLI. */
export function requestLine(id: string, request: JsonObject): JsonObject {
  return { type: "control_request", request_id: id, request };
}

/** A question whether a tool may run. */
export const ASK: JsonObject = {
  subtype: "can_use_tool",
  tool_name: "Bash",
  input: {},
  tool_use_id: "t",
};

/** State of a prompt, as the CLI reports it. */
export function lifeLine(
  command_uuid: string | undefined,
  state: string,
): JsonObject {
  return {
    type: "command_lifecycle",
    command_uuid: command_uuid ?? "",
    state,
    session_id: "s",
    uuid: "u",
  };
}

/** A text of the model. */
export function assistantLine(text: string): JsonObject {
  return {
    type: "assistant",
    message: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "m",
      content: [{ type: "text", text }],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    },
    parent_tool_use_id: null,
    session_id: "s",
    uuid: "u",
  };
}

/** The beginning of a turn. */
export const INIT: JsonObject = {
  type: "system",
  subtype: "init",
  cwd: "/",
  tools: [],
  mcp_servers: [],
  model: "m",
  permissionMode: "default",
  slash_commands: [],
  apiKeySource: "none",
  output_style: "default",
  agents: [],
  skills: [],
  plugins: [],
  claude_code_version: "2.1.0",
  session_id: "s",
  uuid: "u",
};

/** The end of a turn. */
export function resultLine(fields: JsonObject = {}): JsonObject {
  return {
    type: "result",
    subtype: "success",
    is_error: false,
    duration_ms: 1,
    duration_api_ms: 1,
    num_turns: 1,
    result: "done",
    stop_reason: "end_turn",
    total_cost_usd: 0,
    usage: { input_tokens: 1, output_tokens: 1 },
    modelUsage: {},
    permission_denials: [],
    session_id: "s",
    uuid: "u",
    ...fields,
  };
}

/** A change of the state of the session. */
export function stateLine(state: string): JsonObject {
  return {
    type: "system",
    subtype: "session_state_changed",
    state,
    sdk_host_only: true,
    session_id: "s",
    uuid: "u",
  };
}

/** One line of a log. */
export interface LogLine {
  readonly level: keyof Logger;
  readonly message: string;
  readonly fields: LogFields;
}

/** A logger that keeps its lines. */
export function logSpy(): {
  readonly logger: Logger;
  readonly lines: LogLine[];
} {
  const lines: LogLine[] = [];
  const level = (level: keyof Logger) => (message: string, fields = {}) =>
    void lines.push({ level, message, fields });
  return {
    lines,
    logger: {
      debug: level("debug"),
      info: level("info"),
      warn: level("warn"),
      error: level("error"),
    },
  };
}

/** One call of a member of the metrics. */
export type MetricsCall = readonly [name: string, ...args: unknown[]];

const GROUPS = ["transport", "protocol", "parser"] as const;

/** Metrics that keep their calls; `transport.processStart`, its arguments. */
export function metricsSpy(): {
  readonly metrics: Metrics;
  readonly calls: MetricsCall[];
  /** The arguments of the calls of one member. */
  of(name: string): readonly (readonly unknown[])[];
} {
  const calls: MetricsCall[] = [];
  const group = (group: string) =>
    new Proxy({}, {
      get: (_target, member) => (...args: unknown[]) =>
        void calls.push([`${group}.${String(member)}`, ...args]),
    });
  const metrics = Object.fromEntries(GROUPS.map((name) => [name, group(name)]));
  return {
    metrics,
    calls,
    of: (name) =>
      calls.filter(([called]) => called === name).map(([, ...args]) => args),
  };
}

/** Runs a function and returns the rejections that stayed unhandled meanwhile. */
export async function unhandledIn(
  body: () => void | Promise<void>,
): Promise<readonly unknown[]> {
  const reasons: unknown[] = [];
  const listen = (reason: unknown) => void reasons.push(reason);
  process.on("unhandledRejection", listen);
  try {
    await body();
    // They are reported a turn or two after the promise settled.
    await turns(3);
  } finally {
    process.off("unhandledRejection", listen);
  }
  return reasons;
}

/** Waits for a number of turns of the event loop. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) {
    await new Promise<void>((resolve) => setTimeout(resolve, 0));
  }
}

/** All text in a value, however deep, also in errors and their causes. */
export function textIn(value: unknown): string {
  const seen = new Set<unknown>();
  const texts: string[] = [];
  const walk = (one: unknown): void => {
    if (typeof one === "string") texts.push(one);
    if (typeof one !== "object" || one === null || seen.has(one)) return;
    seen.add(one);
    if (one instanceof Map) [...one].forEach(walk);
    for (const key of Reflect.ownKeys(one)) {
      texts.push(String(key));
      walk((one as Record<PropertyKey, JsonValue>)[key]);
    }
  };
  walk(value);
  return texts.join("\n");
}
