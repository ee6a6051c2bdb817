import { Deferred, safeLogger, systemClock } from "@sluice/agent/extend";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { startChild } from "../../src/process/child.ts";
import { host } from "../_children.ts";
import { serveLoopback } from "../../src/runtime/loopback.ts";
import type { McpServerConfig } from "@sluice/agent";

/** The reference server of the protocol, with every feature. */
const PROGRAM = fileURLToPath(
  import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"),
);

/** The transports that it speaks. */
export const EVERYTHING = ["stdio", "http", "sse"] as const;

/** Runs with the configuration of a server that is up. */
export async function withEverything(
  transport: (typeof EVERYTHING)[number],
  run: (config: McpServerConfig) => Promise<void>,
): Promise<void> {
  if (transport === "stdio") {
    return await run({ command: "node", args: [PROGRAM, "stdio"] });
  }
  const { url, stop } = await start(transport);
  try {
    await run({ type: transport, url });
  } finally {
    await stop();
  }
}

async function start(
  transport: "http" | "sse",
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const port = await freePort();
  const isUp = new Deferred<void>();
  const runtime = await host();
  const { PATH = "" } = process.env;
  const child = await startChild(runtime, {
    command: "node",
    args: [PROGRAM, transport === "http" ? "streamableHttp" : "sse"],
    cwd: process.cwd(),
    env: { PATH, PORT: String(port) },
  }, {
    stderr: {
      tailBytes: 4_096,
      linesPerSecond: 1_000,
      warnBytes: Infinity,
      onLine: (line) => {
        if (/running on port|listening on port/.test(line)) isUp.resolve();
      },
    },
    forwardSignals: false,
    clock: systemClock,
    log: safeLogger(),
  });
  child.exited.then(() => isUp.reject(new Error(child.stderr.text())));
  await isUp.promise;
  return {
    url: `http://127.0.0.1:${port}/${transport === "http" ? "mcp" : "sse"}`,
    stop: () => child.stop({ reason: "closed", graceMs: 0, killMs: 500 }),
  };
}

/** A port that was free a moment ago: the server cannot tell which one it took. */
async function freePort(): Promise<number> {
  const server = await serveLoopback(() => new Response());
  await server.close();
  return server.port;
}
