import { Correlator } from "../async/correlator.ts";
import { Deadlines, settleWithin } from "../async/deadline.ts";
import { Deferred } from "../async/deferred.ts";
import { systemClock } from "../async/system_clock.ts";
import { isObject, typeOf } from "../errors/text.ts";
import { INTERNAL_ERROR, NEWEST_VERSION } from "../mcp/jsonrpc.ts";
import type { RequestId, RpcMessage } from "../mcp/jsonrpc.ts";
import type { JsonObject } from "../types/json.ts";
import { ToolServer } from "./mcp_server.ts";
import type {
  McpSdkServerConfigWithInstance,
  McpTransport,
} from "./generated/types.ts";
import { ENDED, SDK_VERSION } from "./errors.ts";
import { plainJson } from "./flags.ts";

/** Longest delay of `initialize` for the tools of slow servers, in milliseconds. */
const MANIFEST_MS = 250;

/** One server of this program. */
interface Attached {
  readonly link: Link;
  readonly connected: Promise<void>;
  /** Settles when this package has loaded what the list of tools needs. */
  readonly loaded: Promise<unknown> | undefined;
  settings: JsonObject;
}

/** A connection to a server, from the side of the CLI. */
class Link implements McpTransport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: RpcMessage) => void;
  readonly #open = new Correlator<unknown, undefined, RpcMessage>(
    new Deadlines(systemClock),
  );
  readonly #tell: (message: RpcMessage) => void;
  #isClosed = false;

  constructor(tell: (message: RpcMessage) => void) {
    this.#tell = tell;
  }

  async start(): Promise<void> {}

  /** The server sends a message. */
  // deno-lint-ignore require-await -- throws by its promise
  async send(message: RpcMessage): Promise<void> {
    if (this.#isClosed) throw new Error("Transport is closed");
    const asked = "method" in message ? undefined : this.#open.take(message.id);
    if (asked === undefined) this.#tell(message);
    else asked.resolve(answered(message));
  }

  // deno-lint-ignore require-await -- as the type has it
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const asked of this.#open.takeAll()) {
      asked.reject(new Error(ENDED.closed));
    }
    this.onclose?.();
  }

  /** Hands a message to the server; returns the answer to a request. */
  ask(message: RpcMessage): Promise<RpcMessage> | undefined {
    const { id } = message;
    const listen = this.onmessage;
    if (id === undefined || id === null || !("method" in message)) {
      listen?.(message);
      return undefined;
    }
    if (listen === undefined) {
      return Promise.reject(new Error("No message handler registered"));
    }
    const { promise } = this.#open.open(id, undefined);
    listen(message);
    return promise;
  }
}

/** Makes an error of an answer without a result, for which the CLI would wait for ever. */
function answered(message: RpcMessage): RpcMessage {
  const { id, result, error } = message;
  if (error !== undefined || isObject(result)) return message;
  const text = `Server answered with no result, but ${typeOf(result)}`;
  const failure = { code: INTERNAL_ERROR, message: text };
  // An answer has the id of its question.
  return { jsonrpc: "2.0", id: id as RequestId, error: failure };
}

/** The MCP servers of this program that the CLI reaches through its pipes. */
export class SdkServers {
  readonly #all = new Map<string, Attached>();
  readonly #tell: (server: string, message: RpcMessage) => void;
  readonly #manifestMs: number;
  readonly #closed = new Deferred<void>();

  /** Takes the way of a message to the CLI. */
  constructor(
    tell: (server: string, message: RpcMessage) => void,
    manifestMs: number = MANIFEST_MS,
  ) {
    this.#tell = tell;
    this.#manifestMs = manifestMs;
  }

  /** Number of servers. */
  get size(): number {
    return this.#all.size;
  }

  /** Connects one. */
  add(name: string, config: McpSdkServerConfigWithInstance): void {
    const link = new Link((message) => this.#tell(name, message));
    const { instance } = config;
    const connected = Promise.resolve()
      .then(() => instance.connect(link))
      .catch(() => {
        if (this.#all.get(name)?.link === link) this.#all.delete(name);
      });
    const loaded = instance instanceof ToolServer ? instance.list() : undefined;
    const settings = settingsOf(config);
    this.#all.set(name, { link, connected, loaded, settings });
  }

  /** Replaces all, and returns the fields of `mcp_set_servers`. */
  async replace(
    servers: ReadonlyMap<string, McpSdkServerConfigWithInstance>,
  ): Promise<JsonObject> {
    for (const [name, { link }] of this.#all) {
      if (servers.has(name)) continue;
      await link.close();
      this.#all.delete(name);
    }
    for (const [name, config] of servers) {
      const attached = this.#all.get(name);
      const { tools } = settingsOf(config);
      if (attached === undefined) this.add(name, config);
      else if (tools !== undefined) {
        attached.settings = { ...attached.settings, tools };
      }
    }
    return Object.fromEntries(
      [...servers.keys()].map((name) => [name, {
        type: "sdk",
        name,
        ...this.#all.get(name)?.settings,
      }]),
    );
  }

  /** Answers `mcp_message`. */
  async answer(request: JsonObject): Promise<JsonObject> {
    const { server_name: name, message } = request;
    const attached = this.#all.get(String(name));
    if (attached === undefined || !isObject(message)) {
      throw new Error(`SDK MCP server not found: ${String(name)}`);
    }
    await attached.connected;
    const answer = attached.link.ask(message as RpcMessage);
    return {
      mcp_response: answer === undefined
        ? { jsonrpc: "2.0", result: {}, id: 0 }
        : await answer as JsonObject,
    };
  }

  /** The fields of `initialize`; with captured lists of tools the CLI need not ask for them. */
  async fields(isCaptured: boolean): Promise<JsonObject> {
    if (this.#all.size === 0) return {};
    const configs = Object.fromEntries(
      [...this.#all].flatMap(([name, { settings }]) =>
        Object.keys(settings).length === 0 ? [] : [[name, settings]]
      ),
    );
    const manifests = isCaptured ? await this.#manifests() : {};
    return {
      sdkMcpServers: [...this.#all.keys()],
      ...Object.keys(configs).length > 0 && { sdkMcpServerConfigs: configs },
      ...Object.keys(manifests).length > 0 &&
        { sdkMcpServerManifests: manifests },
    };
  }

  /** Disconnects all. */
  close(): void {
    for (const { link } of this.#all.values()) void link.close();
    this.#all.clear();
    this.#closed.resolve();
  }

  async #manifests(): Promise<Record<string, JsonObject>> {
    const manifests: Record<string, JsonObject> = {};
    // The delay is meant for slow servers, not for loading here.
    await Promise.all([...this.#all.values()].map(({ loaded }) => loaded));
    const all = [...this.#all].map(async ([name, attached]) => {
      try {
        const manifest = await manifestOf(attached);
        if (manifest !== undefined) manifests[name] = plainJson(manifest);
      } catch {
        // The CLI will ask it, and get the error.
      }
    });
    const done = Promise.race([Promise.all(all), this.#closed.promise]);
    await settleWithin(done, this.#manifestMs, systemClock);
    // A copy: later ones are not sent.
    return { ...manifests };
  }
}

/** The handshake and the list of tools, as the CLI would get them. */
async function manifestOf(
  { link, connected }: Attached,
): Promise<JsonObject | undefined> {
  await connected;
  const answer = await link.ask({
    jsonrpc: "2.0",
    id: "sdk-manifest-capture:initialize",
    method: "initialize",
    params: {
      protocolVersion: NEWEST_VERSION,
      capabilities: {},
      clientInfo: {
        name: "claude-code",
        title: "Claude Code",
        version: SDK_VERSION,
      },
    },
  });
  const initializeResult = answer?.result;
  if (!isObject(initializeResult)) return undefined;
  link.ask({ jsonrpc: "2.0", method: "notifications/initialized" });
  const { capabilities } = initializeResult as JsonObject;
  if (!isObject(capabilities) || !isObject(capabilities.tools)) {
    return { initializeResult } as JsonObject;
  }
  const list = await link.ask({
    jsonrpc: "2.0",
    id: "sdk-manifest-capture:tools-list",
    method: "tools/list",
  });
  const toolsListResult = list?.result;
  if (!isObject(toolsListResult)) return undefined;
  // A list of several pages is left to the CLI.
  return "nextCursor" in toolsListResult
    ? { initializeResult } as JsonObject
    : { initializeResult, toolsListResult } as JsonObject;
}

/** Settings of a server for the CLI. */
function settingsOf(
  config: McpSdkServerConfigWithInstance,
): JsonObject {
  const { timeout, tools } = config;
  return {
    ...typeof timeout === "number" && timeout > 0 && { timeout },
    ...Array.isArray(tools) && { tools: tools as readonly JsonObject[] },
  };
}
