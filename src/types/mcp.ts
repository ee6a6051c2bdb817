import type { McpConnection } from "../ports/mcp.ts";

/** Common options of servers outside of this process. */
export interface McpServerCommon {
  /**
   * Side that connects to the server: this package, as a proxy (`"sdk"`), or the CLI (`"cli"`); `"sdk"`.
   *
   * The CLI hands its whole environment, credentials too, to the programs that it starts.
   */
  readonly via?: "sdk" | "cli" | undefined;
  /** Timeout of connecting and the handshake, in milliseconds; 30 000. */
  readonly connectTimeoutMs?: number | undefined;
  /** Timeout of one call, in milliseconds; 45 000. */
  readonly callTimeoutMs?: number | undefined;
}

/** An MCP server that runs as a program and communicates through stdin and stdout. */
export interface McpStdioConfig extends McpServerCommon {
  /** Kind; the default. */
  readonly type?: "stdio" | undefined;
  /** The program; started without a shell. */
  readonly command: string;
  /** Its arguments. */
  readonly args?: readonly string[] | undefined;
  /** Variables, merged over what is inherited. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /**
   * Inherited environment of the program; `true` = all of it but the agent's own credentials.
   *
   * Those (`ANTHROPIC_*`, `CLAUDE_*`, `AWS_BEARER_TOKEN_BEDROCK`), `CLAUDECODE`, `NODE_OPTIONS` and `DEBUG` are never
   * inherited, only given by `env`; every other secret of this program is. A list narrows it to the variables that it
   * names, `false` to what a process needs to start (PATH, HOME, USER, LOGNAME, SHELL, TERM; on Windows its own).
   * Narrow it for servers you do not trust: whatever they inherit, they can send away.
   */
  readonly inheritEnv?: boolean | readonly string[] | undefined;
  /** Working directory it starts in; that of the conversation, in a hub that of this program. */
  readonly cwd?: string | undefined;
  /** Called with each line of stderr, with every tenth during a flood; an error that it throws becomes a warning. */
  readonly onStderr?: ((line: string) => void) | undefined;
}

/** An MCP server at a URL. */
export interface McpRemoteConfig extends McpServerCommon {
  /** Streamable HTTP, or the older SSE transport. */
  readonly type: "http" | "sse";
  /** Address of the server. */
  readonly url: string | URL;
  /** Sent with every request to it. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Replaces the global `fetch`, for authorisation or tests; it is given addresses, never a `Request`. */
  readonly fetch?:
    | ((url: string | URL, init?: RequestInit) => Promise<Response>)
    | undefined;
}

/** An MCP server inside this program. */
export interface McpSdkConfig {
  /** Kind. */
  readonly type: "sdk";
  /** From `createMcpServer()`, `hub.asMcpServer()`, or an `McpServer` of `@modelcontextprotocol/sdk`. */
  readonly instance: McpServerInstance;
}

/** Configuration of one MCP server. */
export type McpServerConfig = McpStdioConfig | McpRemoteConfig | McpSdkConfig;

/** A value of `mcpServers`: how to reach a server, or one of this program as it is. */
export type McpServerInput = McpServerConfig | McpServerInstance;

/** Anything with `connect(transport)`, such as an `McpServer` of `@modelcontextprotocol/sdk`. */
export interface ForeignMcpServer {
  /** Connects it to a transport of the MCP SDK's shape. */
  // deno-lint-ignore no-explicit-any -- the transport type belongs to another package; any method signature must fit
  connect(transport: any): Promise<void>;
  /** Closes it. */
  close(): Promise<void>;
}

/** An in-process MCP server: it answers requests by direct calls, without text or streams. */
export interface LocalMcpServer {
  /** Name of the server. */
  readonly name: string;
  /** Its version. */
  readonly version: string;
  /** Opens one session of it, under the name it has in a configuration; its own by default. */
  open(name?: string): McpConnection | Promise<McpConnection>;
}

/** An MCP server in this program: one of this package, or of another library. */
export type McpServerInstance = LocalMcpServer | ForeignMcpServer;
