import { safeLogger, systemClock } from "@sluice/agent/extend";
import { fileURLToPath } from "node:url";
import { Deadlines } from "../../src/async/deadline.ts";
import { type ConnectOptions, connectServer } from "../../src/mcp/connect.ts";
import type {
  JsonValue,
  McpConnection,
  McpServerConfig,
  McpStdioConfig,
} from "@sluice/agent";

/** A small server of the fixtures, as a configuration. */
export function stdioFixture(
  name: string,
  ...args: readonly string[]
): McpStdioConfig & { readonly args: readonly string[] } {
  const path = fileURLToPath(
    new URL(`../fixtures/mcp/${name}.mjs`, import.meta.url),
  );
  return { command: "node", args: [path, ...args] };
}

/** Parts for connecting, with timeouts that end with the test. */
export class Connecting {
  readonly deadlines: Deadlines = new Deadlines(systemClock);
  readonly warnings: string[] = [];
  readonly #open: McpConnection[] = [];

  init(more: Partial<ConnectOptions> = {}): ConnectOptions {
    const nothing = () => {};
    return {
      signal: new AbortController().signal,
      deadlines: this.deadlines,
      clock: systemClock,
      log: safeLogger({
        debug: nothing,
        info: nothing,
        warn: (message) => this.warnings.push(message),
        error: nothing,
      }),
      ...more,
    };
  }

  /** Connects under the name "srv"; closed with the rest. */
  async open(
    config: McpServerConfig,
    more: Partial<ConnectOptions> = {},
  ): Promise<McpConnection> {
    const connection = await connectServer("srv", config, this.init(more));
    this.#open.push(connection);
    return connection;
  }

  async close(): Promise<void> {
    await Promise.all(this.#open.map((one) => one.close()));
    this.deadlines.close();
  }
}

/** Runs with connections that are closed afterwards. */
export async function withConnecting(
  run: (connecting: Connecting) => Promise<void>,
): Promise<void> {
  const connecting = new Connecting();
  try {
    await run(connecting);
  } finally {
    await connecting.close();
  }
}

/** Calls a tool and gives the text of its answer. */
export async function callText(
  connection: McpConnection,
  name: string,
  args: { readonly [key: string]: JsonValue } = {},
): Promise<string> {
  const params = { name, arguments: args };
  const result = await connection.request("tools/call", params, {
    timeoutMs: 20_000,
  });
  return textIn(result);
}

/** The text of the first piece of a tool's answer. */
export function textIn(result: JsonValue): string {
  const { content } = result as unknown as {
    content: readonly { text: string }[];
  };
  return content[0]?.text ?? "";
}
