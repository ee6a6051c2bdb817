import type { Deadlines } from "../async/deadline.ts";
import type { AgentError } from "../errors/base.ts";
import type { Log } from "../observe/log.ts";
import type { McpConnection } from "../ports/mcp.ts";
import type { Complete } from "../types/complete.ts";
import type { JsonObject } from "../types/json.ts";
import type { ProtocolMetrics } from "../types/metrics.ts";
import type { Elicit } from "./elicitation.ts";

/** What every proxied server is given. */
export interface ProxyInit {
  /** Where limits run. */
  readonly deadlines: Deadlines;
  /** Hears of failures that do not end the conversation. */
  readonly report: (error: AgentError) => void;
  /** Counts. */
  readonly metrics: Complete<ProtocolMetrics> | undefined;
  /** Hears of what is worth knowing. */
  readonly log: Log;
  /** Takes secrets out of what the CLI is told of failures. */
  readonly shown: <Value>(value: Value) => Value;
  /** Sends a message of a server to the CLI. */
  readonly send: (server: string, message: JsonObject) => void;
  /** Asks the user in the name of a server; without it such questions go to the CLI. */
  readonly elicit?: Elicit | undefined;
}

/** One server behind the proxy. */
export interface Proxied {
  /** The connection to it. */
  readonly connection: McpConnection;
  /** Limit for one call, in milliseconds. */
  readonly callMs: number;
  /** Whether it lives in this program: then nothing is forwarded. */
  readonly isInProcess: boolean;
}
