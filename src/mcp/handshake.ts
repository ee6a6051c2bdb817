import { isObject } from "../errors/is_object.ts";
import { LONGEST_TIMER_MS } from "../async/system_clock.ts";
import type { McpServerInfo } from "../ports/mcp.ts";
import type { JsonObject } from "../types/json.ts";
import type { McpFailure } from "./failure.ts";
import { KNOWN_VERSIONS, NEWEST_VERSION } from "./jsonrpc.ts";
import { VERSION } from "../version.ts";

/** The part of a transport of the MCP SDK that this package makes or uses. */
export interface ClientTransport {
  start(): Promise<void>;
  send(message: JsonObject, options?: object): Promise<void>;
  /** Closes it; idempotent. */
  close(): Promise<void>;
  onclose?: (() => void) | undefined;
  /** Called with what went wrong without ending it. */
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JsonObject) => void) | undefined;
}

/** A transport, and what a connection must know of it beside. */
export interface TransportSetup {
  readonly transport: ClientTransport;
  /** Why it ended; `undefined` when it has not, or was closed by us. */
  readonly causeOf?: () => unknown;
  /** Called when the handshake is done. */
  readonly onOpen?: () => void;
  /** Ends a session in good order, before the transport is closed. */
  readonly beforeClose?: () => Promise<void>;
  /** Takes the function that fails one request whose answer was lost, by the id it travelled under. */
  readonly onLost?: (fail: (id: number, failure: McpFailure) => void) => void;
  /** Called when the transport can ask again for the rest of a request's stream, after the event of that id. */
  readonly onResumable?: (id: number, token: string) => void;
  /** Called when nobody waits for the answer to a request any more. */
  readonly onSettled?: (id: number) => void;
  /** Takes the function to call when the server may have said something that was missed. */
  readonly onGap?: (tell: () => void) => void;
  /** Makes sense of an error that is neither an answer nor ours. */
  readonly explain?: (error: unknown) => McpFailure | undefined;
}

/** What this package says of itself to a server; a test compares it with the package. */
const CLIENT_INFO = {
  name: "sluice",
  title: "Sluice",
  version: VERSION,
} as const;

export type SdkClient = InstanceType<
  typeof import("@modelcontextprotocol/sdk/client")["Client"]
>;

/** Makes a client that offers this to its server; gives the class of what it rejects with as well. The path with `.js` is what exists, the one without is what has types in Deno. */
export async function loadClient(capabilities: JsonObject): Promise<{
  readonly client: SdkClient;
  readonly McpError: typeof import("@modelcontextprotocol/sdk/types").McpError;
}> {
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
  return { client, McpError };
}

const NO_VALIDATOR = {
  getValidator: () => (data: unknown) => ({
    valid: true,
    data,
    errorMessage: undefined,
  }),
} as never;

/** Opens the transport and shakes hands; gives what the server said of itself. */
export async function shakeHands(
  client: SdkClient,
  { transport, seen }: {
    readonly transport: ClientTransport;
    /** The answer to `initialize` as the server sent it; the client keeps parts of it alone. */
    readonly seen: { readonly result?: JsonObject };
  },
): Promise<McpServerInfo> {
  try {
    // It has the members of a transport that the client uses.
    await client.connect(
      transport as unknown as Parameters<SdkClient["connect"]>[0],
      { timeout: LONGEST_TIMER_MS },
    );
  } catch (error) {
    throw wrongVersion(seen.result) ?? error;
  }
  return infoOf(seen.result ?? {});
}

/** The client names the server's version only. */
function wrongVersion(result: JsonObject | undefined): Error | undefined {
  const version = result?.protocolVersion;
  if (typeof version !== "string" || KNOWN_VERSIONS.includes(version)) {
    return undefined;
  }
  return new Error(
    `Protocol version is not supported: the server answered "${version}", this client speaks "${NEWEST_VERSION}" and older`,
  );
}

function infoOf(result: JsonObject): McpServerInfo {
  const { serverInfo, capabilities, instructions, protocolVersion } = result;
  const { name, version } = isObject(serverInfo) ? serverInfo : {};
  return {
    name: textOf(name) ?? "",
    version: textOf(version) ?? "",
    capabilities: isObject(capabilities) ? capabilities : {},
    protocolVersion: textOf(protocolVersion) ?? NEWEST_VERSION,
    ...(typeof instructions === "string" ? { instructions } : {}),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
