import { makeHandlers } from "../callbacks/handlers.ts";
import { CliStalledError } from "../errors/cli.ts";
import { hasToolGuard } from "../options/rules.ts";
import { Parser } from "../parse/parser.ts";
import { IdleWatch } from "./idle.ts";
import { Input } from "./input.ts";
import { endUnheard } from "./last_words.ts";
import type { Composed, Ground } from "./parts.ts";
import { makeProtocol } from "./protocol.ts";
import { StdinHold } from "./stdin_hold.ts";
import { Turns } from "./turns.ts";

/** Makes all parts and joins them, in the order in which they stand on each other. */
export function compose(ground: Ground): Composed {
  const { settings, window, ending, log, metrics, meter, deadlines } = ground;
  const { live, report, context, scrub } = ground;
  const { clock } = settings;

  // The adapters: transport, protocol, parser.
  const protocol = makeProtocol(ground);
  const { outbox, incoming, handlers, denials } = protocol;
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
    guard: hasToolGuard(settings)
      ? (tool, input, server) =>
        live.guard === undefined
          ? "The conversation is not open yet"
          : live.guard(tool, input, server)
      : undefined,
    deadlines,
    report,
    log,
    scrub,
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
  const turns = new Turns({
    onResult: (result) => hold.answered(result),
    onIdle: () => hold.idle(),
    onTasks: () => hold.tasksChanged(),
    onSettled: (uuid) => hold.settled(uuid),
    keepsStates: ground.readsStates === true,
  });
  const hold = new StdinHold({
    turns,
    deadlines,
    end: () => void outbox.end(),
  });
  const input = new Input({
    outbox,
    onPrompt: (uuid) => {
      hold.prompted(uuid);
      if (uuid !== undefined) ground.onPrompt?.(uuid);
      turns.promptSent();
    },
    onLost: (uuid) => {
      hold.settled(uuid);
      ground.onLost?.(uuid);
    },
    onUnheard: (cause) => {
      endUnheard(ground, cause).catch(() => {});
    },
    onOver: () => hold.promptOver(),
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
    turns,
    hold,
    input,
    idle,
  };
}
