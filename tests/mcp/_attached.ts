import { safeLogger, systemClock } from "@sluice/agent/extend";
import { Deadlines } from "../../src/async/deadline.ts";
import type {
  AgentError,
  JsonObject,
  JsonValue,
  McpServerConfig,
} from "@sluice/agent";
import {
  type AttachedServers,
  type AttachOptions,
  attachServers,
} from "../../src/mcp/attached.ts";
import type { ControlContext } from "../../src/types/controls.ts";

/** Options of {@link Conversation} beside its servers. */
export interface ConversationOptions {
  readonly mcpMs?: number;
  readonly cwd?: string;
  readonly all?: Readonly<Record<string, McpServerConfig>>;
  readonly elicitation?: AttachOptions["elicitation"];
}

/** The part of a conversation that servers are attached to, and the CLI that asks them. */
export class Conversation {
  readonly reported: AgentError[] = [];
  readonly warnings: string[] = [];
  /** Messages of servers to the CLI: name and message. */
  readonly said: [string, JsonObject][] = [];
  readonly metrics: string[] = [];
  readonly controller: AbortController = new AbortController();
  readonly #deadlines = new Deadlines(systemClock);
  #attached: AttachedServers | undefined;
  #nextRequest = 0;

  async attach(
    servers: Readonly<Record<string, McpServerConfig>>,
    { mcpMs = 20_000, cwd, all, elicitation }: ConversationOptions = {},
  ): Promise<AttachedServers> {
    const nothing = () => {};
    this.#attached = await attachServers({
      servers,
      signal: this.controller.signal,
      settings: {
        shutdown: { guardProcess: true },
        clock: systemClock,
        timeouts: { mcpMs },
        options: {
          ...cwd !== undefined && { cwd },
          ...all !== undefined && { mcpServers: all },
        },
      },
      deadlines: this.#deadlines,
      report: (error) => this.reported.push(error),
      shown: (value) => value,
      metrics: new Proxy({}, {
        get: (_target, name) => (...args: unknown[]) =>
          this.metrics.push([String(name), args[0]].join(" ")),
      }) as AttachOptions["metrics"],
      log: safeLogger({
        debug: nothing,
        info: nothing,
        warn: (message) => this.warnings.push(message),
        error: nothing,
      }),
      send: (server, message) => this.said.push([server, message]),
      elicitation,
    });
    return this.#attached;
  }

  get attached(): AttachedServers {
    if (this.#attached === undefined) throw new Error("Not attached");
    return this.#attached;
  }

  /** Sends one `mcp_message`; gives the `response` object, or `undefined` when nothing is answered. */
  async send(
    server: string,
    message: JsonValue,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<JsonObject | undefined> {
    const context: ControlContext = {
      requestId: `r${this.#nextRequest++}`,
      signal,
    };
    const request = { subtype: "mcp_message", server_name: server, message };
    return await this.attached.handle(request, context);
  }

  /** Sends a request and gives the JSON-RPC answer. */
  async ask(
    server: string,
    method: string,
    { params, id = 1 }: {
      readonly params?: JsonObject;
      readonly id?: number | string;
    } = {},
  ): Promise<JsonObject> {
    const message = { jsonrpc: "2.0", id, method, ...params && { params } };
    const response = await this.send(server, message);
    return response?.mcp_response as JsonObject;
  }

  /** Calls a tool and gives the JSON-RPC answer. */
  call(
    server: string,
    name: string,
    { args = {}, id = 1, meta = {} }: {
      readonly args?: JsonObject;
      readonly id?: number;
      readonly meta?: JsonObject;
    } = {},
  ): Promise<JsonObject> {
    const params = { name, arguments: args, _meta: meta };
    return this.ask(server, "tools/call", { params, id });
  }

  async close(): Promise<void> {
    try {
      await this.#attached?.close();
    } finally {
      this.#deadlines.close();
    }
  }
}

/** Runs with servers attached, and closes them. */
export async function withAttached(
  servers: Readonly<Record<string, McpServerConfig>>,
  run: (conversation: Conversation) => Promise<void>,
  options?: ConversationOptions,
): Promise<void> {
  const conversation = new Conversation();
  try {
    await conversation.attach(servers, options);
    await run(conversation);
  } finally {
    await conversation.close();
  }
}

/** The text of a tool's answer. */
export function textOfAnswer({ result }: JsonObject): string {
  const { content } = result as {
    readonly content: readonly { readonly text: string }[];
  };
  return content[0]?.text ?? "";
}
