import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/** Ports that were given: whoever has one may not have begun to listen. */
const given = new Set<number>();

/**
 * A port that nobody has, for a server that is told of it before it starts, or comes back to it. It lies below those
 * that the system gives to connections: one of these may be taken meanwhile.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_000);
    if (given.has(port)) continue;
    given.add(port);
    const server = createServer().listen(port);
    try {
      await once(server, "listening");
    } catch {
      // Somebody has it.
      continue;
    }
    await once(server.close(), "close");
    return port;
  }
}
