import type { Core } from "./core.ts";
import type { AttachedServers } from "../mcp/attached.ts";
import type { SetMcpServersReply } from "../protocol/control_replies.ts";
import type { JsonObject } from "../types/json.ts";
import type { McpServerConfig } from "../types/mcp.ts";
import type { ControlHandler } from "../types/controls.ts";
import type { Requests } from "../wire/requests.ts";
import {
  type ServerConfigs,
  serversByOwner,
  wireServers,
} from "../options/server_configs.ts";

/** The way to the CLI, and back. */
interface Control {
  readonly requests: Requests;
  /** Handlers for requests of the CLI, by subtype. */
  readonly handlers: Map<string, ControlHandler>;
}

/** The MCP servers that this package connects for a conversation; nothing of MCP is loaded before there are any. */
export class Servers {
  readonly #conversation: Core;
  readonly #control: Control;
  #attached: Promise<AttachedServers> | undefined;

  constructor(conversation: Core, control: Control) {
    this.#conversation = conversation;
    this.#control = control;
  }

  get isNone(): boolean {
    return this.#attached === undefined;
  }

  /** Connects those that are not the CLI's, all or none; `undefined` when there are none. */
  connect(
    servers: ServerConfigs,
    signal: AbortSignal,
  ): Promise<AttachedServers> | undefined {
    const { ours } = serversByOwner(servers);
    if (Object.keys(ours).length === 0) return undefined;
    return this.#attached = this.#attach(ours, signal);
  }

  /** Names of our servers for a later `initialize`: the CLI has initialized them before. */
  async listed(): Promise<JsonObject | undefined> {
    const names = (await this.#attached)?.names() ?? [];
    return names.length === 0 ? undefined : { sdkMcpServers: names };
  }

  /** Reconnects one of our servers; false if the CLI has to. */
  async reconnect(name: string): Promise<boolean> {
    const attached = await this.#attached;
    if (!attached?.names().includes(name)) return false;
    await attached.reconnect(name);
    return true;
  }

  /**
   * Puts other servers in the place of those there are: ours are connected here, the rest by the CLI.
   *
   * The CLI forgets every server that it is not told of again, so both go out in one request.
   */
  async change(
    servers: ServerConfigs,
    send: (fields: JsonObject) => Promise<JsonObject>,
  ): Promise<SetMcpServersReply> {
    const { ours, theirs } = serversByOwner(servers);
    const wire = wireServers(theirs);
    let reply: JsonObject;
    if (this.isNone && Object.keys(ours).length === 0) {
      reply = await send({ servers: wire });
    } else {
      const { cli, life: { signal } } = this.#conversation;
      cli.scrubber.learn({ documents: [{ mcpServers: servers }] });
      this.#attached ??= this.#attach({}, signal).then((first) => {
        first.begin();
        return first;
      });
      const attached = await this.#attached;
      reply = await attached.replace(
        ours,
        (wired) => send({ servers: { ...wired, ...wire } }),
      );
    }
    // The published shape of the reply is taken at its word.
    return reply as unknown as SetMcpServersReply;
  }

  /** Closes them; bounded, since one may be user code. */
  async close(): Promise<void> {
    const { timeouts } = this.#conversation;
    // Those that did not open have closed themselves.
    const closed = this.#attached?.catch(() => {}).then((all) => all?.close())
      .then(() => true);
    if (closed === undefined) return;
    if (await timeouts.withTimeout("servers", closed)) return;
    const limitMs = timeouts.ms("servers");
    throw new Error(`They did not close within ${limitMs} ms`);
  }

  async #attach(
    servers: Readonly<Record<string, McpServerConfig>>,
    signal: AbortSignal,
  ): Promise<AttachedServers> {
    const { settings, host, deadlines, observation } = this.#conversation;
    const { requests, handlers } = this.#control;
    const { report, log, metrics, redact } = this.#conversation.reporter;
    log.debug("Composed", {
      part: "MCP servers",
      servers: Object.keys(servers),
    });
    const { attachServers } = await import("../mcp/attached.ts");
    const attached = await attachServers({
      servers,
      host,
      signal,
      settings,
      deadlines,
      report,
      log,
      shown: redact,
      metrics: metrics.protocol,
      metaOf: (requestId) => {
        const trace = observation.observer?.trace(requestId);
        return trace && { ...trace };
      },
      ...settings.options.onElicitation !== undefined && {
        elicitation: handlers.get("elicitation"),
      },
      send: (server, message) => {
        // The CLI's acknowledgement is empty, and a lost line is reported by the outbox.
        requests.send("mcp_message", { server_name: server, message })
          .catch(() => {});
      },
    });
    handlers.set("mcp_message", attached.handle);
    return attached;
  }
}
