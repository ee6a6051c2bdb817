import type { Clock } from "../ports/clock.ts";
import type { McpConnection } from "../ports/mcp.ts";
import type { JsonInput, JsonObject, JsonValue } from "./json.ts";
import type { McpServerConfig, McpServerInstance } from "./mcp.ts";
import type { ToolAnnotations } from "./mcp_tool.ts";
import type { TraceContext } from "./observer.ts";

/** One server of a hub. */
export type HubServerConfig = McpServerConfig & {
  /** Its name; required in the array form, the key in the record form. */
  readonly name?: string | undefined;
  /**
   * Whether what it says of its tools (`readOnlyHint`, `idempotentHint`) decides about repeating their calls.
   *
   * `true` for servers of this program, `false` for all others.
   */
  readonly trustAnnotations?: boolean | undefined;
};

/** A server in a record for a hub: how to reach it, or one of this program as it is; lists take those of this package. */
export type HubServerInput = HubServerConfig | McpServerInstance;

/** Offer of a client to a server in the handshake. */
export interface DialOffer {
  /** Capabilities, such as `{ sampling: {} }`; by default one for each handler of the hub. */
  readonly capabilities: JsonObject;
}

/**
 * Connects to one server and completes the handshake.
 *
 * Its configuration always has a name here. The connection is the hub's own from then on, which closes it.
 */
export type Dialer = (
  config: HubServerConfig,
  signal: AbortSignal,
  offer: DialOffer,
) => Promise<McpConnection>;

/** Options for retrying failed calls. */
export interface RetryOptions {
  /** Maximum number of attempts, the first included; 5. */
  readonly attempts?: number | undefined;
  /** First ceiling of the wait, in milliseconds; 500. */
  readonly baseMs?: number | undefined;
  /** Highest ceiling of the wait, in milliseconds; 30 000. */
  readonly capMs?: number | undefined;
  /** `"safe"` repeats a call only if it did not run or is safe to run twice, `"always"` after every failure; `"safe"` by default. */
  readonly policy?: "safe" | "always" | undefined;
}

/** A question of a server to the program behind a hub. */
export interface ServerRequestContext {
  /** Name of the server that asks. */
  readonly server: string;
  /** Aborted when the server cancels the request or the hub closes. */
  readonly signal: AbortSignal;
}

/** Answers a question of a server. */
export type ServerRequestHandler = (
  request: JsonObject,
  context: ServerRequestContext,
) => JsonValue | JsonInput | Promise<JsonValue | JsonInput>;

/** A request of a hub to a server. */
export interface HubRequest {
  /** Name of the server. */
  readonly server: string;
  /** Its method: `tools/call`, `tools/list`, `initialize` for a connection, ... */
  readonly method: string;
  /** The tool, of a call: its bare name on the server. */
  readonly tool?: string | undefined;
}

/** End of a request of a hub. */
export interface HubRequestEnd {
  /** Number of attempts. */
  readonly attempts: number;
  /** Why it failed; absent for an answer. */
  readonly error?: unknown;
  /** Whether the answer is the failure of a tool. */
  readonly isError: boolean;
}

/** Observes one request; every member is optional, a throwing one is ignored. */
export interface HubRequestObserver {
  /** Returns the span that the server continues, sent in `_meta`; none = the active one. */
  readonly trace?: (() => TraceContext | undefined) | undefined;
  /** An attempt failed, and another one begins. */
  readonly retry?: ((error: unknown) => void) | undefined;
  /** It is over; called once. */
  readonly end?: ((end: HubRequestEnd) => void) | undefined;
}

/** Events of a hub; every member is optional. */
export interface HubMetrics {
  /** A request begins; returns its observer. Called in the stack of the caller, or behind promises of its own. */
  readonly request?:
    | ((request: HubRequest) => HubRequestObserver | undefined)
    | undefined;
}

/** Settings of a hub. */
export interface HubOptions {
  /** Receives metrics. */
  readonly metrics?: HubMetrics | undefined;
  /** Whether one failing server fails all (`"strict"`) or the others stay (`"partial"`); `"strict"`. */
  readonly onFailure?: "strict" | "partial" | undefined;
  /** Answers elicitations; the capability is offered only when set. */
  readonly onElicitation?: ServerRequestHandler | undefined;
  /** Answers sampling requests; the capability is offered only when set. */
  readonly onSampling?: ServerRequestHandler | undefined;
  /** Answers `roots/list`; the capability is offered only when set. */
  readonly roots?: ServerRequestHandler | undefined;
  /** Timeout of one call of these three handlers, in milliseconds; timeouts of tool calls are paused meanwhile; 120 000. */
  readonly questionTimeoutMs?: number | undefined;
  /** Repeating of failed calls. */
  readonly retry?: RetryOptions | undefined;
  /** Names the toolkit of a tool; `prefixToolkit`. */
  readonly classifier?: ((tool: CatalogTool) => string) | undefined;
  /** Replaces the function that connects to a server. */
  readonly connect?: Dialer | undefined;
  /** Called with every new catalogue after the first. */
  readonly onListChanged?: ((catalog: Catalog) => void) | undefined;
  /** Called for problems in the background: a failed refetch, a duplicate name. */
  readonly onWarning?: ((message: string) => void) | undefined;
  /** Time of the waits between attempts and before a list is read again; limits run in real time. */
  readonly clock?: Clock | undefined;
  /** Numbers from 0 up to 1; a cryptographic source. */
  readonly random?: (() => number) | undefined;
}

/** Settings of one request through a hub. */
export interface HubRequestOptions {
  /** Cancels the request and every wait. */
  readonly signal?: AbortSignal | undefined;
  /** Timeout of one attempt, in milliseconds; the server's `callTimeoutMs`. */
  readonly timeoutMs?: number | undefined;
}

/** Settings of one call through a hub. */
export interface CallOptions extends HubRequestOptions {
  /** Whether the call is safe to repeat after an attempt that possibly ran. */
  readonly idempotent?: boolean | undefined;
  /** Called with each progress notification, which resets `timeoutMs`. */
  readonly onProgress?: ((progress: JsonObject) => void) | undefined;
  /** Further facts for the server (`_meta`). */
  readonly meta?: JsonInput | undefined;
}

/** One item of a list, as its server sent it, and the name of that server. */
export type ServerItem = JsonObject & {
  /** Server that has it. */
  readonly server: string;
};

/** One tool of a catalogue. */
export interface CatalogTool {
  /** The name to call it by: `server__tool`, at most 64 characters, collision-proof. */
  readonly name: string;
  /** Name of its server. */
  readonly server: string;
  /** Its bare name on that server. */
  readonly tool: string;
  /** The toolkit its classifier names. */
  readonly toolkit: string;
  /** Title to show. */
  readonly title?: string;
  /** Its description. */
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly inputSchema: JsonObject;
  /** JSON Schema of its structured content. */
  readonly outputSchema?: JsonObject;
  /** Hints of the server. */
  readonly annotations?: ToolAnnotations;
  /** Whether it can only run as a task, which a plain call cannot do. */
  readonly needsTask: boolean;
  /** Size of its definition in bytes. */
  readonly bytes: number;
  /** Estimated tokens of its definition. */
  readonly tokens: number;
}

/** A frozen snapshot of all tools of a hub. */
export interface Catalog {
  /** Counts up with each change; 0 = not connected yet. */
  readonly revision: number;
  /** Every tool, by server, then by bare name. */
  readonly tools: readonly CatalogTool[];
  /** The same by server; a server without tools has an empty list. */
  readonly byServer: Readonly<Record<string, readonly CatalogTool[]>>;
  /** The same by toolkit. */
  readonly toolkits: Readonly<Record<string, readonly CatalogTool[]>>;
  /** Estimated tokens of all definitions together. */
  readonly tokens: number;
}

/** State of one server of a hub. */
export interface ServerStatus {
  /** State of the server. */
  readonly state:
    | "idle"
    | "connecting"
    | "connected"
    | "failed"
    | "lost"
    | "closed";
  /** Why it failed or was lost. */
  readonly error?: unknown;
  /** Duration of connecting, in milliseconds. */
  readonly connectMs?: number;
  /** Number of its tools. */
  readonly toolCount: number;
  /** Estimated tokens of their definitions. */
  readonly tokens: number;
  /** Number of reconnects. */
  readonly reconnects: number;
}
