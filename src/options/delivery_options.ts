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
  /** Whether `stream_event` messages come; false. */
  includePartialMessages: option<boolean>({
    check: flag,
    flag: "include-partial-messages",
  }),
  /** Whether messages about command hooks come; false. */
  includeHookEvents: option<boolean>({
    check: flag,
    flag: "include-hook-events",
  }),
  /** Whether texts of subagents come; false. */
  forwardSubagentText: option<boolean>({
    check: flag,
    field: "forwardSubagentText",
    replaces: ["forward-subagent-text"],
  }),
  /** Whether `prompt_suggestion` messages come; false. */
  promptSuggestions: option<boolean>({
    check: flag,
    field: "promptSuggestions",
    replaces: ["prompt-suggestions"],
  }),
  /** Whether `task_progress` messages describe every 30 s or so what a subagent is doing, which costs a request; false. */
  agentProgressSummaries: option<boolean>({
    check: flag,
    field: "agentProgressSummaries",
  }),
  /** Whether prompts reach the model as they are: `/` is no command and `@` no file; false. */
  verbatimPrompts: option<boolean>({ check: flag, travels: "prompts" }),
  /** Whether tasks can be stopped one by one (`stopTask()`), so that `interrupt()` leaves background tasks alone; false. */
  perTaskStopAffordance: option<boolean>({
    check: flag,
    field: "perTaskStopAffordance",
  }),
  /** `"strict"` also checks every known message against its schema and reports deviations; `"envelope"`. */
  validation: option<"envelope" | "strict">({
    check: oneOf("envelope", "strict"),
    default: "envelope",
  }),
  /** Receives log lines; `console` fits. Unset = only warnings, each once, as warnings of the process. */
  logger: option<Logger>({
    check: withMethods("debug", "info", "warn", "error"),
  }),
  /** Receives metrics. */
  metrics: option<Metrics>({
    check: object<Metrics>({
      transport: callbacks,
      protocol: callbacks,
      parser: callbacks,
    }),
  }),
  /** Time; for tests. */
  clock: option<Clock>({ check: clock, default: systemClock }),
};
