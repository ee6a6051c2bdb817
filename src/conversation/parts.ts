import { settleWithin } from "../async/deadline.ts";
import { Deferred } from "../async/deferred.ts";
import { ClosedError } from "../errors/base.ts";
import { Costs } from "../observe/cost.ts";
import { appliedVariables, keepHooks } from "../options/required_hooks.ts";
import { hasToolPolicy } from "../options/tool_lists.ts";
import { loadStrictCheck, Parser } from "../parse/parser.ts";
import type { JsonObject } from "../types/json.ts";
import type { Requests } from "../wire/requests.ts";
import type { ControlHandler, Denial } from "../types/controls.ts";
import type { OpenChannel } from "./cli_channel.ts";
import { type IdleWatch, judgeEnd, tellStall, watchIdle } from "./exit.ts";
import { ledgerWaits, limitOf, watchWaits, within } from "./waits.ts";
import { Input } from "./input.ts";
import { type Engine, makeEngine } from "../engine/engine.ts";
import { conversationProfile, tooFull } from "./profile.ts";
import { isAboutTool } from "./activity.ts";
import { Servers } from "./servers.ts";
import { tooOldForApi } from "./results.ts";
import type { Scope } from "../async/scope.ts";
import type { Ending } from "./ending.ts";
import type { Reporter } from "./reporter.ts";
import type { Services } from "./services.ts";
import { isRunning, stdinWait } from "./work.ts";
import { Turns } from "./turns.ts";
import type { Answering, Setting, Waiting } from "../callbacks/guard.ts";

/** The parts of a conversation that need no channel: what comes can be parsed and answered. */
export interface Parts
  extends Services, Pick<Engine, "outbox" | "incoming" | "requests"> {
  readonly engine: Engine;
  /** Who answers which request of the CLI; callbacks and MCP servers are put in when they are made. */
  readonly handlers: Map<string, ControlHandler>;
  readonly parser: Parser;
  /** The ledger of prompts and their results. */
  readonly turns: Turns;
  /** What turns have cost. */
  readonly costs: Costs;
  /** The `hooks` field of `initialize`. */
  readonly hooks: JsonObject | undefined;
  /** Calls that wait for an approval. */
  readonly waiting: Waiting | undefined;
  /** The MCP servers that this package connects. */
  readonly servers: Servers;
}

/** A conversation that is open: prompts can be written, and the output is read. */
export interface Open extends Parts {
  readonly channel: OpenChannel;
  readonly input: Input;
  readonly idle: IdleWatch;
  /** Sends a request of the user's, with what keeps hooks on; rejects one that would switch them off. */
  readonly ask: Requests["send"];
  /** The environment that `apply_flag_settings` gave the CLI last. */
  readonly applied: { variables: JsonObject };
  /** Is rejected when the CLI ends before the start is over; stays open otherwise. */
  readonly fault: Deferred<never>;
}

/** Makes all parts that need no channel, in the order in which they stand on each other. */
export async function makeParts(services: Services): Promise<Parts> {
  const { settings, isKeptOpen, cli, activity, reporter } = services;
  const { log, metrics, report, shown } = reporter;
  const strict = settings.validation === "strict"
    ? await loadStrictCheck()
    : undefined;
  const guard = hasToolPolicy(settings)
    ? (await import("../options/tool_policy.ts"))
      .toolPolicy(settings, () => cli.place)
    : undefined;

  const costs = new Costs();
  const turns = new Turns({
    isReadByTurn: isKeptOpen,
    now: () => settings.clock.now(),
    onResult: (result) => {
      costs.add(result);
      const error = tooOldForApi(result, cli.origin.cliPath);
      if (error !== undefined) report(error);
    },
  });
  turns.watch(() => activity.changed());
  services.transcripts?.follow(turns);

  const parser = new Parser({
    report,
    metrics: metrics.parser,
    log,
    scrub: shown,
    standIn: (skipped) => turns.standIn(skipped),
    ...strict !== undefined && { strict },
  });
  const handlers = new Map<string, ControlHandler>();
  const denials = new Map<string, Denial>();
  const engine = makeEngine(
    conversationProfile({ ...services, turns, parser }, {
      mirror: services.transcripts?.put,
      control: {
        handlers,
        denials,
        controlMs: settings.timeouts.controlMs,
        abandonedMs: settings.timeouts.abandonedMs,
        onRequest: (request) => {
          if (isAboutTool(request)) turns.hasAskedTool = true;
        },
        onChange: () => activity.changed(),
        learn: (fields) => cli.scrubber.learn({ documents: [fields] }),
      },
      queueFull: () =>
        engine.requests.rejectAll((request) => tooFull(settings, request)),
      internal: (error) => void services.ending.fail(error),
    }),
  );
  for (const part of ["transport", "protocol", "parser"]) {
    log.debug("Composed", { part });
  }

  // The user's code: hooks, permissions and the other callbacks.
  const { approvals } = settings.options.permissions ?? {};
  const waiting = approvals &&
    (await import("../approvals/desk.ts")).makeDesk(approvals, settings.clock);
  const hooks = await putCallbacks({
    settings,
    guard,
    waiting,
    deadlines: services.deadlines,
    progress: services.progress,
    report,
    metrics: metrics.protocol,
    log,
    scrub: shown,
  }, { handlers, denials });
  log.debug("Composed", { part: "callbacks" });

  const { outbox, incoming, requests } = engine;
  closeWithScope(services, engine);
  const servers = new Servers({ ...services, requests, handlers });
  return {
    ...services,
    engine,
    outbox,
    incoming,
    requests,
    handlers,
    turns,
    costs,
    parser,
    hooks,
    waiting,
    servers,
  };
}

/** What the CLI may ask of the user's code. */
const ASKED = [
  "hook_callback",
  "can_use_tool",
  "elicitation",
  "request_user_dialog",
] as const;

/** Puts the user's callbacks in, and gives the `hooks` field of `initialize`; where there are none, the code that says so is loaded when the CLI asks. */
async function putCallbacks(
  setting: Setting,
  answering: Answering,
): Promise<JsonObject | undefined> {
  const { guard, waiting, settings: { options } } = setting;
  const { handlers } = answering;
  const load = async () => {
    const { putHandlers } = await import("../callbacks/handlers.ts");
    return putHandlers(setting, answering);
  };
  const callbacks = [
    guard,
    waiting,
    options.hooks,
    options.permissions?.canUseTool,
    options.onElicitation,
    options.onUserDialog,
  ];
  if (callbacks.some((one) => one !== undefined)) return await load();
  for (const subtype of ASKED) {
    handlers.set(subtype, async (request, context) => {
      await load();
      return await handlers.get(subtype)?.(request, context);
    });
  }
  return undefined;
}

/** Begins to read what the CLI says, and takes prompts; what is written waits until the outbox is connected. */
export function openParts(parts: Parts, channel: OpenChannel): Open {
  const { settings, scope, turns, meter } = parts;
  const { outbox, engine, requests, cli, incoming, queue } = parts;
  const { clock, options } = settings;
  const input = new Input(parts, channel);
  const idle = watchIdle(
    parts,
    () => incoming.size > 0 || !queue.isEmpty,
    (silenceMs) => tellStall({ ...parts, channel }, silenceMs),
  );
  scope.own("timers", () => idle.close());
  scope.own("input", async () => {
    input.close();
    if (!await putOff(parts)) await interruptTurn(parts);
  });
  const closeStdin = () => {
    // From now on only work that continues delays a stall.
    meter.lastSignMs = meter.lastWorkMs = clock.monotonic();
    turns.stdinClosed();
    outbox.end();
  };
  turns.watch(() => {
    const { state } = turns;
    if (!state.isStdinClosed && stdinWait(state) === "nothing") closeStdin();
  });
  watchWaits(ledgerWaits(closeStdin, () => turns.noFollowUp()), parts);
  const applied = { variables: {} };
  const open: Open = {
    ...parts,
    channel,
    input,
    idle,
    applied,
    fault: new Deferred<never>().quiet(),
    ask: async (subtype, fields, settings) => {
      const kept = keepHooks(options, subtype, fields);
      const before = applied.variables;
      const variables = appliedVariables(subtype, kept);
      // At once: `reinitialize()` may be called behind it.
      if (variables !== undefined) applied.variables = variables;
      try {
        return await requests.send(subtype, kept, settings);
      } catch (error) {
        if (applied.variables === variables) applied.variables = before;
        throw error;
      }
    },
  };
  engine.start(channel, (error) => cli.judged = judgeEnd(open, open, error));
  return open;
}

/** What closes the parts, and why. */
interface Closing {
  readonly scope: Scope;
  readonly ending: Ending;
  readonly reporter: Reporter;
}

/** They close in the reverse order: open requests of both sides, the reader, the way out. */
function closeWithScope(
  { scope, ending, reporter }: Closing,
  { outbox, requests, incoming, drain }: Engine,
): void {
  const reason = () => ending.error ?? new ClosedError("Conversation");
  scope.own("outbox", () => outbox.close(reason()));
  scope.own("pump", () => drain());
  scope.own("requests", () => {
    requests.rejectAll((request) =>
      ending.reason === "closed"
        ? new ClosedError("Conversation")
        : reporter.cannotAnswer(request)
    );
    incoming.close(reason());
  });
}

/**
 * Calls that wait for an approval are put off, and so the turn ends by itself: whoever resumes the session is asked again.
 *
 * Its result is waited for: a CLI whose input ends before that forgets the call.
 */
async function putOff(
  { waiting, settings, turns, activity }: Pick<
    Parts,
    "waiting" | "settings" | "turns" | "activity"
  >,
): Promise<boolean> {
  if (waiting === undefined) return false;
  const { clock } = settings;
  const untilMs = clock.monotonic() + limitOf("putOff", settings);
  const leftMs = () => Math.max(untilMs - clock.monotonic(), 1);
  const wasAny = await settleWithin(waiting.leave(), leftMs(), clock);
  if (wasAny !== true) return false;
  const isOver = async () => {
    while (isRunning(turns.state)) await activity.next;
  };
  await settleWithin(isOver(), leftMs(), clock);
  return true;
}

/** A turn that runs is interrupted first: nothing more is generated, and the CLI ends at once instead of at its end. */
async function interruptTurn(
  { ending, turns, outbox, settings }: Pick<
    Parts,
    "ending" | "turns" | "outbox" | "settings"
  >,
): Promise<void> {
  if (ending.reason !== "closed" || !isRunning(turns.state)) return;
  const line = JSON.stringify({
    type: "control_request",
    request_id: "close",
    request: { subtype: "interrupt" },
  });
  const sent = outbox.send(line + "\n").catch(() => {});
  await within("interrupt", sent, settings);
}
