import type { McpConnection } from "../ports/mcp.ts";

/** Common options of servers outside of this process. */
export interface McpServerCommon {
  /**
   * Who connects: this package (and proxies), or the CLI; `"sdk"`.
   *
   * The CLI hands its whole environment, credentials too, to the programs that it starts.
   */
  readonly via?: "sdk" | "cli" | undefined;
  /** Limit for connecting and the handshake, in milliseconds; 30 000. */
  readonly connectTimeoutMs?: number | undefined;
  /** Limit for one call, in milliseconds; 45 000. */
  readonly callTimeoutMs?: number | undefined;
}

/** A server that is a program, spoken to through its stdin and stdout. */
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
  /** Hears each line of its stderr, under a flood every 10th; what it throws is a warning. */
  readonly onStderr?: ((line: string) => void) | undefined;
}

/** A server behind a URL. */
export interface McpRemoteConfig extends McpServerCommon {
  /** Streamable HTTP, or the older SSE transport. */
  readonly type: "http" | "sse";
  /** Where it is. */
  readonly url: string | URL;
  /** Sent with every request to it. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Replaces the global `fetch`, for authorisation or tests; it is given addresses, never a `Request`. */
  readonly fetch?:
    | ((url: string | URL, init?: RequestInit) => Promise<Response>)
    | undefined;
}

/** A server that lives in this program. */
export interface McpSdkConfig {
  /** Kind. */
  readonly type: "sdk";
  /** From `createMcpServer()`, `hub.asMcpServer()`, or an `McpServer` of `@modelcontextprotocol/sdk`. */
  readonly instance: McpServerInstance;
}

/** How to reach one MCP server. */
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

/** A server made here: it answers requests by a direct call, without text or streams. */
export interface LocalMcpServer {
  /** Name of the server. */
  readonly name: string;
  /** Its version. */
  readonly version: string;
  /** Opens one session of it, under the name it has in a configuration; its own unless given. */
  open(name?: string): McpConnection | Promise<McpConnection>;
}

/** An MCP server in this program: ours, or a foreign one. */
export type McpServerInstance = LocalMcpServer | ForeignMcpServer;
