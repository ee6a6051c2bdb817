import { makeHandlers } from "../callbacks/handlers.ts";
import { CliStalledError } from "../errors/cli.ts";
import { hasToolGuard } from "../options/rules.ts";
import { Parser } from "../parse/parser.ts";
import { closeStdinWhenOver } from "./close_stdin.ts";
import { limitOf } from "./endings.ts";
import { IdleWatch } from "./idle.ts";
import { Input } from "./input.ts";
import { endUnheard } from "./last_words.ts";
import type { Composed, Ground } from "./parts.ts";
import { makeProtocol } from "./protocol.ts";
import { shownNames } from "./user_line.ts";

/** Makes all parts and joins them, in the order in which they stand on each other. */
export function compose(ground: Ground): Composed {
  const { settings, window, ending, log, metrics, meter, deadlines } = ground;
  const { live, turns, progress, errors, report, count, context, shown } =
    ground;
  const { clock } = settings;

  // The adapters: transport, protocol, parser.
  const protocol = makeProtocol(ground);
  const { outbox, incoming, handlers, denials } = protocol;
  const parser = new Parser({
    report,
    metrics: metrics.parser,
    log,
    scrub: shown,
    standIn: (skipped) => turns.standIn(skipped),
    ...settings.validation === "strict" && {
      strict: (message) => live.strict?.(message) ?? [],
    },
  });

  log.debug("Composed", { part: "parser" });

  // The user's code: hooks, permissions and the other callbacks.
  const callbacks = makeHandlers({
    settings,
    guard: hasToolGuard(settings)
      ? (tool, input, server) =>
        live.guard === undefined
          ? "The conversation is not open yet"
          : live.guard(tool, input, server)
      : undefined,
    deadlines,
    progress,
    report,
    log,
    scrub: shown,
    metrics: metrics.protocol,
  });
  for (const [subtype, handler] of callbacks.handlers) {
    handlers.set(subtype, handler);
  }
  for (const [subtype, denial] of callbacks.denials) {
    denials.set(subtype, denial);
  }
  log.debug("Composed", { part: "callbacks" });

  // The conversation itself, on top of both; MCP servers come in between when they are opened.
  closeStdinWhenOver(ground, () => {
    live.stdinClosedMs = clock.now();
    turns.stdinClosed();
    outbox.end();
  });
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
    now: () => clock.now(),
    silence: () => {
      const due = turns.isDue;
      if (due === undefined || incoming.size > 0 || !window.isEmpty) return;
      const { stdinClosedMs = 0, isReady, hasExited } = live;
      // The start has its own limit, and what is gone owes nothing.
      if (isReady !== true || hasExited === true) return;
      if (meter.lastSignMs === undefined) return;
      // Whatever else it says is no exit.
      const signMs = due === "exit" ? meter.lastWorkMs ?? 0 : meter.lastSignMs;
      return {
        sinceMs: Math.max(signMs, stdinClosedMs),
        limitMs: limitOf(due, settings),
      };
    },
    onStall,
  });

  function onStall(silenceMs: number): void {
    const isEnd = settings.health.onIdle === "fail";
    const unanswered = shownNames(turns.unanswered, shown);
    const what = live.stdinClosedMs === undefined
      ? "while it owes an answer"
      : "and does not exit";
    log.warn(`CLI has been silent ${what}`, { silenceMs });
    const error = new CliStalledError({
      message: `CLI has been silent for ${silenceMs} ms ${what}`,
      idleMs: silenceMs,
      fatal: isEnd,
      details: { unanswered },
      context: context(),
    });
    if (isEnd) return void ending.fail(error, "stalled");
    count(error);
    errors.push(error);
    if (live.stdinClosedMs !== undefined) void live.stop?.();
    const gap = turns.giveUp();
    if (gap !== undefined) window.put([gap], 0);
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
