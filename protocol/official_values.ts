import { HOOK_EVENTS } from "./hooks.ts";

/** Constants that the official package exports, by name: description and value; Source: `sdk.mjs` 0.3.332. */
export const OFFICIAL_VALUES: Readonly<
  Record<
    string,
    readonly [string, readonly string[] | Readonly<Record<string, string>>]
  >
> = {
  LEGACY_TOOL_NAME_ALIASES: [
    "Former names of tools, each with the current one",
    {
      Task: "Agent",
      KillShell: "TaskStop",
      KillBash: "TaskStop",
      ListPeers: "ListAgents",
      Brief: "SendUserMessage",
      ListMcpResources: "ListMcpResourcesTool",
      ReadMcpResource: "ReadMcpResourceTool",
      ReadMcpResourceDir: "ReadMcpResourceDirTool",
      ProposeGoal: "SetGoal",
    },
  ],
  HOOK_EVENTS: [
    "Events of hooks",
    HOOK_EVENTS.filter(({ official = true }) => official)
      .map(({ event }) => event),
  ],
  EXIT_REASONS: [
    "Reasons for the end of a session, for the hook `SessionEnd`",
    [
      "clear",
      "resume",
      "logout",
      "prompt_input_exit",
      "other",
    ],
  ],
  ORG_POLICY_LIMIT_PREFIXES: [
    "Beginnings of answers when an organisation has switched the service off",
    [
      "This service is disabled for your org",
    ],
  ],
  USAGE_LIMIT_ERROR_PREFIXES: [
    "Beginnings of answers when a usage limit is reached",
    [
      "You've hit your",
      "You've reached your",
      "You're out of usage credits",
      "Your org is out of usage · add funds to continue",
      "Your org is out of usage · contact your admin",
      "Your seat type doesn't include usage credits",
      "Your seat type doesn't include usage",
      "Your usage allocation has been disabled by your admin",
      "Your group's usage limit is set to $0",
      "Fable 5 requires usage credits",
      "You're out of extra usage",
      "Your seat type doesn't include extra usage",
    ],
  ],
  USAGE_TRANSITION_PREFIXES: [
    "Beginnings of texts about a change in the payment for usage",
    [
      "You're now using usage credits",
      "You're now using your usage allocation",
      "Now using your usage allocation",
      "Now using usage credits",
      "Now using credits",
      "You're now using extra usage",
      "Now using extra usage",
    ],
  ],
  USAGE_WARNING_PREFIXES: ["Beginnings of warnings about a usage limit", [
    "You've used",
    "You're close to",
  ]],
};
