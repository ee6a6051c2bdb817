import { isObject } from "../errors/text.ts";
import type { McpServerInfo } from "../ports/mcp.ts";
import type { JsonObject } from "../types/json.ts";
import type { Exchanges } from "./exchanges.ts";
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
  /** What the transport does by HTTP; it loses single answers, and can ask again for the rest of some. */
  readonly exchanges?: Exchanges;
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

/** What to say of a version that is not spoken here: the client names the server's only. */
export function wrongVersion(
  result: JsonObject | undefined,
): Error | undefined {
  const version = result?.protocolVersion;
  if (typeof version !== "string" || KNOWN_VERSIONS.includes(version)) {
    return undefined;
  }
  return new Error(
    `Protocol version is not supported: the server answered "${version}", this client speaks "${NEWEST_VERSION}" and older`,
  );
}

/** What a server said of itself. */
export function infoOf(result: JsonObject = {}): McpServerInfo {
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
