import { closeAll } from "../async/scope.ts";
import type { McpConnection } from "../ports/mcp.ts";
import type { McpServerConfig } from "../types/mcp.ts";
import type { AttachInit } from "./attachment.ts";
import { closeInTime } from "./close.ts";
import { connectServer } from "./connect.ts";
import { connectAll } from "./connect_all.ts";
import { ELICITATION_CAPABILITY } from "./elicitation.ts";
import type { Proxied } from "./proxied.ts";

/** One server of a conversation. */
export interface Member {
  /** How it was to be reached. */
  readonly config: McpServerConfig;
  /** The connection to it. */
  readonly connection: McpConnection;
}

/** Servers by name. */
export type Members = ReadonlyMap<string, Member>;

/** Connects all of them or none. */
export async function openMembers(
  configs: ReadonlyMap<string, McpServerConfig>,
  init: AttachInit,
  signal: AbortSignal,
): Promise<Members> {
  const { settings, deadlines, log, host, elicitation } = init;
  const { cwd } = settings.options;
  const { guardProcess } = settings.shutdown;
  const { connections } = await connectAll(
    [...configs.keys()],
    (name, ended) =>
      // The name is one of theirs.
      connectServer(name, configs.get(name) as McpServerConfig, {
        signal: ended,
        deadlines,
        clock: settings.clock,
        log,
        guardProcess,
        ...elicitation !== undefined &&
          { capabilities: ELICITATION_CAPABILITY },
        ...host !== undefined && { host },
        ...cwd !== undefined && { cwd },
      }),
    { signal, policy: "strict" },
  );
  return new Map(
    Array.from(configs, ([name, config]) => {
      // Strict: there is one for each.
      const connection = connections.get(name) as McpConnection;
      return [name, { config, connection }];
    }),
  );
}

/** Closes all at once; gives what went wrong by name. */
export function closeMembers(members: Members): Promise<Map<string, unknown>> {
  return closeAll(members, ({ connection }) => closeInTime(connection));
}

/** A server as the proxy wants it; the narrower limit wins. */
export function proxiedOf(
  { config, connection }: Member,
  mcpMs: number,
): Proxied {
  const isInProcess = config.type === "sdk";
  const callMs = (isInProcess ? undefined : config.callTimeoutMs) ?? mcpMs;
  return { connection, callMs, isInProcess };
}
