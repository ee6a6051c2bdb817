import { systemClock } from "../async/system_clock.ts";
import { isObject } from "../errors/text.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger, Metrics } from "../types/observe.ts";
import { fitting, flag, object, oneOf } from "./fields.ts";
import { clock, withMethods } from "./host_objects.ts";
import { option, type OptionRows } from "./option.ts";

/** Of any class: only its methods count. */
const callbacks = fitting("an object", isObject);

/** Delivery. */
export const DELIVERY_OPTIONS: OptionRows = {
  /** Whether `stream_event` messages arrive; default: false. A `stream_event` contains a piece of a message that the model is writing. */
  includePartialMessages: option<boolean>({
    check: flag,
    flag: "include-partial-messages",
  }),
  /** Whether messages about hooks of settings files arrive; default: false. */
  includeHookEvents: option<boolean>({
    check: flag,
    flag: "include-hook-events",
  }),
  /** Whether texts of foreground subagents arrive; default: false. */
  forwardSubagentText: option<boolean>({
    check: flag,
    field: "forwardSubagentText",
    replaces: ["forward-subagent-text"],
  }),
  /** Whether `prompt_suggestion` messages arrive; default: false. */
  promptSuggestions: option<boolean>({
    check: flag,
    field: "promptSuggestions",
    replaces: ["prompt-suggestions"],
  }),
  /** Whether subagents report progress every 30 s; default: false. Each report is a `task_progress` message and costs a request to the model. */
  agentProgressSummaries: option<boolean>({
    check: flag,
    field: "agentProgressSummaries",
  }),
  /** Whether prompts reach the model unchanged; default: false. If true, `/` does not start a command and `@` does not mention a file. */
  verbatimPrompts: option<boolean>({ check: flag, travels: "prompts" }),
  /** Whether `interrupt()` spares background subagents; default: false. To stop a single subagent, call `stopTask()`. */
  perTaskStopAffordance: option<boolean>({
    check: flag,
    field: "perTaskStopAffordance",
  }),
  /** How strictly Sluice checks messages; default: `"envelope"`. `"envelope"` checks only the type and the required fields. `"strict"` also checks each known message against its schema and reports deviations. */
  validation: option<"envelope" | "strict">({
    check: oneOf("envelope", "strict"),
    default: "envelope",
  }),
  /** Object that receives log lines, such as `console`. Without a logger, Sluice prints only warnings, and each warning once. */
  logger: option<Logger>({
    check: withMethods("debug", "info", "warn", "error"),
  }),
  /** Receives metrics. */
  metrics: option<Metrics>({
    check: object<Metrics>({
      transport: callbacks,
      protocol: callbacks,
      parser: callbacks,
      pool: callbacks,
      conversation: callbacks,
    }),
  }),
  /** Source of time, replaced in tests. */
  clock: option<Clock>({ check: clock, default: systemClock }),
};
