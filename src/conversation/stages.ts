import { Deferred } from "../async/deferred.ts";
import type { ApprovalDesk } from "../callbacks/run_callback.ts";
import { type Engine, makeEngine } from "../engine/engine.ts";
import { ClosedError } from "../errors/base.ts";
import { Costs } from "../observe/cost.ts";
import { hasToolPolicy } from "../options/tool_lists.ts";
import { loadStrictCheck, Parser } from "../parse/parser.ts";
import type { SessionInfo } from "../protocol/session.ts";
import type {
  ControlHandler,
  ControlOptions,
  Denial,
} from "../types/controls.ts";
import type { JsonObject } from "../types/json.ts";
import { isAboutTool } from "./activity.ts";
import { putCallbacks } from "./callbacks.ts";
import type { OpenChannel } from "./cli_channel.ts";
import { failOnLostPrompt, judgeEnd } from "./exit.ts";
import { GuardedRequests } from "./guarded_requests.ts";
import { Input } from "./input.ts";
import { leaveTurn } from "./leave.ts";
import { conversationProfile, tooFull } from "./profile.ts";
import { cannotAnswer } from "./refusals.ts";
import { tooOldForApi } from "./results.ts";
import { Servers } from "./servers.ts";
import type { Config, Core } from "./core.ts";
import { reportStall, type StallWatch, watchForStalls } from "./stall.ts";
import { closeStdinWhenOver } from "./stdin.ts";
import type { TranscriptCopy } from "./transcripts.ts";
import { Turns } from "./turns.ts";

/** The stages that need no channel: what comes can be parsed and answered. */
export interface Stages {
  readonly engine: Engine;
  /** The ledger of prompts and their results. */
  readonly turns: Turns;
  readonly costs: Costs;
  /** The `hooks` field of `initialize`. */
  readonly hooks: JsonObject | undefined;
  /** The MCP servers that this package connects. */
  readonly servers: Servers;
  /** Calls that wait for an approval. */
  readonly desk: ApprovalDesk | undefined;
  readonly activity: Config["activity"];
  readonly transcripts: TranscriptCopy | undefined;
}

/** A session whose output is read, and that takes prompts. */
export interface Session
  extends
    Pick<Stages, "turns" | "costs" | "servers">,
    Pick<Engine, "requests" | "incoming"> {
  readonly input: Input;
  readonly stalls: StallWatch;
  /** Sends requests made by the user, with settings that keep hooks on. */
  readonly guarded: Pick<GuardedRequests, "send" | "variables">;
  /** Is rejected when the CLI ends before the start is over. */
  readonly ended: Promise<never>;
  reinitialize(options: ControlOptions): Promise<SessionInfo>;
}

/** Makes all stages that need no channel, in the order in which they stand on each other. */
export async function makeStages(
  core: Core,
  { isKeptOpen, progress, activity, transcripts }:
    & Pick<Config, "isKeptOpen" | "progress" | "activity">
    & { readonly transcripts: TranscriptCopy | undefined },
): Promise<Stages> {
  const { settings, life, cli, deadlines, reporter } = core;
  const { log, metrics, report, redact } = reporter;
  const { options, clock, timeouts: { controlMs, abandonedMs } } = settings;

  // The ledger.
  const costs = new Costs();
  const turns = new Turns({
    isReadByTurn: isKeptOpen,
    now: () => clock.now(),
    onResult: (result) => {
      costs.add(result);
      const error = tooOldForApi(result, cli.origin.cliPath);
      if (error !== undefined) report(error);
    },
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
        onRequest: (request) => {
          turns.hasAskedTool ||= isAboutTool(request);
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
    (await import("../approvals/desk.ts")).makeDesk(approvals, clock);
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
export function openSession(
  core: Core,
  { engine, turns, costs, hooks, servers, desk, activity, transcripts }: Stages,
  channel: OpenChannel,
): Session {
  const { settings, life, cli } = core;
  const { requests, incoming, outbox } = engine;
  const ended = new Deferred<never>().quiet();
  const input = new Input({
    isVerbatim: settings.options.verbatimPrompts,
    turns,
    outbox,
    onLost: (cause) =>
      void failOnLostPrompt(core, channel, cause).catch(() => {}),
    onSourceFailed: (error) => void life.fail(error).catch(() => {}),
  });
  const stalls = watchForStalls({
    ...core,
    turns,
    activity,
    isQuietFine: () =>
      incoming.size > 0 || !life.queue.isEmpty ||
      cli.hasExited,
    onStall: (silenceMs) =>
      reportStall({ ...core, turns, channel, engine }, silenceMs),
  });
  life.scope.own("timers", () => stalls.close());
  life.scope.own("input", async () => {
    input.close();
    await leaveTurn({ ...core, desk, turns, activity, outbox });
  });
  closeStdinWhenOver({ ...core, turns, outbox });
  const guarded = new GuardedRequests(requests, settings.options);
  engine.start(channel, (readError) => {
    cli.judged = judgeEnd(
      { ...core, turns, transcripts },
      { channel, input, onEarlyEnd: (error) => ended.reject(error) },
      readError,
    );
  });
  const session = {
    turns,
    costs,
    servers,
    requests,
    incoming,
    input,
    stalls,
    guarded,
    ended: ended.promise,
  };
  return {
    ...session,
    async reinitialize(options) {
      const [{ initializeAgain }, { initializeFields }] = await Promise.all([
        import("./hook_check.ts"),
        import("./handshake.ts"),
      ]);
      const fields = await initializeFields(
        { settings, cli, hooks },
        await servers.listed(),
      );
      return await initializeAgain({ ...core, ...session }, fields, options);
    },
  };
}
