import { Deferred, quiet } from "../async/deferred.ts";
import { Scope } from "../async/scope.ts";
import { onAbort, unlessAborted } from "../async/on_abort.ts";
import {
  type AgentError,
  ClosedError,
  isAgentError,
  ResultError,
} from "../errors/base.ts";
import { CliError } from "../errors/cli.ts";
import { textOfError } from "../errors/text.ts";
import type { Settings } from "../options/settings.ts";
import { host } from "../runtime/host.ts";
import { BatchIterator, batchStream, singleStream } from "../stream/iterate.ts";
import { type BatchSource, Queue } from "../stream/queue.ts";
import type {
  Activity,
  Cost,
  ProcessHealth,
  ProcessState,
  SettledOptions,
} from "../types/activity.ts";
import type { Conversation, UserInput } from "../types/conversation.ts";
import type { SetMcpServersReply } from "../protocol/control_host.ts";
import type { ControlOptions } from "../types/controls.ts";
import type { JsonInput, JsonObject } from "../types/json.ts";
import type { McpServerInput } from "../types/mcp.ts";
import type { Message } from "../protocol/messages_other.ts";
import type { ResultMessage } from "../protocol/messages_turn.ts";
import type { SessionInfo } from "../protocol/session.ts";
import {
  ActivityFeed,
  detailsOf,
  healthOf,
  NO_COST,
  stateOf,
} from "./activity.ts";
import { ControlMethods } from "./generated/controls.ts";
import { Ending } from "./ending.ts";
import { ErrorFeed } from "./error_feed.ts";
import { TurnsOutlet } from "./outlet.ts";
import { type Consumer, Ownership } from "./ownership.ts";
import type { Use } from "./input.ts";
import type { Open } from "./parts.ts";
import type { ResultOrigin } from "./results.ts";
import { work } from "./work.ts";
import type { Services, Shell } from "./services.ts";
import type { Milestones } from "./start.ts";
import type { Turns } from "./turns.ts";
import { checkedServers } from "../options/server_fields.ts";
import type { LogFields } from "../types/observe.ts";

/** Settings of one prompt that is sent. */
export interface SendSettings {
  /** Id of its user line, unless it has one; a new one. */
  readonly uuid?: string | undefined;
  /** Ends the waiting; a line that is on its way is not taken back. */
  readonly signal?: AbortSignal | undefined;
}

/** What `query()` returns at once, and what a client holds while it is connected. */
export class LiveConversation<T = unknown> extends ControlMethods
  implements Conversation<T> {
  readonly ready: Promise<SessionInfo>;
  /** Resolves when one that was parked has said its first prompt, or is a client's. */
  begun: Promise<void> = Promise.resolve();
  /** Where the messages are taken from. */
  readonly queue: Queue<Message> = new Queue();
  /** Who takes them. */
  readonly ownership: Ownership = new Ownership(
    () => this.#checkOpen(),
    () => this.queue.letPass(),
  );
  #messages: ReadableStream<Message> | undefined;
  #batches: ReadableStream<readonly Message[]> | undefined;
  #byTurns: TurnsOutlet | undefined;
  readonly #settings: Settings;
  readonly #errors = new ErrorFeed();
  readonly #scope = new Scope();
  readonly #ending = new Ending({
    queue: this.queue,
    errors: this.#errors,
    scope: this.#scope,
    reporter: () => this.#services?.reporter,
  });
  readonly #activity: ActivityFeed;
  readonly #givenUp = new AbortController();
  /** There from the moment that the CLI is started. */
  #services: Services | undefined;
  /** There from the moment that the output is read. */
  #open: Open | undefined;
  readonly #starting: Promise<SessionInfo>;
  #isStarted = false;
  #drained: Promise<ResultMessage | undefined> | undefined;
  #released: Promise<void> | undefined;
  #isClosed = false;

  /** Starts at once; without a use it is parked until {@link begin}. */
  constructor(settings: Settings, use?: Use) {
    super();
    this.#settings = settings;
    this.#activity = new ActivityFeed({
      state: () => this.#state(),
      details: () => detailsOf(this.#open),
      now: () => settings.clock.now(),
    });
    this.#ending.begun.promise.then(() => this.#activity.changed());
    this.#ending.over.promise.then(() => this.#activity.over());
    this.#starting = this.#start(use);
    // Taken first: whoever waits for it comes before whoever calls later.
    this.#starting.then(() => this.#isStarted = true, () => {});
    this.ready = quiet(this.#starting.then((info) => info));
    this.queue.drained.then(() => this.#endErrors());
  }

  get messages(): ReadableStream<Message> {
    return this.#messages ??= singleStream(
      this.#claimedBy("messages"),
      () => this.#leave(),
    );
  }

  get batches(): ReadableStream<readonly Message[]> {
    return this.#batches ??= batchStream(
      this.#claimedBy("batches"),
      () => this.#leave(),
    );
  }

  get errors(): ReadableStream<AgentError> {
    return this.#errors.stream;
  }

  /** Its messages turn by turn, for a client. */
  get byTurns(): TurnsOutlet {
    return this.#byTurns ??= new TurnsOutlet(this);
  }

  /** The ledger of its prompts; there before it is ready, and before the first message. */
  get turns(): Turns {
    return (this.#open as Open).turns;
  }

  /** Whether the CLI has asked about the call of a tool, or called one of ours, whoever reads the messages. */
  get hasAskedTool(): boolean {
    return this.#open?.turns.hasAskedTool ?? false;
  }

  /** Whether a structured output is part of its answer. */
  get hasSchema(): boolean {
    return this.#settings.options.outputSchema !== undefined;
  }

  get sessionId(): string | undefined {
    return this.#open?.turns.sessionId;
  }

  /** What explains its error results, where that is known. */
  get origin(): ResultOrigin {
    const { cli } = this.#services ?? {};
    return { cliPath: cli?.origin.cliPath, modelAddress: cli?.modelAddress };
  }

  get pid(): number | undefined {
    return this.#services?.cli.channel?.pid;
  }

  [Symbol.asyncIterator](): AsyncIterator<Message> {
    const source = this.#claimedBy("for await");
    return new BatchIterator(source, () => this.#leave());
  }

  text(): Promise<string> {
    return this.#told(
      this.#result("text()").then(async (one) => {
        const { textOfResult } = await import("./results.ts");
        return textOfResult(one, this.origin);
      }),
    );
  }

  result(): Promise<ResultMessage> {
    return this.#told(this.#result("result()"));
  }

  output(): Promise<T> {
    const { outputSchema } = this.#settings.options;
    return this.#told(
      this.#result("output()").then(async (one) => {
        const { outputOfResult } = await import("./results.ts");
        return await outputOfResult<T>(one, outputSchema, this.origin);
      }),
    );
  }

  send(
    input: UserInput,
    { uuid, signal }: SendSettings = {},
  ): Promise<void> {
    return this.#told(this.#whenUp(
      signal,
      ({ input: way }) => unlessAborted(way.send(input, uuid), signal),
      ({ reporter }) => reporter.cannotWrite(),
    ));
  }

  request(
    subtype: string,
    fields?: JsonInput,
    options: ControlOptions = {},
  ): Promise<JsonObject> {
    return this.#told(this.#whenUp(
      options.signal,
      ({ ask }) => ask(subtype, fields, options),
      ({ reporter }) =>
        reporter.cannotAnswer({ subtype, data: { ...fields, subtype } }),
    ));
  }

  /** See {@link Controls.setMcpServers}: those of this package are connected here. */
  override setMcpServers(
    given: Readonly<Record<string, McpServerInput>>,
    options: ControlOptions = {},
  ): Promise<SetMcpServersReply> {
    return this.called(() => {
      const servers = checkedServers(given);
      return this.#told(this.#whenUp(
        options.signal,
        (open) =>
          open.servers.change(
            servers,
            (fields) => this.request("mcp_set_servers", fields, options),
          ),
      ));
    });
  }

  /** See {@link Controls.reconnectMcpServer}: one of this package is connected anew here. */
  override reconnectMcpServer(
    name: string,
    options: ControlOptions = {},
  ): Promise<void> {
    return this.#told(this.#whenUp(options.signal, async ({ servers }) => {
      if (!servers.isNone && await servers.reconnect(name)) return;
      await super.reconnectMcpServer(name, options);
    }));
  }

  /** See {@link Controls.reinitialize}. */
  reinitialize(options: ControlOptions = {}): Promise<SessionInfo> {
    return this.#told(this.#whenUp(
      options.signal,
      async (open) => {
        const [{ initializeAgain }, { initializeFields }] = await Promise.all([
          import("./hook_check.ts"),
          import("./handshake.ts"),
        ]);
        const servers = await open.servers.listed();
        const fields = await initializeFields(open, servers);
        return await initializeAgain(open, fields, options);
      },
      ({ reporter }) => reporter.cannotAnswer({ subtype: "initialize" }),
    ));
  }

  health(): ProcessHealth {
    return healthOf(this.#state(), this.#services, this.#open);
  }

  activity(): Activity {
    return this.#activity.now;
  }

  watch(
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): ReadableStream<Activity> {
    return this.#activity.watch(signal);
  }

  settled(options: SettledOptions = {}): Promise<Activity> {
    return this.#told(this.#settled(options));
  }

  cost(): Cost {
    return this.#open?.costs.now ?? NO_COST;
  }

  /** Says something to the user's logger. */
  warn(text: string, fields: LogFields): void {
    this.#services?.reporter.log.warn(text, fields);
  }

  /** Whether it has ended, or is about to. */
  get isOver(): boolean {
    return this.#ending.reason !== undefined;
  }

  /** What ended it; `undefined` while it goes on, and when it ended as it should. */
  get failure(): unknown {
    return this.#ending.error;
  }

  /** Resolves when it has ended, and everything is closed. */
  get over(): Promise<void> {
    return this.#ending.over.promise;
  }

  /**
   * Begins with one that was parked, once it is ready; what has to be done before the first prompt is waited for, and
   * ends it when that fails.
   */
  begin(use: Use, before?: Promise<unknown>): Promise<void> {
    return this.begun = quiet(this.#begin(use, before));
  }

  async #begin(use: Use, before: Promise<unknown> | undefined): Promise<void> {
    if (use.isKeptOpen) this.turns.ends.isReadByTurn = true;
    try {
      if (before !== undefined) await before;
    } catch (cause) {
      this.#ending.fail(startError(cause)).catch(() => {});
      throw cause;
    }
    if (!this.isOver) this.#open?.input.start(use);
  }

  /** Ends it when a signal is aborted, at once when that is; gives what takes the listener back. */
  follow(signal: AbortSignal): () => void {
    const abort = () => void this.abort(signal.reason).catch(() => {});
    if (signal.aborted) abort();
    return onAbort(signal, abort);
  }

  /** Ends it as its signal would; resolves when the process is gone and the servers are closed. */
  abort(reason: unknown): Promise<void> {
    this.#givenUp.abort(reason);
    return this.#ending.abort(reason);
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.#leave();
  }

  /** What becomes of a call; nobody has to look at it, and no error of this package in it holds a secret. */
  #told<Value>(promise: Promise<Value>): Promise<Value> {
    return quiet(promise.catch((error) => {
      // The reason of a signal is the caller's own.
      throw isAgentError(error) ? this.#shown(error) : error;
    }));
  }

  #shown<Value>(value: Value): Value {
    return this.#services === undefined
      ? value
      : this.#services.reporter.shown(value);
  }

  /** Ends it for a consumer that has enough; the result that it has seen can still be asked for. */
  #leave(): Promise<void> {
    this.#ending.dropRest();
    return this.release();
  }

  /** What `close()` does, and no more: one that had ended goes on to tell how. */
  release(): Promise<void> {
    this.#givenUp.abort(new ClosedError("Conversation"));
    return this.#released ??= quiet(
      this.#ending.close().catch((error) => {
        throw this.#shown(error);
      }),
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** The reply to `initialize`. */
  sessionInfo({ signal }: ControlOptions = {}): Promise<SessionInfo> {
    return this.#told(this.#whenUp(signal, () => this.ready));
  }

  /** Does something once the start is over, at once when it is: lines keep the order of the calls. */
  async #whenUp<T>(
    signal: AbortSignal | undefined,
    work: (open: Open) => Promise<T>,
    refusal?: (open: Open) => unknown,
  ): Promise<T> {
    const check = () => {
      this.#checkOpen();
      signal?.throwIfAborted();
    };
    const begin = () => {
      check();
      const open = this.#open as Open;
      if (this.isOver && refusal !== undefined) throw refusal(open);
      return work(open);
    };
    check();
    if (this.#isStarted) return await begin();
    return await unlessAborted(this.#starting.then(begin), signal);
  }

  async #start(use: Use | undefined): Promise<SessionInfo> {
    const { signal } = this.#settings.options;
    const decided = new Deferred<void>();
    if (signal) this.#scope.own("abort listener", this.follow(signal));
    const opening = load(
      {
        settings: this.#settings,
        queue: this.queue,
        errors: this.#errors,
        ending: this.#ending,
        scope: this.#scope,
        signal: this.#givenUp.signal,
        isKeptOpen: use?.isKeptOpen ?? false,
        progress: {
          position: () => this.queue.position,
          passed: (position) => this.#passed(position),
        },
        decided: decided.promise,
        health: () => this.health(),
        activity: this.#activity,
      },
      use,
      {
        onServices: (services) => this.#services = services,
        onOpen: (open) => this.#open = open,
      },
    );
    try {
      const info = await unlessAborted(opening, this.#givenUp.signal);
      this.turns.ready();
      decided.resolve();
      this.queue.open();
      this.#errors.open();
      return info;
    } catch (reason) {
      opening.catch(() => {});
      decided.resolve();
      if (this.#ending.reason !== undefined) throw this.#ending.error ?? reason;
      const error = startError(reason);
      this.#givenUp.abort(error);
      await this.#ending.failStart(error);
      throw error;
    }
  }

  #claimedBy(consumer: Consumer): BatchSource<Message> {
    return this.ownership.claimed(consumer, this.queue);
  }

  /** Whoever waits for both is told of the end of the messages first. */
  async #endErrors(): Promise<void> {
    if (this.#errors.isAwaited) await afterConsumer().catch(() => {});
    this.#errors.end();
  }

  /** Resolves when the consumer has what was read up to a position; at once when there is no consumer. */
  async #passed(position: number): Promise<void> {
    if (this.ownership.owner) await this.queue.passed(position);
    await afterConsumer();
  }

  /** The result: of all messages where nobody takes them, of the same pass where somebody does. */
  async #result(consumer: Consumer): Promise<ResultMessage> {
    if (this.#isClosed) throw new ClosedError("Conversation");
    if (this.#drained === undefined && !this.ownership.owner) {
      this.#drained = lastResult(this.#claimedBy(consumer));
    }
    const result = await (this.#drained ?? this.#passingResult());
    if (result !== undefined) return result;
    this.#checkOpen();
    throw new ResultError({
      message: "Conversation ended without a result",
      result,
    });
  }

  /** Not the end of the messages is waited for: their taker may be the one who asks. */
  async #passingResult(): Promise<ResultMessage | undefined> {
    const { begun } = this.#ending;
    const answered = this.ready.then(() => this.turns.answered.promise);
    await Promise.race([answered.catch(() => {}), begun.promise]);
    if (this.#ending.error !== undefined) throw this.#ending.error;
    return this.#open?.turns.state.lastResult;
  }

  async #settled(
    { background = true, signal }: SettledOptions,
  ): Promise<Activity> {
    await unlessAborted(this.begun, signal);
    for (;;) {
      this.#checkOpen();
      signal?.throwIfAborted();
      if (this.#ending.error !== undefined) throw this.#ending.error;
      const activity = this.activity();
      if (activity.state === "gone") return activity;
      const ledger = this.#open?.turns.state;
      if (ledger?.isReady && !this.isOver) {
        const now = work(ledger);
        if (now === "nothing" || !background && now !== "turn") return activity;
      }
      await unlessAborted(this.#activity.next, signal);
    }
  }

  #state(): ProcessState {
    return stateOf(this.isOver, this.#services, this.#open);
  }

  #checkOpen(): void {
    if (this.#isClosed || this.#ending.reason === "closed") {
      throw new ClosedError("Conversation");
    }
  }
}

/** What talks with the CLI is most of this package: whoever only imports it does not pay for that. */
async function load(
  shell: Shell,
  use: Use | undefined,
  milestones: Milestones,
): Promise<SessionInfo> {
  // The adapter of the runtime is loaded beside it.
  const [{ start }, runtime] = await Promise.all([
    import("./start.ts"),
    host(),
  ]);
  return await start(shell, runtime, use, milestones);
}

/** Reads all messages; the last result, `undefined` when there was none. */
async function lastResult(
  source: BatchSource<Message>,
): Promise<ResultMessage | undefined> {
  let last: ResultMessage | undefined;
  for (;;) {
    const batch = await source.take();
    if (batch === undefined) break;
    for (const message of batch) if (message.type === "result") last = message;
  }
  return last;
}

/** Whoever takes messages has gone on by the next turn of the event loop, however many promises stand in between. */
async function afterConsumer(): Promise<void> {
  const { nextTurn } = await host();
  await new Promise<void>((resolve) => nextTurn(resolve));
}

/** A transport of the user's may break a start in any way. */
function startError(cause: unknown): AgentError {
  return isAgentError(cause) ? cause : new CliError({
    stage: "connect",
    message: `Conversation could not be started: ${textOfError(cause)}`,
    cause,
  });
}
