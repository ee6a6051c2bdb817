import { Deadlines } from "../async/deadline.ts";
import type { Scope } from "../async/scope.ts";
import { makeHandlers } from "../callbacks/handlers.ts";
import type { AgentError } from "../errors/base.ts";
import { type CliContext, CliError, CliStalledError } from "../errors/cli.ts";
import { ProtocolError } from "../errors/protocol.ts";
import { textOfError } from "../errors/text.ts";
import { type Log, safeLogger } from "../observe/log.ts";
import { Meter } from "../observe/meter.ts";
import { type SafeMetrics, safeMetrics } from "../observe/metrics.ts";
import type { GuardPlace } from "../options/path_pattern.ts";
import type { Settings } from "../options/resolve.ts";
import { toolGuard } from "../options/rules.ts";
import { optionWarnings } from "../options/warnings.ts";
import { Parser } from "../parse/parser.ts";
import type { StrictCheck } from "../parse/strict.ts";
import type { Channel } from "../ports/transport.ts";
import type { Window } from "../stream/window.ts";
import type { ControlHandler } from "../types/control.ts";
import type { JsonObject } from "../types/json.ts";
import type { Message } from "../types/message.ts";
import { RequestIds } from "../wire/ids.ts";
import { Incoming } from "../wire/incoming.ts";
import { Outbox } from "../wire/outbox.ts";
import { Pending } from "../wire/pending.ts";
import { Requests } from "../wire/requests.ts";
import { Router } from "../wire/router.ts";
import type { Ending } from "./ending.ts";
import type { ErrorFeed } from "./error_feed.ts";
import { IdleWatch } from "./idle.ts";
import { Input } from "./input.ts";
import type { Pump } from "./pump.ts";
import { StdinHold } from "./stdin_hold.ts";
import { Turns } from "./turns.ts";

/** What a conversation brings to its composition. */
export interface ComposeInit {
  /** What the user wrote, with defaults. */
  readonly settings: Settings;
  /** Where messages wait. */
  readonly window: Window<Message>;
  /** Where errors go. */
  readonly errors: ErrorFeed;
  /** How it ends. */
  readonly ending: Ending;
  /** Everything that is opened. */
  readonly scope: Scope;
  /** A prompt with an id is about to be written. */
  readonly onPrompt?: ((uuid: string) => void) | undefined;
}

/** What is there once the conversation is open. */
export interface Live {
  /** The way to the CLI on its way: it takes care of itself when nobody waits for it any more. */
  opening?: Promise<Channel>;
  /** The way to the CLI. */
  channel?: Channel;
  /** When it was opened, milliseconds since 1970. */
  openedMs?: number;
  /** The reader of its output. */
  pump?: Pump;
  /** Resolves when the output has ended and the exit was judged. */
  ended?: Promise<void>;
  /** Whether `initialize` was answered. */
  isReady?: boolean;
  /** Where patterns of paths begin. */
  place?: GuardPlace;
  /** Whether the CLI is gone. */
  hasExited?: boolean;
  /** The check of `validation: "strict"`. */
  strict?: StrictCheck;
}

/** A conversation whose parts know each other; nothing is open yet. */
export interface Composed extends ComposeInit {
  readonly log: Log;
  readonly metrics: SafeMetrics;
  readonly meter: Meter;
  readonly deadlines: Deadlines;
  readonly outbox: Outbox;
  readonly pending: Pending;
  readonly requests: Requests;
  /** Who answers which request of the CLI; MCP is added when servers are there. */
  readonly handlers: Map<string, ControlHandler>;
  /** The `hooks` field of `initialize`. */
  readonly hooks: JsonObject | undefined;
  readonly incoming: Incoming;
  readonly router: Router;
  readonly parser: Parser;
  readonly turns: Turns;
  readonly hold: StdinHold;
  readonly input: Input;
  readonly idle: IdleWatch;
  /** The way to the CLI and its reader, once they are there. */
  readonly live: Live;
  /** Tells an error that does not end the conversation. */
  readonly report: (error: AgentError) => void;
  /** What errors may say of the CLI. */
  readonly context: () => CliContext;
}

/** Open questions beside an answer. Source: protocol reference, section Envelopes. */
const PENDING_LISTS = [
  "pending_permission_requests",
  "pending_user_dialog_requests",
  "pending_elicitation_requests",
] as const;
const encoder = new TextEncoder();

/** Makes all parts and joins them, in the order in which they stand on each other. */
export function compose(init: ComposeInit): Composed {
  const { settings, window, errors, ending } = init;
  const { clock, options, timeouts } = settings;
  const log = safeLogger(options.logger);
  const metrics = safeMetrics(options.metrics);
  const meter = new Meter();
  const deadlines = new Deadlines(clock);
  const live: Live = {};

  if (log.isOn) {
    for (const warning of optionWarnings(settings)) log.warn(warning);
  }

  function report(error: AgentError): void {
    log.error(error.message, { name: error.name, code: error.code });
    errors.push(error);
  }

  function context(): CliContext {
    const { channel } = live;
    const { runtime, cliPath, command, environment } = channel?.origin ?? {};
    const tail = channel?.origin?.stderrTail?.();
    return {
      ...cliPath !== undefined && { cliPath },
      ...command !== undefined && { command },
      ...environment !== undefined && { environment },
      ...tail !== undefined && { stderrTail: tail },
      processInfo: {
        ...channel?.pid !== undefined && { pid: channel.pid },
        ...runtime !== undefined && { runtime },
        ...meter.startedMs !== undefined && {
          startedAt: new Date(meter.startedMs),
        },
      },
    };
  }

  // The adapters: transport, protocol, parser.
  log.debug("Composing transport, protocol and parser");
  const outbox = new Outbox({
    deadlines,
    writeMs: timeouts.writeMs,
    toError: (message, cause) => {
      const error = new CliError({
        stage: "write",
        message: cause === undefined
          ? message
          : `${message}: ${textOfError(cause)}`,
        cause,
        fatal: false,
        context: context(),
      });
      metrics.transport?.error("write", error);
      return error;
    },
    onLost: (error) => report(error as AgentError),
    onWritten: (text, lines) => {
      meter.wrote(byteLength(text), lines.length, clock.now());
      if (metrics.transport === undefined) return;
      for (const line of lines) metrics.transport.messageSent(byteLength(line));
    },
  });
  const pending = new Pending({
    deadlines,
    now: () => clock.now(),
    abandonedMs: timeouts.abandonedMs,
    metrics: metrics.protocol,
    log,
    onAdded: () => live.pump?.run(),
  });
  const requests = new Requests({
    pending,
    outbox,
    ids: new RequestIds(() => clock.now()),
    controlMs: timeouts.controlMs,
    log,
  });
  const parser = new Parser({
    report,
    metrics: metrics.parser,
    log,
    ...settings.validation === "strict" && {
      strict: (message) => live.strict?.(message) ?? [],
    },
  });

  // The user's code: hooks, permissions and the other callbacks.
  log.debug("Composing callbacks");
  const { handlers, hooks } = makeHandlers({
    settings,
    guard: toolGuard(settings, () => live.place ?? {}),
    deadlines,
    report,
    log,
    metrics: metrics.protocol,
  });
  const incoming = new Incoming({
    handlers,
    outbox,
    report,
    metrics: metrics.protocol,
    log,
    now: () => clock.now(),
  });
  const router = new Router({
    onRequest: (line) => incoming.accept(line),
    onCancel: (line) => incoming.cancel(line),
    onResponse: (line) => settle(line, pending, incoming),
    report: (error) => {
      if (error instanceof ProtocolError) {
        metrics.protocol?.handlerFailure("router", error);
      } else metrics.protocol?.malformedMessage("line");
      report(error);
    },
  });

  // The conversation itself, on top of both; MCP servers come in between when they are opened.
  const turns = new Turns({
    onResult: (result) => hold.answered(result),
    onIdle: () => hold.idle(),
    onTasks: () => hold.tasksChanged(),
    onSettled: (uuid) => hold.settled(uuid),
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
      if (uuid !== undefined) init.onPrompt?.(uuid);
      turns.promptSent();
    },
    onOver: () => hold.promptOver(),
    onFault: (error) => void ending.fail(error),
  });
  const idle = new IdleWatch({
    deadlines,
    checkMs: settings.health.checkMs,
    idleMs: settings.health.idleMs,
    silenceMs: () => {
      const isWorrying = turns.isRunning && !turns.isWaiting &&
        incoming.size === 0 && window.isEmpty;
      const since = meter.lastActivityMs;
      return isWorrying && since !== undefined ? clock.now() - since : 0;
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
    ...init,
    log,
    metrics,
    meter,
    deadlines,
    outbox,
    pending,
    requests,
    handlers,
    hooks,
    incoming,
    router,
    parser,
    turns,
    hold,
    input,
    idle,
    live,
    report,
    context,
  };
}

/** Hands an answer over; questions that are still open may ride on it. */
function settle(
  { response }: JsonObject,
  pending: Pending,
  incoming: Incoming,
): void {
  if (!isObject(response)) return pending.settle({});
  pending.settle(response);
  for (const key of PENDING_LISTS) {
    const requests = response[key];
    if (!Array.isArray(requests)) continue;
    for (const request of requests) {
      if (isObject(request)) incoming.accept(request);
    }
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function byteLength(text: string): number {
  return encoder.encode(text).length;
}
