import { aborted } from "../../async/on_abort.ts";
import { type AgentFlags, type Screen, untilEnded } from "../command_line.ts";
import { servePages } from "../page_server.ts";
import { openBrowser } from "./browser.ts";
import { routesOf } from "./routes.ts";
import { webSessions } from "./sessions.ts";

interface WebFlags extends AgentFlags {
  readonly port?: number;
  /** Whether a browser is opened; absent = if a person is at a terminal. */
  readonly open?: boolean;
}

/** Serves a page to talk with agents, until it is interrupted; then their CLIs are gone. */
export function web(flags: WebFlags, on: Screen): Promise<number> {
  return untilEnded(on, async (signal) => {
    const sessions = await webSessions(flags, on, signal);
    let forget: (() => Promise<void>) | undefined;
    try {
      const [first, leave] = await sessions.open(sessions.current);
      await first.start();
      leave();
      const server = await servePages(routesOf(sessions), flags.port ?? 0);
      try {
        const { address } = server;
        if (flags.json) await on.json({ type: "listening", url: address });
        else await on.write(`${address}\n`);
        const { stdin, stdout } = on.program.terminals;
        if (flags.open ?? (stdin && stdout)) {
          forget = await openBrowser(address);
        }
        await on.note(on.err.dim("Ctrl-C ends it"));
        await aborted(signal);
        throw signal.reason;
      } finally {
        await server.close();
      }
    } finally {
      await sessions.close();
      await forget?.();
    }
  });
}
