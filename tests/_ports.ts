import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/** Ports that were handed out: their tests may not listen yet. */
const given = new Set<number>();

/**
 * A free port, for a server that needs its number before the start, or comes back to it. It lies below those that the
 * system gives to connections: one of these may be taken meanwhile.
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
      // It is in use.
      continue;
    }
    await once(server.close(), "close");
    return port;
  }
}
