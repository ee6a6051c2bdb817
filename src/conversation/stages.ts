import { Deferred } from "../async/deferred.ts";
import { makeEngine } from "../engine/engine.ts";
import { ClosedError } from "../errors/base.ts";
import { Costs } from "../observe/cost.ts";
import { isResumed } from "../options/session_options.ts";
import { hasToolPolicy } from "../options/tool_lists.ts";
import { loadStrictCheck, Parser } from "../parse/parser.ts";
import type { ControlHandler, Denial } from "../types/controls.ts";
import { isAboutTool } from "./activity.ts";
import { putCallbacks } from "./callbacks.ts";
import type { OpenChannel } from "./cli_channel.ts";
import { dropCall } from "./dropped_call.ts";
import { failOnLostPrompt, judgeEnd } from "./exit.ts";
import { GuardedRequests } from "./guarded_requests.ts";
import { Input } from "./input.ts";
import { leaveTurn } from "./leave.ts";
import { conversationProfile, tooFull } from "./profile.ts";
import { cannotAnswer } from "./refusals.ts";
import { Servers } from "./servers.ts";
import type { Config, Core } from "./core.ts";
import type { Session, Stages } from "./running.ts";
import { watchForStalls } from "./stall.ts";
import { closeStdinWhenOver } from "./stdin.ts";
import { Turns } from "./turns.ts";

/** Makes all stages that need no channel, in the order in which they stand on each other. */
export async function makeStages(
  core: Core,
  { isKeptOpen, progress, activity, transcripts }:
    & Pick<Config, "isKeptOpen" | "progress" | "activity">
    & Pick<Stages, "transcripts">,
): Promise<Stages> {
  const { settings, life, observation, cli, deadlines, reporter } = core;
  const { log, metrics, report, redact } = reporter;
  const { options, clock, timeouts: { controlMs, abandonedMs } } = settings;

  // The ledger.
  const costs = new Costs();
  const turns = new Turns({
    isReadByTurn: isKeptOpen,
    now: () => clock.now(),
    onResult: (result) => costs.add(result),
    onDropped: (call) => void (desk && dropCall(desk, call, report)),
  });
  turns.watch(() => activity.changed());
  transcripts?.follow(turns);

  // The engine: transport, protocol, parser.
  const strict = settings.validation === "strict"
    ? await loadStrictCheck()
    : undefined;
  const parser = new Parser({
    report,
    metrics: metrics.parser,
    log,
    standIn: (skipped) => turns.standIn(skipped),
    ...strict !== undefined && { strict },
  });
  const handlers = new Map<string, ControlHandler>();
  const denials = new Map<string, Denial>();
  const engine = makeEngine(
    conversationProfile(core, {
      turns,
      parser,
      mirror: transcripts?.put,
      control: {
        handlers,
        denials,
        controlMs,
        abandonedMs,
        onRequest(request, id) {
          turns.hasAskedTool ||= isAboutTool(request);
          observation.observer?.request(id, request);
        },
        // A warm process may get its observer later.
        ...options.metrics?.conversation !== undefined && {
          within: (id, work) => {
            const { observer } = observation;
            return observer === undefined ? work() : observer.within(id, work);
          },
          onAnswer: (id, answer) => observation.observer?.answer(id, answer),
        },
        onChange: () => activity.changed(),
        learn: (fields) => cli.scrubber.learn({ documents: [fields] }),
      },
      queueFull: () =>
        engine.requests.rejectAll((request) => tooFull(settings, request)),
    }),
  );
  for (const part of ["transport", "protocol", "parser"]) {
    log.debug("Composed", { part });
  }
  // They close in the reverse order: open requests of both sides, the reader, the way out.
  const { outbox, incoming, requests } = engine;
  const reason = () => life.error ?? new ClosedError("Conversation");
  life.scope.own("outbox", () => outbox.close(reason()));
  life.scope.own("reader", () => engine.drain());
  life.scope.own("requests", () => {
    requests.rejectAll((request) =>
      life.reason === "closed" ? reason() : cannotAnswer(core, request)
    );
    incoming.close(reason());
  });

  // The user's code: hooks, permissions and the other callbacks.
  const policy = hasToolPolicy(settings)
    ? (await import("../options/tool_policy.ts"))
      .toolPolicy(settings, () => cli.place)
    : undefined;
  const { approvals } = options.permissions ?? {};
  const desk = approvals &&
    (await import("../approvals/desk.ts"))
      .makeDesk(approvals, { clock, isResumed: isResumed(options) });
  // An interrupt leaves before all is closed; no callback begins meanwhile. With approvals the turn ends on its own.
  if (desk === undefined) {
    void life.ending.promise.then(() => incoming.close(reason()));
  }
  const hooks = await putCallbacks({
    settings,
    policy,
    desk,
    deadlines,
    progress,
    report,
    metrics: metrics.protocol,
    log,
    scrub: redact,
  }, { handlers, denials });
  log.debug("Composed", { part: "callbacks" });

  const servers = new Servers(core, { requests, handlers });
  return {
    ...core,
    engine,
    turns,
    costs,
    hooks,
    servers,
    desk,
    activity,
    transcripts,
  };
}

/** Begins to read what the CLI writes, and takes prompts; what is written waits until the engine is connected. */
export function openSession(stages: Stages, channel: OpenChannel): Session {
  const { settings, life, observation, cli, engine, turns } = stages;
  const { outbox, requests } = engine;
  const input = new Input({
    isVerbatim: settings.options.verbatimPrompts,
    turns,
    outbox,
    onLost: (cause) => void failOnLostPrompt(session, cause).catch(() => {}),
    onSourceFailed: (error) => void life.fail(error).catch(() => {}),
    onPrompt: (message) => observation.observer?.prompt(message),
  });
  const parts = {
    ...stages,
    channel,
    input,
    guarded: new GuardedRequests(requests, settings.options),
    ended: new Deferred<never>().quiet(),
  };
  const session: Session = { ...parts, stalls: watchForStalls(parts) };
  life.scope.own("input", async () => {
    input.close();
    await leaveTurn(session);
  });
  closeStdinWhenOver({ ...session, outbox });
  engine.start(channel, (readError) => {
    cli.judged = judgeEnd(session, readError);
  });
  return session;
}
