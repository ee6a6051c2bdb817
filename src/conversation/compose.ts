import { makeHandlers } from "../callbacks/handlers.ts";
import { CliStalledError } from "../errors/cli.ts";
import { Parser } from "../parse/parser.ts";
import { closeStdinWhenOver } from "./close_stdin.ts";
import { IdleWatch } from "./idle.ts";
import { Input } from "./input.ts";
import { endUnheard } from "./last_words.ts";
import type { Composed, Ground } from "./parts.ts";
import { makeProtocol } from "./protocol.ts";

/** Makes all parts and joins them, in the order in which they stand on each other. */
export function compose(ground: Ground): Composed {
  const { settings, window, ending, log, metrics, meter, deadlines } = ground;
  const { live, turns, report, context, scrub } = ground;
  const { clock } = settings;

  // The adapters: transport, protocol, parser.
  const protocol = makeProtocol(ground);
  const { outbox, incoming, handlers } = protocol;
  const parser = new Parser({
    report,
    metrics: metrics.parser,
    log,
    scrub,
    ...settings.validation === "strict" && {
      strict: (message) => live.strict?.(message) ?? [],
    },
  });

  log.debug("Composed", { part: "parser" });

  // The user's code: hooks, permissions and the other callbacks.
  const callbacks = makeHandlers({
    settings,
    guard: settings.allowedTools === undefined
      ? undefined
      : (tool, input) =>
        live.guard === undefined
          ? "The conversation is not open yet"
          : live.guard(tool, input),
    deadlines,
    report,
    log,
    scrub,
    metrics: metrics.protocol,
  });
  for (const [subtype, handler] of callbacks.handlers) {
    handlers.set(subtype, handler);
  }
  log.debug("Composed", { part: "callbacks" });

  // The conversation itself, on top of both; MCP servers come in between when they are opened.
  closeStdinWhenOver(ground, () => void outbox.end());
  const input = new Input({
    outbox,
    turns,
    onUnheard: (cause) => {
      endUnheard(ground, cause).catch(() => {});
    },
    onFault: (error) => void ending.fail(error),
  });
  const idle = new IdleWatch({
    deadlines,
    checkMs: settings.health.checkMs,
    idleMs: settings.health.idleMs,
    now: () => clock.now(),
    silentSince: () => {
      const isWorrying = turns.isRunning && !turns.isWaiting &&
        incoming.size === 0 && window.isEmpty;
      return isWorrying ? meter.lastActivityMs : undefined;
    },
    onStall: (silenceMs) => onStall(silenceMs),
  });

  function onStall(silenceMs: number): void {
    log.warn("CLI has been silent while a turn runs", { silenceMs });
    if (settings.health.onIdle === "fail") {
      void ending.fail(
        new CliStalledError({
          message: `CLI has been silent for ${silenceMs} ms while a turn runs`,
          idleMs: silenceMs,
          context: context(),
        }),
        "stalled",
      );
    }
  }

  return {
    ...ground,
    ...protocol,
    parser,
    hooks: callbacks.hooks,
    input,
    idle,
  };
}
