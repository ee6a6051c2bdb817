import { isObject, textOfError } from "../errors/text.ts";
import { Deferred } from "../async/deferred.ts";
import { LONGEST_TIMER_MS } from "../async/system_clock.ts";
import type {
  McpConnection,
  McpServeHandler,
  McpServerInfo,
} from "../ports/mcp.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import {
  closedFailure,
  type Delivery,
  JsonRpcError,
  McpFailure,
} from "./failure.ts";
import {
  answerRepair,
  answersTo,
  isAnswer,
  type RawMessage,
} from "./answers.ts";
import {
  internalError,
  KNOWN_VERSIONS,
  methodNotFound,
  NEWEST_VERSION,
} from "./jsonrpc.ts";
import { type Call, OpenCalls } from "./call.ts";
import type { ConnectOptions } from "./connect.ts";
import { VERSION } from "../version.ts";
import type { TransportSetup } from "./client_transport.ts";
import { listsOf } from "./lists.ts";

/** The schemas of results would drop what they do not know; validation is done elsewhere. */
const ANYTHING = {
  safeParse: (data: unknown) => ({ success: true, data }),
} as never;

const NO_VALIDATOR = {
  getValidator: () => (data: unknown) => ({
    valid: true,
    data,
    errorMessage: undefined,
  }),
} as never;

/** What this package says of itself to a server; a test compares it with the package. */
const CLIENT_INFO = { name: "sluice", title: "Sluice", version: VERSION };

/** A call on its way. */
interface Sent {
  readonly call: Call;
  /** Whether the server is to tell of progress. */
  readonly isWatched: boolean;
  /** The id it travels under, and the token of its progress. */
  id?: number;
}

/** Opens a connection over a transport, through the client of the MCP SDK; who called closes the transport when it fails. */
export async function openSdkConnection(
  name: string,
  { capabilities = {}, deadlines, log }: ConnectOptions,
  setup: TransportSetup,
): Promise<McpConnection> {
  // The path with `.js` is what exists, the one without is what has types in Deno.
  const [{ Client }, { McpError }] = await Promise.all([
    import("@modelcontextprotocol/sdk/client"),
    import("@modelcontextprotocol/sdk/types.js") as Promise<
      typeof import("@modelcontextprotocol/sdk/types")
    >,
  ]);
  const client = new Client(CLIENT_INFO, {
    capabilities,
    // Without one the client makes a validator at once, and knows the schemas of the last page alone.
    jsonSchemaValidator: NO_VALIDATOR,
  });
  const closed = new Deferred<unknown>();
  const sessionLost = new Deferred<McpFailure>();
  const listeners = new Set<(method: string, params?: JsonObject) => void>();
  const calls = new OpenCalls({ server: name, deadlines });
  /** Calls by the id they travel under. */
  const sentCalls = new Map<number, Sent>();
  const repair = answerRepair(name, log);
  /** The id of `initialize`, and the answer to it as the server sent it; the client keeps parts of it alone. */
  let introductionId: number | undefined;
  let introduction: JsonObject | undefined;
  let refusal: JsonRpcError | undefined;
  /** Rejected when there will be no answer to `initialize`. */
  const introductionLost = new Deferred<never>();
  introductionLost.promise.catch(() => {});
  /** The newest id that was sent. */
  let newestId = -1;
  let hasForeignAnswer = false;
  /** The one that the client is being called for. */
  let starting: Sent | undefined;
  let handler: McpServeHandler | undefined;
  let closing: Promise<void> | undefined;

  const { transport, exchanges } = setup;
  if (exchanges !== undefined) {
    exchanges.onLost = (id, lost) => {
      if (id === introductionId) introductionLost.reject(lost);
      else sentCalls.get(id)?.call.end(lost);
    };
    exchanges.onSessionLost = (failure) => sessionLost.resolve(failure);
  }
  listenToClient();
  watchSends();
  // The client calls what it finds here before its own.
  transport.onmessage = see;
  const server = await introduce();
  const connection: McpConnection = {
    name,
    server,
    closed: closed.promise,
    sessionLost: sessionLost.promise,
    request: (method, params, options = {}) =>
      calls.run(method, options, (call) => {
        const isWatched = options.onProgress !== undefined;
        return ask(method, params, { call, isWatched });
      }),
    async notify(method, params) {
      if (closed.isSettled) throw gone("not_sent");
      await client.notification(withParams(method, params));
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    serve: (given) => void (handler = calls.resting(given)),
    close: () => closing ??= close(),
  };
  setup.onGap?.(() => {
    for (const list of listsOf(server)) {
      hear(`notifications/${list}/list_changed`, undefined);
    }
  });
  return connection;

  async function close(): Promise<void> {
    try {
      if (!closed.isSettled) await setup.beforeClose?.();
    } finally {
      await transport.close();
      closed.resolve(undefined);
    }
  }

  async function introduce(): Promise<McpServerInfo> {
    try {
      await Promise.race([
        // It has the members of a transport that the client uses.
        client.connect(transport as never, { timeout: LONGEST_TIMER_MS }),
        introductionLost.promise,
      ]);
    } catch (thrown) {
      const error = refusal ?? wrongVersion(introduction) ??
        malformed(thrown) ?? thrown;
      // The end of the transport says more than the client does of it.
      const cause = setup.causeOf?.();
      throw cause ?? (closed.isSettled ? error : failureOf(error));
    }
    return infoOf(introduction);
  }

  function listenToClient(): void {
    client.fallbackRequestHandler = async ({ method, params }, { signal }) => {
      if (handler === undefined) throw methodNotFound(method);
      const request = params as JsonObject | undefined;
      try {
        return await handler(method, request, { signal }) as JsonObject;
      } catch (error) {
        // Of anything else the client would look for a code, or fail at nothing.
        if (error instanceof JsonRpcError) throw error;
        throw internalError(textOfError(error));
      }
    };
    client.onerror = (error) => {
      log.debug("MCP server", { server: name, error: error.message });
    };
    client.onclose = () => closed.resolve(setup.causeOf?.());
  }

  async function ask(
    method: string,
    params: JsonObject | undefined,
    sent: Sent,
  ): Promise<JsonValue> {
    if (closed.isSettled) throw gone("not_sent");
    // One for each: the client never takes its listener back. It tells the server the reason.
    const ended = new AbortController();
    sent.call.onEnd = (reason) => ended.abort(textOfError(reason));
    try {
      starting = sent;
      const answer = client.request(withParams(method, params), ANYTHING, {
        signal: ended.signal,
        // Limits are the call's own.
        timeout: LONGEST_TIMER_MS,
      });
      starting = undefined;
      return await answer as JsonValue;
    } catch (error) {
      throw failureOf(error);
    } finally {
      if (sent.id !== undefined) {
        sentCalls.delete(sent.id);
        exchanges?.settled(sent.id);
      }
    }
  }

  /** The client does not tell under which id a request travels; it sends while it is being called. */
  function watchSends(): void {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      const sent = starting;
      const { id, method, params } = message;
      if (typeof id !== "number" || method === undefined) {
        return send(message, options);
      }
      newestId = id;
      if (method === "initialize") introductionId = id;
      if (sent === undefined) return send(message, options);
      starting = undefined;
      sent.id = id;
      sentCalls.set(id, sent);
      if (sent.isWatched) {
        const asked = isObject(params) ? params : {};
        const meta = isObject(asked._meta) ? asked._meta : {};
        const watched = { ...asked, _meta: { ...meta, progressToken: id } };
        // The id comes last, as the client has it.
        message = { method, params: watched, jsonrpc: "2.0", id } as JsonObject;
      }
      if (exchanges === undefined) return send(message, options);
      const onresumptiontoken = (token: string) => {
        // An event may come after the answer.
        if (sentCalls.has(id)) exchanges.resumable(id, token);
      };
      return send(message, { ...options, onresumptiontoken });
    };
  }

  /**
   * Looks at each message before the client does.
   *
   * The client takes notifications a turn later than answers: progress right before an answer would be lost.
   */
  function see(message: JsonObject): void {
    if (isAnswer(message)) return seeAnswer(message);
    const { method, id, params } = message;
    if (typeof method !== "string" || id !== undefined) return;
    const facts = isObject(params) ? params : undefined;
    if (method === "notifications/progress") onProgress(facts);
    else if (method !== "notifications/cancelled") hear(method, facts);
  }

  /** The client goes by the number that an id would make; an answer to nothing that was sent must not meet one. */
  function seeAnswer(message: RawMessage): void {
    repair(message);
    const id = Number(message.id);
    if (!answersTo(message, id) || id < 0 || id > newestId) {
      const fields = { server: name, id: message.id };
      message.id = -1;
      if (hasForeignAnswer) return;
      hasForeignAnswer = true;
      const text = "MCP server answered a request that was never sent";
      return log.warn(text, fields);
    }
    if (id !== introductionId) return;
    const { result, error } = message;
    if (isObject(result)) introduction ??= result;
    if (!isObject(error)) return;
    const { code, message: text, data } = error;
    refusal ??= new JsonRpcError(Number(code), String(text), { data });
  }

  function onProgress({ progressToken, ...progress }: JsonObject = {}): void {
    // Some servers make a text of the number.
    const sent = sentCalls.get(Number(progressToken));
    if (sent?.isWatched) sent.call.onProgress(progress);
  }

  function hear(method: string, params: JsonObject | undefined): void {
    for (const listener of listeners) {
      try {
        listener(method, params);
      } catch (error) {
        log.warn("Listener of an MCP server failed", {
          server: name,
          method,
          error: textOfError(error),
        });
      }
    }
  }

  /** What a rejection of the client means; its own state tells an answer from a lost connection, not the text. */
  function failureOf(error: unknown): unknown {
    if (error instanceof McpFailure || error instanceof JsonRpcError) {
      return error;
    }
    if (closed.isSettled) return gone("unknown");
    if (error instanceof McpError) {
      const { code, data } = error;
      const text = error.message.replace(`MCP error ${code}: `, "");
      return new JsonRpcError(code, text, { data });
    }
    return setup.explain?.(error) ??
      new McpFailure(textOfError(error), { kind: "protocol", cause: error });
  }

  function gone(delivery: Delivery): McpFailure {
    return closedFailure(name, delivery, setup.causeOf?.());
  }
}

function withParams(
  method: string,
  params: JsonObject | undefined,
): { method: string; params?: { [key: string]: unknown } } {
  return params === undefined ? { method } : { method, params };
}

/** What to say of a version that is not spoken here: the client names the server's only. */
function wrongVersion(result: JsonObject = {}): Error | undefined {
  const { protocolVersion: version } = result;
  if (typeof version !== "string" || KNOWN_VERSIONS.includes(version)) return;
  return new Error(
    `Protocol version is not supported: the server answered "${version}", this client speaks "${NEWEST_VERSION}" and older`,
  );
}

/** Names the members of an answer to `initialize` that are not as the protocol has them; the client lists them in its own form. */
function malformed(error: unknown): Error | undefined {
  if (!(error instanceof Error) || !("issues" in error)) return;
  const { issues } = error;
  if (!Array.isArray(issues)) return;
  const faults = issues.map(({ path, message }) =>
    `"${["result", ...path ?? []].join(".")}": ${message}`
  );
  const text = `Answer to initialize is malformed: ${faults.join("; ")}`;
  return new Error(text, { cause: error });
}

/** What a server said of itself. */
function infoOf(result: JsonObject = {}): McpServerInfo {
  const { serverInfo, capabilities, instructions, protocolVersion } = result;
  const { name, version } = isObject(serverInfo) ? serverInfo : {};
  return {
    name: typeof name === "string" ? name : "",
    version: typeof version === "string" ? version : "",
    capabilities: isObject(capabilities) ? capabilities : {},
    protocolVersion: typeof protocolVersion === "string"
      ? protocolVersion
      : NEWEST_VERSION,
    ...typeof instructions === "string" && { instructions },
  };
}
