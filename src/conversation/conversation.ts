import { onAbort, unlessAborted } from "../async/on_abort.ts";
import { quiet } from "../async/deferred.ts";
import { type AgentError, ClosedError, isAgentError } from "../errors/base.ts";
import { checkedServers } from "../options/server_configs.ts";
import { whyNothingRan } from "../options/deferred_calls.ts";
import type { Settings } from "../options/settings.ts";
import { lazy } from "../options/table.ts";
import type { SetMcpServersReply } from "../protocol/control_replies.ts";
import type { Message } from "../protocol/messages_other.ts";
import type { ResultMessage } from "../protocol/messages_turn.ts";
import type { SessionInfo } from "../protocol/session.ts";
import { directoryNow, environmentNow, host } from "../runtime/host.ts";
import type {
  Activity,
  Cost,
  ProcessHealth,
  ProcessState,
  SettledOptions,
} from "../types/activity.ts";
import type { ControlOptions } from "../types/controls.ts";
import type { Conversation, UserInput } from "../types/conversation.ts";
import type { JsonInput, JsonObject } from "../types/json.ts";
import type { McpServerInput } from "../types/mcp.ts";
import type { LogFields } from "../types/observe.ts";
import { NO_COST } from "../observe/cost.ts";
import { ActivityFeed, detailsOf, healthOf, stateOf } from "./activity.ts";
import { Consumers } from "./consumers.ts";
import type { Config, Core } from "./core.ts";
import { ControlMethods } from "./generated/controls.ts";
import type { InitialPrompt, SendSettings } from "./input.ts";
import { Life, startError } from "./life.ts";
import { Observation } from "./observation.ts";
import type { TurnsOutlet } from "./outlet.ts";
import type { Consumer } from "./ownership.ts";
import { cannotAnswer, cannotWrite } from "./refusals.ts";
import type { ResultOrigin } from "./results.ts";
import type { Session } from "./running.ts";
import type { Turns } from "./turns.ts";
import { work } from "./work.ts";

/** The start, and the adapter of the runtime beside it; once for all conversations. */
const loadStart = lazy(() => Promise.all([import("./session.ts"), host()]));

/** A conversation: `query()` returns it, and a connected client holds one. */
export class LiveConversation<T = unknown> extends ControlMethods
  implements Conversation<T> {
  readonly ready: Promise<SessionInfo>;
  /** Resolves when one that was started ahead has its first prompt. */
  begun: Promise<void> = Promise.resolve();
  readonly #settings: Settings;
  readonly #life = new Life();
  readonly #observation: Observation;
  readonly #activity: ActivityFeed;
  readonly #starting: Promise<SessionInfo>;
  readonly #consumers: Consumers;
  /** There from the moment that the CLI is about to start. */
  #core: Core | undefined;
  /** There from the moment that the output is read. */
  #session: Session | undefined;
  #isStarted = false;
  #released: Promise<void> | undefined;
  #isClosed = false;

  /** Starts at once; without a prompt it waits for {@link begin}. */
  constructor(settings: Settings, prompt?: InitialPrompt) {
    super();
    const life = this.#life;
    this.#settings = settings;
    this.#observation = new Observation(
      settings,
      life,
      (value) => this.#core?.reporter.redact(value) ?? value,
    );
    this.#activity = new ActivityFeed({
      state: () => this.#state(),
      details: () => detailsOf(this.#session),
      now: () => settings.clock.now(),
    });
    this.#consumers = new Consumers({
      life,
      turns: () => this.ready.then(() => this.turns),
      whyNothingRan: () => whyNothingRan(settings.options),
      checkOpen: () => this.#checkOpen(),
      leave: () => this.#leave(),
    });
    life.ending.promise.then(() => this.#activity.changed());
    life.gone.promise.then(() => this.#activity.over());
    this.#starting = this.#start(prompt);
    // Listened to first: callers that wait for the start come before later calls.
    this.#starting.then(() => this.#isStarted = true, () => {});
    this.ready = quiet(this.#starting.then((info) => info));
  }

  get messages(): ReadableStream<Message> {
    return this.#consumers.messages;
  }

  get batches(): ReadableStream<readonly Message[]> {
    return this.#consumers.batches;
  }

  get errors(): ReadableStream<AgentError> {
    return this.#consumers.errors;
  }

  get byTurns(): TurnsOutlet {
    return this.#consumers.byTurns(() => this.turns);
  }

  /** The ledger of its prompts; there before it is ready, and before the first message. */
  get turns(): Turns {
    return (this.#session as Session).turns;
  }

  /** Whether the CLI has asked about the call of a tool, or called one of ours. */
  get hasAskedTool(): boolean {
    return this.#session?.turns.hasAskedTool ?? false;
  }

  /** Whether the last turn ended with a deferred call. */
  get hasDeferredCall(): boolean {
    return this.#session?.turns.deferredCall !== undefined;
  }

  get hasSchema(): boolean {
    return this.#settings.options.outputSchema !== undefined;
  }

  get sessionId(): string | undefined {
    return this.#session?.turns.sessionId;
  }

  get origin(): ResultOrigin {
    return { modelAddress: this.#core?.cli.modelAddress };
  }

  get pid(): number | undefined {
    return this.#core?.cli.channel?.pid;
  }

  /** Whether it has ended, or is about to. */
  get isOver(): boolean {
    return this.#life.reason !== undefined;
  }

  /** The error that ended it; `undefined` before, and at a normal end. */
  get failure(): unknown {
    return this.#life.error;
  }

  get over(): Promise<void> {
    return this.#life.gone.promise;
  }

  [Symbol.asyncIterator](): AsyncIterator<Message> {
    return this.#consumers.iterate();
  }

  text(): Promise<string> {
    return this.#redacted(this.#result("text()", async (result) => {
      const { textOfResult } = await import("./results.ts");
      return textOfResult(result, this.origin);
    }));
  }

  result(): Promise<ResultMessage> {
    return this.#redacted(this.#result("result()", (result) => result));
  }

  output(): Promise<T> {
    const { outputSchema } = this.#settings.options;
    return this.#redacted(this.#result("output()", async (result) => {
      const { outputOfResult } = await import("./results.ts");
      return await outputOfResult<T>(result, outputSchema, this.origin);
    }));
  }

  send(
    input: UserInput,
    { uuid, signal }: SendSettings = {},
  ): Promise<void> {
    return this.#whenUp(
      signal,
      (session) => unlessAborted(session.input.send(input, uuid), signal),
      (core) => cannotWrite(core),
    );
  }

  request(
    subtype: string,
    fields?: JsonInput,
    options: ControlOptions = {},
  ): Promise<JsonObject> {
    return this.#whenUp(
      options.signal,
      ({ guarded, desk }) => {
        if (subtype === "interrupt") desk?.interrupt();
        return guarded.send(subtype, fields, options);
      },
      (core) => cannotAnswer(core, { subtype, data: { ...fields, subtype } }),
    );
  }

  /** See {@link Controls.setMcpServers}: those of this package are connected here. */
  override setMcpServers(
    given: Readonly<Record<string, McpServerInput>>,
    options: ControlOptions = {},
  ): Promise<SetMcpServersReply> {
    return this.called(() => {
      const servers = checkedServers(given);
      return this.#whenUp(
        options.signal,
        (session) =>
          session.servers.change(
            servers,
            (fields) => this.request("mcp_set_servers", fields, options),
          ),
      );
    });
  }

  /** See {@link Controls.reconnectMcpServer}: one of this package is connected anew here. */
  override reconnectMcpServer(
    name: string,
    options: ControlOptions = {},
  ): Promise<void> {
    return this.#whenUp(options.signal, async ({ servers }) => {
      if (!servers.isNone && await servers.reconnect(name)) return;
      await super.reconnectMcpServer(name, options);
    });
  }

  /** See {@link Controls.reinitialize}. */
  reinitialize(options: ControlOptions = {}): Promise<SessionInfo> {
    return this.#whenUp(
      options.signal,
      async (session) => {
        const { initializeAgain } = await import("./hook_check.ts");
        return await initializeAgain(session, options);
      },
      (core) => cannotAnswer(core, { subtype: "initialize" }),
    );
  }

  sessionInfo({ signal }: ControlOptions = {}): Promise<SessionInfo> {
    return this.#whenUp(signal, () => this.ready);
  }

  health(): ProcessHealth {
    return healthOf(this.#state(), this.#core, this.#session);
  }

  activity(): Activity {
    return this.#activity.now;
  }

  watch(
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): ReadableStream<Activity> {
    return this.#activity.watch(signal);
  }

  settled(
    { background = true, signal }: SettledOptions = {},
  ): Promise<Activity> {
    const isSettled = ({ state }: Activity) => {
      this.#checkOpen();
      if (this.failure !== undefined) throw this.failure;
      if (state === "gone") return true;
      const ledger = this.#session?.turns.state;
      if (!ledger?.isReady || this.isOver) return false;
      const now = work(ledger);
      return now === "nothing" || !background && now !== "turn";
    };
    return this.#redacted(
      unlessAborted(this.begun, signal)
        .then(() => this.#activity.until(isSettled, signal)),
    );
  }

  cost(): Cost {
    return this.#session?.costs.now ?? NO_COST;
  }

  warn(text: string, fields: LogFields): void {
    this.#core?.reporter.log.warn(text, fields);
  }

  /**
   * Gives its first prompt to one that was started ahead, once it is ready; changes before it are waited for, and end the
   * conversation when they fail.
   */
  begin(prompt: InitialPrompt, changes?: Promise<unknown>): Promise<void> {
    if (prompt.isKeptOpen) this.turns.ends.isReadByTurn = true;
    this.#observation.begin(true);
    this.#observation.observer?.ready();
    const begin = async () => {
      await changes?.catch((cause) => {
        this.#life.fail(startError(cause)).catch(() => {});
        throw cause;
      });
      if (!this.isOver) this.#session?.input.start(prompt);
    };
    return this.begun = quiet(begin());
  }

  /** Ends it when a signal is aborted, at once when that is; returns a function that removes the listener. */
  follow(signal: AbortSignal): () => void {
    const abort = () => void this.abort(signal.reason).catch(() => {});
    if (signal.aborted) abort();
    return onAbort(signal, abort);
  }

  /** Ends it as its signal would; resolves when the process is gone and the servers are closed. */
  abort(reason: unknown): Promise<void> {
    return this.#life.abort(reason);
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.#leave();
  }

  /** Closes it as {@link close}, but the error of one that had ended before can still be read. */
  release(): Promise<void> {
    return this.#released ??= this.#redacted(this.#life.close(), true);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Ends it for a consumer that has enough; the result that it has seen can still be asked for. */
  #leave(): Promise<void> {
    this.#life.dropRest();
    return this.release();
  }

  /** A promise that can be ignored, with redacted errors: those of this package, or all. */
  #redacted<Value>(promise: Promise<Value>, isAll = false): Promise<Value> {
    return quiet(promise.catch((error) => {
      const { reporter } = this.#core ?? {};
      // The reason of a signal is the caller's own.
      const isOwn = !isAll && !isAgentError(error);
      throw reporter === undefined || isOwn ? error : reporter.redact(error);
    }));
  }

  /** Does something once the start is over, at once when it is: lines keep the order of the calls. */
  #whenUp<Value>(
    signal: AbortSignal | undefined,
    work: (session: Session) => Promise<Value>,
    refusal?: (core: Core) => unknown,
  ): Promise<Value> {
    const check = () => {
      this.#checkOpen();
      signal?.throwIfAborted();
    };
    const begin = () => {
      check();
      if (this.isOver && refusal && this.#core) throw refusal(this.#core);
      return work(this.#session as Session);
    };
    const run = async () => {
      check();
      if (this.#isStarted) return await begin();
      return await unlessAborted(this.#starting.then(begin), signal);
    };
    return this.#redacted(run());
  }

  #start(prompt: InitialPrompt | undefined): Promise<SessionInfo> {
    const { signal } = this.#settings.options;
    if (signal) this.#life.scope.own("abort listener", this.follow(signal));
    return this.#life.start(
      this.#open(prompt),
      () => {
        this.turns.note({ kind: "ready" });
        this.#observation.observer?.ready();
      },
    );
  }

  /** Most of this package talks with the CLI: importing it alone does not load that. */
  async #open(prompt: InitialPrompt | undefined): Promise<SessionInfo> {
    const observation = this.#observation;
    // One that is started ahead belongs to no span yet.
    if (prompt !== undefined) observation.begin(false);
    const config: Config = {
      settings: this.#settings,
      // Before anything is waited for: they may change then.
      surroundings: {
        env: environmentNow(),
        cwd: directoryNow(),
        trace: prompt && observation.trace(),
      },
      life: this.#life,
      observation,
      isKeptOpen: prompt?.isKeptOpen ?? false,
      progress: this.#consumers.progress,
      activity: this.#activity,
      health: () => this.health(),
    };
    const [{ run }, runtime] = await loadStart();
    return await run(config, runtime, prompt, {
      onCore: (core) => this.#core = core,
      onSession: (session) => this.#session = session,
    });
  }

  async #result<Value>(
    consumer: Consumer,
    read: (result: ResultMessage) => Value | Promise<Value>,
  ): Promise<Value> {
    if (this.#isClosed) throw new ClosedError("Conversation");
    return await read(await this.#consumers.result(consumer));
  }

  #state(): ProcessState {
    return stateOf(this.isOver, this.#core, this.#session);
  }

  #checkOpen(): void {
    if (this.#isClosed || this.#life.reason === "closed") {
      throw new ClosedError("Conversation");
    }
  }
}
