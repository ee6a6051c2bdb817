/** Usage: tokens, money, the context window. */
import {
  anything,
  byName,
  flag,
  list,
  maybe,
  number,
  oneOf,
  orNull,
  part,
  ref,
  seen,
  shape,
  text,
  type Topic,
  topic,
} from "./words.ts";

export const USAGE: Topic = topic("usage", "Shapes", {
  Usage: shape(
    "Tokens of one API message, in the form of the Messages API.\n\nIn an assistant message these are opening values: final numbers are in the result and in `message_delta`",
    {
      input_tokens: number("Tokens read that no cache held"),
      output_tokens: number("Tokens written"),
      cache_creation_input_tokens: maybe(
        orNull(number("Tokens written to the cache")),
      ),
      cache_read_input_tokens: maybe(
        orNull(number("Tokens read from the cache")),
      ),
      cache_creation: maybe(
        orNull(
          ref(
            "CacheCreation",
            "Tokens written to the cache, by lifetime",
          ),
        ),
      ),
      server_tool_use: maybe(
        orNull(ref("ServerToolUsage", "Calls of tools that the API runs")),
      ),
      service_tier: maybe(orNull(text("Tier that served the request"))),
      output_tokens_details: maybe(
        orNull(
          ref("OutputTokensDetails", "Breakdown of the output tokens"),
        ),
      ),
      inference_geo: maybe(orNull(text("Region of inference"))),
      speed: maybe(orNull(text("Speed that served the request"))),
      fallback_credit: seen(
        orNull(anything("Credit for a fallback, unchanged from the API")),
      ),
      iterations: maybe(
        orNull(
          list(
            anything(),
            "Usage of each sampling iteration, unchanged from the API",
          ),
        ),
      ),
    },
  ),
  CacheCreation: shape("Tokens written to the cache, by lifetime", {
    ephemeral_1h_input_tokens: number("Tokens kept for an hour"),
    ephemeral_5m_input_tokens: number("Tokens kept for five minutes"),
  }),
  ServerToolUsage: shape("Calls of tools that the API runs", {
    web_search_requests: number("Web searches"),
    web_fetch_requests: number("Web fetches"),
  }),
  OutputTokensDetails: shape("Breakdown of the output tokens", {
    thinking_tokens: number("Tokens of thinking"),
  }),
  ResultUsage: shape(
    "Tokens of a whole turn, where the CLI fills in what the API left out",
    {
      cache_creation_input_tokens: number("Tokens written to the cache"),
      cache_read_input_tokens: number("Tokens read from the cache"),
      cache_creation: ref(
        "CacheCreation",
        "Tokens written to the cache, by lifetime",
      ),
      server_tool_use: ref(
        "ServerToolUsage",
        "Calls of tools that the API runs",
      ),
      service_tier: text("Tier that served the requests"),
    },
    { extends: ["Usage"] },
  ),
  ModelUsage: shape("Usage of one model in a session", {
    inputTokens: number("Tokens read that no cache held"),
    outputTokens: number("Tokens written"),
    cacheReadInputTokens: number("Tokens read from the cache"),
    cacheCreationInputTokens: number("Tokens written to the cache"),
    webSearchRequests: number("Web searches"),
    costUSD: number("Estimated cost in US dollars"),
    contextWindow: number("Size of the model's context window, in tokens"),
    maxOutputTokens: number(
      "Maximum tokens in one message of the model",
    ),
    thinkingTokens: maybe(number("Tokens of thinking")),
    cacheCreationEphemeral5mInputTokens: maybe(
      number("Tokens written to the cache for five minutes"),
    ),
    cacheCreationEphemeral1hInputTokens: maybe(
      number("Tokens written to the cache for an hour"),
    ),
    canonicalModel: maybe(text("Name of the model without alias or suffix")),
    provider: maybe(text("Provider of the model")),
    costBasis: maybe(
      oneOf(
        ["list", "managed", "unknown"],
        "Source of the prices behind `costUSD`",
      ),
    ),
  }, { source: "Shapes" }),
  SessionUsage: shape("Usage of a session so far", {
    total_cost_usd: number("Estimated cost in US dollars"),
    total_api_duration_ms: number(
      "Time spent in API requests, in milliseconds",
    ),
    total_duration_ms: number("Time since the start, in milliseconds"),
    total_lines_added: number("Lines of code added"),
    total_lines_removed: number("Lines of code removed"),
    model_usage: byName(ref("ModelUsage"), "Use by model"),
  }),
  ExtraUsage: shape(
    "Paid use beyond the limits of a subscription",
    {
      is_enabled: flag("Whether it is switched on"),
      monthly_limit: orNull(number("Limit per month; null = none")),
      used_credits: orNull(number("Usage of this month")),
      utilization: orNull(
        number("Share of the limit that is used, in the format of the API"),
      ),
      currency: maybe(orNull(text("Currency of the amounts"))),
    },
  ),
  UsageReport: shape("Use of the account, as a local command reports it", {
    session: ref("SessionUsage", "Usage of the session so far"),
    rate_limits: orNull(
      shape("The limits of the account; null when they are unknown", {
        limits: orNull(list(ref("UsageReportLimit"), "Each limit")),
        extra_usage: maybe(orNull(ref("ExtraUsage", "Use beyond the limits"))),
      }),
    ),
  }),
  UsageReportLimit: shape("One limit of a {@link UsageReport}", {
    kind: text("Kind of the limit"),
    group: text("Group of the limit"),
    percent: number("Share of the limit that is used, in percent"),
    resets_at: orNull(text("Time of the reset")),
    scope: maybe(
      orNull(
        shape("Scope of the limit; absent = everything", {
          model: maybe(
            orNull(shape("The model", { display_name: text("Name to show") })),
          ),
          surface: maybe(
            orNull(
              shape("The product", { display_name: text("Name to show") }),
            ),
          ),
        }),
      ),
    ),
    severity: text("Severity"),
    is_active: flag("Whether it applies right now"),
  }),
  ContextCategoryKind: oneOf(
    ["used", "free", "buffer", "deferred"],
    "State of a part of the context window: filled, free, reserved, or loaded on demand",
  ),
  ContextUsageShort: shape(
    "Summary of the context window, in tokens",
    {
      model: text("The model"),
      total_tokens: number("Tokens in use"),
      raw_max_tokens: number("Size of the window"),
      percentage: number("Share in use, in percent"),
      over_limit: maybe(
        shape("Excess over the limit of the window", {
          tokens_over: number("Tokens over the limit"),
          kind: oneOf(
            ["hard_limit", "compaction_window"],
            "The exceeded limit",
          ),
        }),
      ),
      categories: list(
        part({
          name: text("Name to show"),
          tokens: number("Its tokens"),
          kind: ref("ContextCategoryKind", "State of the part"),
        }),
        "Parts of the window",
      ),
      mcp_tools: list(
        part({
          name: text("Name of the tool"),
          server_name: text("Name of its server"),
          tokens: number("Its tokens"),
        }),
        "Tools of MCP servers",
      ),
      memory_files: list(
        part({
          path: text("The file"),
          type: text("Owner of the file"),
          tokens: number("Its tokens"),
        }),
        "Memory files",
      ),
      agents: list(
        part({
          agent_type: text("Kind of the subagent"),
          source: text("Source"),
          tokens: number("Its tokens"),
        }),
        "Subagents",
      ),
      skills: maybe(
        list(
          part({
            name: text("Name of the skill"),
            source: text("Source"),
            plugin_name: maybe(text("The plugin that brings it")),
            tokens: number("Its tokens"),
          }),
          "Skills",
        ),
      ),
    },
  ),
});
