/** A method of a conversation that sends no request of its own, or an arbitrary one. */
export interface HostMethod {
  /** Its row in the table of `docs/controls.md`. */
  readonly group: string;
  readonly description: string;
  /** The field of the `initialize` reply that it returns; unset = the method is written by hand. */
  readonly told?: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly reply: string;
}

/** The methods by name; all others belong to a request, in `control_host.ts`. */
export const HOST_METHODS: Readonly<Record<string, HostMethod>> = {
  supportedCommands: {
    group: "models, commands, account",
    description:
      "Returns the commands from the reply to `initialize`, without a new request",
    told: "commands",
    reply: "readonly SlashCommand[]",
  },
  supportedAgents: {
    group: "models, commands, account",
    description:
      "Returns the subagents from the reply to `initialize`, without a new request",
    told: "agents",
    reply: "readonly AgentInfo[]",
  },
  accountInfo: {
    group: "models, commands, account",
    description:
      "Returns the account from the reply to `initialize`, without a new request",
    told: "account",
    reply: "AccountInfo",
  },
  reinitialize: {
    group: "the session",
    description:
      "Sends `initialize` again. Call it only after your own `transport` has lost lines.\n\nPending questions (permissions, dialogs, elicitations) are repeated, and each is answered once. The CLI registers the hooks again and abandons pending hook calls: a tool call that waits for its `PreToolUse` hook is denied, and the model may try again",
    reply: "SessionInfo",
  },
  request: {
    group: "any other request",
    description:
      "Sends any other request by its subtype. Returns `{}` if the reply is empty",
    parameters: {
      subtype: "string",
      "fields?": "JsonInput",
    },
    reply: "JsonObject",
  },
};
