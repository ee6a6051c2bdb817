import { printable, printableLines } from "../errors/printable.ts";
import { isObject } from "../errors/text.ts";
import { textOf, wasInterrupted } from "../parse/read.ts";
import type { Cost } from "../types/activity.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { Message } from "../protocol/messages_other.ts";
import type { ResultMessage } from "../protocol/messages_turn.ts";
import type {
  InformationalMessage,
  SystemMessage,
} from "../protocol/messages_system.ts";
import type { Screen } from "./command_line.ts";

/** Of a tool's input, what tells most. */
const MAIN_ARGUMENTS = [
  "command",
  "file_path",
  "notebook_path",
  "path",
  "pattern",
  "url",
  "query",
  "description",
  "prompt",
] as const;

export function aboutSystem(message: SystemMessage): readonly string[] {
  switch (message.subtype) {
    case "init":
      return message.mcp_servers
        .filter(({ status }) => status === "failed" || status === "needs-auth")
        .map(({ name, status }) =>
          `MCP server "${printable(name)}": ${status}`
        );
    case "api_retry":
      return [
        `${
          printable(String(message.error))
        }: try ${message.attempt} of ${message.max_retries} in ${
          seconds(message.retry_delay_ms)
        }`,
      ];
    case "permission_denied":
      return [`${printable(message.tool_name)}: ${printable(message.message)}`];
    case "task_started":
      return message.is_backgrounded
        ? [`in the background: ${printable(message.description)}`]
        : [];
    case "task_notification":
      return [`${message.status}: ${printable(message.summary)}`];
    case "informational":
      return isPrevented(message)
        ? [`stopped by a hook: ${printableLines(reasonOf(message))}`]
        : [];
    case "compact_boundary":
      return ["the conversation was compacted"];
    case "model_fallback":
      return ["another model took over"];
    default:
      return [];
  }
}

/** Whether a hook keeps the CLI from going on, as one that blocks a prompt does. */
export function isPrevented(message: Message): boolean {
  return message.type === "system" && message.subtype === "informational" &&
    message.prevent_continuation === true;
}

function reasonOf(
  { content, prompt_submit_outcome: outcome }: InformationalMessage,
): string {
  const reason = outcome?.["reason"];
  return typeof reason === "string" ? reason : content;
}

/** Cost and duration of a turn, in one line. */
export function summary(
  message: ResultMessage,
  { err }: Screen,
  cost: Cost | undefined,
): string {
  const { duration_ms: ms, num_turns: turns } = message;
  const { input_tokens: read = 0, output_tokens: written = 0 } = message.usage;
  const cached = (message.usage.cache_read_input_tokens ?? 0) +
    (message.usage.cache_creation_input_tokens ?? 0);
  const facts = [
    `${turns} ${turns === 1 ? "turn" : "turns"}`,
    seconds(ms),
    shownCost(message.total_cost_usd, cost),
    `${read + cached} tokens in, ${written} out`,
  ].join(" · ");
  const denied = message.permission_denials.length;
  const line = err.dim(denied === 0 ? facts : `${facts} · ${denied} denied`);
  if (!message.is_error) return line;
  const why = wasInterrupted(message)
    ? "interrupted"
    : textOf(message) || (message.terminal_reason ?? message.subtype);
  return `${err.red("✖")} ${printableLines(why)}\n${line}`;
}

/** That of the turn, and beside it that of the session where it is another. */
function shownCost(session: number, cost: Cost | undefined): string {
  const [turn, all] = [cost?.lastTurnUsd ?? session, session]
    .map((usd) => `$${usd.toFixed(4)}`);
  return turn === all ? `${turn}` : `${turn} (${all} in the session)`;
}

/** The field of a tool's input that tells most; `undefined` when it has none of them. */
export function mainArgumentOf(input: JsonObject): string | undefined {
  return MAIN_ARGUMENTS.map((name) => input[name])
    .find((value) => typeof value === "string");
}

/** The text of a message's content, of whatever form. */
export function textOfContent(content: JsonValue | undefined): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) {
    return isObject(content) ? JSON.stringify(content, null, 2) : "";
  }
  return content.map((block: JsonValue) => {
    if (typeof block === "string") return block;
    const { text, type = "block" } = Object(block);
    return typeof text === "string" ? text : `[${type}]`;
  }).join("\n");
}

/** `320 ms`, `4.2 s`, `3 min 20 s`. */
export function seconds(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const whole = Math.round(ms / 1_000);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
