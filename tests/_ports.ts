import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * A port that nobody has, for a server that is told of it before it starts, or comes back to it. It lies below those
 * that the system gives to connections: one of these may be taken meanwhile.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_000);
    const server = createServer().listen(port, "127.0.0.1");
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
