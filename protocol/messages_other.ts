/** Messages beside the turn, and the union of all. */
import {
  type Fields,
  flag,
  known,
  list,
  literal,
  maybe,
  number,
  object,
  oneOf,
  openText,
  orNull,
  ref,
  seen,
  shape,
  type ShapeFacts,
  tag,
  text,
  type Topic,
  topic,
  union,
} from "./words.ts";

/** Each kind; all are members of the union `Message`. */
const KINDS: Fields = {
  ToolProgressMessage: other("tool_progress", "A tool is still running", {
    tool_use_id: text("Id of the call; heartbeats add a suffix to it"),
    tool_name: text("Name of the tool"),
    parent_tool_use_id: orNull(
      text("The call this belongs to; null in the main conversation"),
    ),
    elapsed_time_seconds: number("Run time so far, in seconds"),
    task_id: maybe(text("Background task that the call has become")),
    heartbeat: maybe(flag("A heartbeat without news")),
    subagent_type: maybe(text("Kind of the subagent that runs")),
    subagent_retry: maybe(
      shape("The subagent waits to repeat an API request", {
        agent_id: text("Id of the subagent"),
        attempt: number("Number of the attempt, from 1"),
        max_retries: number("Maximum number of attempts"),
        retry_delay_ms: number(
          "Delay before the next attempt, in milliseconds",
        ),
        error_status: orNull(
          number("HTTP status of the failure; null when there was no answer"),
        ),
        error_category: openText("AssistantError", "Kind of failure"),
      }),
    ),
  }, { source: "Everything else and Wire-only kinds" }),
  ToolUseSummaryMessage: other(
    "tool_use_summary",
    "Several tool calls in a sentence",
    {
      summary: text("The sentence"),
      preceding_tool_use_ids: list(text(), "Ids of the calls it sums up"),
      timestamp: seen(text("Time of the summary, ISO 8601")),
    },
  ),
  AuthStatusMessage: other("auth_status", "Progress of a login", {
    isAuthenticating: flag("Whether the login is in progress"),
    output: list(text(), "Lines to show"),
    error: maybe(text("Reason for the failure")),
  }),
  RateLimitMessage: other("rate_limit_event", "The account's limits changed", {
    rate_limit_info: ref("RateLimitInfo", "Rate limits of the account"),
  }),
  PromptSuggestionMessage: other(
    "prompt_suggestion",
    "A suggested next prompt; only with `promptSuggestions`",
    { suggestion: text("The suggested prompt") },
  ),
  ConversationResetMessage: other(
    "conversation_reset",
    "The conversation was emptied; a new session id follows",
    {
      new_conversation_id: text(
        "Id of the new conversation; not the new session id",
      ),
      trigger: maybe(
        oneOf(
          ["clear", "plan_mode_exit", "fresh_session", "onboarding"],
          "Cause of the reset",
        ),
      ),
      user_message_uuid: maybe(text("Uuid of the prompt that requested it")),
      timestamp: maybe(text("Time of the reset, ISO 8601")),
    },
  ),
  ActiveGoalMessage: other(
    "active_goal",
    "The goal that the session works towards changed",
    {
      value: orNull(
        shape("The goal; null when it is gone", {
          condition: text("Condition"),
          iterations: number("Turns made towards it"),
          set_at: number("Time it was set, in milliseconds since 1970"),
          tokens_at_start: number("Tokens used before it was set"),
          last_reason: maybe(text("Reason it was not met last time")),
        }),
      ),
    },
  ),
  CommandLifecycleMessage: other(
    "command_lifecycle",
    "State of a prompt that was sent with a `uuid`",
    {
      command_uuid: text("Uuid of the user line"),
      state: oneOf([
        "queued",
        "started",
        "completed",
        "cancelled",
        "discarded",
        "refused",
      ], "State"),
      wakeup_source: maybe(text("Source of the wake-up")),
      scheduled_for: maybe(union([text(), number()], "Planned time")),
      ran_ahead: maybe(flag("Whether it overtook prompts before it")),
    },
    { extends: ["MessageIdentity"], published: false, since: "2.1.206" },
  ),
};

export const MESSAGES_OTHER: Topic = topic(
  "messages_other",
  "Everything else",
  {
    RateLimitStatus: oneOf(
      ["allowed", "allowed_warning", "rejected"],
      "Whether a limit lets requests through",
    ),
    RateLimitType: oneOf([
      "five_hour",
      "seven_day",
      "seven_day_opus",
      "seven_day_sonnet",
      "seven_day_overage_included",
      "overage",
    ], "Kind of rate limit of an account"),
    OverageDisabledReason: oneOf([
      "overage_not_provisioned",
      "org_level_disabled",
      "org_level_disabled_until",
      "out_of_credits",
      "seat_tier_level_disabled",
      "member_level_disabled",
      "seat_tier_zero_credit_limit",
      "group_zero_credit_limit",
      "member_zero_credit_limit",
      "org_service_level_disabled",
      "no_limits_configured",
      "fetch_error",
      "unknown",
    ], "Reason overage is not available"),
    RateLimitInfo: shape("State of the rate limits of an account", {
      status: ref("RateLimitStatus", "Whether requests go through"),
      resetsAt: maybe(
        number("Time of the reset, in the format of the API"),
      ),
      rateLimitType: maybe(ref("RateLimitType", "Kind of the limit")),
      utilization: maybe(
        number("Share of the limit that is used, in the format of the API"),
      ),
      overageStatus: maybe(
        ref("RateLimitStatus", "Whether requests beyond the limit go through"),
      ),
      overageResetsAt: maybe(
        number(
          "Time the overage resets, in the format of the API",
        ),
      ),
      overageDisabledReason: maybe(
        ref("OverageDisabledReason", "Reason for having no overage"),
      ),
      isUsingOverage: maybe(flag("Whether this request counted as overage")),
      overageInUse: maybe(flag("Whether overage is in use")),
      overageEnabled: maybe(flag("Whether overage is switched on")),
      surpassedThreshold: maybe(
        number("The warning threshold that was passed"),
      ),
      limitScope: maybe(
        oneOf(["service", "channel", "group_pool"], "Scope of the limit"),
      ),
      errorCode: maybe(literal("credits_required", "Error code of the API")),
      canUserPurchaseCredits: maybe(flag("Whether the user may buy credits")),
      hasChargeableSavedPaymentMethod: maybe(
        flag("Whether a payment method is saved"),
      ),
    }),
    ...KINDS,
    UnknownMessage: shape(
      "A message of a kind this package does not know.\n\nThe CLI adds kinds at any time: this is never an error",
      {
        type: tag("unknown"),
        originalType: text("The `type` on the wire"),
        originalSubtype: maybe(
          text("The `subtype` on the wire, if it is a string"),
        ),
        raw: object("The message as it came"),
      },
      { made: true },
    ),

    Message: known(
      union(
        [
          ...[
            "AssistantMessage",
            "UserMessage",
            "UserMessageReplay",
            "ResultMessage",
            "StreamEventMessage",
            "SystemMessage",
          ],
          ...Object.keys(KINDS),
          "UnknownMessage",
        ].map((name) => ref(name)),
        "One message of the CLI: the wire object itself, distinguished by `type`, then `subtype`.\n\nFields that this package does not know are kept at run time. Keep a `default` branch in a `switch`: the CLI adds kinds, which come as {@link UnknownMessage}",
      ),
      { source: "Messages on stdout" },
    ),
  },
);

function other(
  type: string,
  about: string,
  fields: Fields,
  facts: ShapeFacts = {},
) {
  return shape(about, { type: tag(type), ...fields }, {
    extends: ["MessageIdentity"],
    ...facts,
  });
}
