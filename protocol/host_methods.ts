/** A method of a conversation that sends no request of its own, or any. */
export interface HostMethod {
  /** Its row in the table of `docs/guide.md`. */
  readonly group: string;
  readonly description: string;
  /** The field of the reply to `initialize` that it gives; without it the method is written by hand. */
  readonly told?: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly reply: string;
}

/** The methods by name; all others belong to a request, in `control_host.ts`. */
export const HOST_METHODS: Readonly<Record<string, HostMethod>> = {
  supportedCommands: {
    group: "what there is",
    description: "Lists the commands of the `initialize` reply; sends nothing",
    told: "commands",
    reply: "readonly SlashCommand[]",
  },
  supportedAgents: {
    group: "what there is",
    description: "Lists the subagents of the `initialize` reply; sends nothing",
    told: "agents",
    reply: "readonly AgentInfo[]",
  },
  accountInfo: {
    group: "what there is",
    description: "Tells the account of the `initialize` reply; sends nothing",
    told: "account",
    reply: "AccountInfo",
  },
  reinitialize: {
    group: "the session",
    description:
      "Sends `initialize` once more, for a transport that lost lines: questions that the CLI still waits for (permissions, dialogs, elicitations) come again, and each is served once. `ready` stays what it was.\n\nThe CLI registers the hooks anew, and gives up those that it waits for: a tool call that waits for its `PreToolUse` hook is denied, and the model may try again",
    reply: "SessionInfo",
  },
  request: {
    group: "anything newer",
    description:
      "Sends any request by its subtype, for what is newer than this package; a void answer gives `{}`",
    parameters: {
      subtype: "string",
      "fields?": "JsonInput",
    },
    reply: "JsonObject",
  },
};
