import { settleWithin } from "../async/deadline.ts";
import { systemClock } from "../async/system_clock.ts";
import type { McpConnection } from "../ports/mcp.ts";
import { McpFailure } from "./failure.ts";

/** A connection of this package takes less: a program is killed after 4 s. */
const CLOSE_MS = 6_000;

/** Closes a connection, whoever made it; rejects when that fails, or takes too long. */
export async function closeInTime(connection: McpConnection): Promise<void> {
  // The first call of a method of the user's may throw.
  const closing = (async () => await connection.close())();
  const closed = closing.then(() => true);
  if (await settleWithin(closed, CLOSE_MS, systemClock)) return;
  throw new McpFailure(`Connection did not close within ${CLOSE_MS} ms`, {
    kind: "timeout",
  });
}
