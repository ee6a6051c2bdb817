import {
  type AgentOptions,
  type ApprovalStore,
  type CanUseTool,
  type Conversation,
  type JsonObject,
  query,
  ResultError,
  type ResultMessage,
  type ShutdownOptions,
} from "@sluice/agent";
import {
  aborted,
  approvalId,
  currentName,
  joinSignals,
  LONGEST_TIMER_MS,
  readAsked,
  unlessAborted,
} from "@sluice/agent/extend";
import type { TranscriptStore } from "@sluice/agent/transcripts";
import type { JobInfo, JobPrompt, WorkOptions } from "./types.ts";
import { fleetApprovals, TAKEN_BACK } from "./approvals.ts";
import {
  type JobRecord,
  type JobSpec,
  PLACES,
  type Report,
  reportOn,
  Stop,
  type Wait,
} from "./record.ts";
import type { Store } from "./store.ts";
import { fencedTranscripts, PROJECT_KEY } from "./transcripts.ts";
import { fleetError } from "./engine.ts";
import { controlsOf, type MessageWriter, messageWriter } from "./logs.ts";

/** From SIGTERM to SIGKILL for an agent that is stopped, at most: the last part of a lease. */
const KILL_MS = 5_000;
const KILL_PART = 1 / 6;
/** From the end of stdin to SIGTERM, for an agent that has its last result. */
const GRACE_MS = 10_000;

/** How long an agent may take to end when it is stopped: its worker begins to stop it so long before the lease is over. */
export function killMsOf(leaseMs: number): number {
  return Math.min(KILL_MS, leaseMs * KILL_PART);
}

/** What is said to a session that is taken up after its worker was lost. */
const GO_ON =
  "The process that you ran in was lost, and another one goes on here. What you did last may or may not have taken effect: look before you do it again. Go on with this task:";

/** A session that is taken up goes on where it was, whatever the job began with. */
const FROM_ITS_END = {
  continue: undefined,
  forkSession: undefined,
  resumeDropsTurn: undefined,
  resumeSessionAt: undefined,
  sessionId: undefined,
} as const;

/** Without one of these the CLI has nothing to resume. */
const SAID: readonly string[] = ["user", "assistant"];

/** How an agent has ended: with the result of the job, or to go on when there is what it waits for. */
type Ended =
  | { readonly result: ResultMessage; readonly wait?: undefined }
  | { readonly wait: Wait };

/** What an attempt needs to know. */
interface AttemptSettings {
  readonly store: Store;
  readonly record: JobRecord;
  /** Its number. */
  readonly attempt: number;
  readonly options: WorkOptions["options"];
  /** Stops it at once; its reason is what the attempt rejects with. */
  readonly signal: AbortSignal;
  /** Changes the job's row, as long as it is of this attempt. */
  change(next: (record: JobRecord) => JobRecord): Promise<unknown>;
  /** Told of the options that came with the job. */
  onSpec(given: JobInfo["options"]): void;
  /** Told of its agent. */
  onBegin(agent: Conversation): void;
}

/**
 * Runs the agent of one attempt: its messages go to the job's log, its questions to the approvals.
 *
 * @returns The last result, and what the job waits for
 * @throws The reason of the signal, {@link Stop} where a later attempt has the job, else what ended the agent
 */
export async function runAttempt(
  settings: AttemptSettings,
): Promise<Ended> {
  const { store, record, attempt, signal, change } = settings;
  const { id } = record;
  const writer = await messageWriter(store, id, attempt);
  const spec = await store.readDocument<JobSpec>(
    PLACES.spec(id, record.spec),
  );
  settings.onSpec(spec.options);
  const transcripts = fencedTranscripts(store);
  const session = await resumable(record, transcripts.load);
  const job: JobInfo = {
    id,
    attempt,
    options: spec.options,
    ...record.name !== undefined && { name: record.name },
    ...record.key !== undefined && { key: record.key },
    ...session !== undefined && { session },
  };
  const own = await unlessAborted(ownOptions(settings.options, job), signal);
  const live: { conversation?: Conversation } = {};
  const controls = controlsOf(store, id, (meant) => {
    if (meant === attempt) live.conversation?.interrupt().catch(() => {});
  });
  const results = new Results();
  const isLost = session !== undefined && record.session !== undefined;
  const last = isLost ? await controls.skip(record.sends) : undefined;
  const wait = isLost ? record.wait : undefined;
  let first: JobPrompt | undefined = isLost
    ? goOn(last ?? spec.prompt)
    : spec.prompt;
  // What was put off goes on by itself.
  if (wait?.kind === "answer") first = undefined;
  if (wait?.kind === "prompt") {
    const said = await controls.next();
    // Its worker was lost before it could let the agent go: the job waits on.
    if (said === undefined) return { wait };
    first = said.prompt;
    if (first === undefined) {
      const path = PLACES.result(id, wait.result);
      return { result: await store.readDocument<ResultMessage>(path) };
    }
  }
  await change(({ wait: _, ...now }) => ({
    ...now,
    sends: !isLost
      ? 0
      : wait?.kind === "prompt"
      ? record.sends + 1
      : record.sends,
    attempts: now.attempts.map((one) =>
      one.attempt === attempt && session !== undefined
        ? { ...one, resumed: session }
        : one
    ),
  }));
  const given = agentOptions(spec.options, own);
  const kept = keptIn(transcripts, given);
  // What is kept nowhere cannot go on elsewhere.
  const idleMs = kept.transcripts === undefined
    ? LONGEST_TIMER_MS
    : record.idleMs;
  let letGo: Wait | undefined;
  const nextWhenOpen = async (result: ResultMessage) => {
    const said = await controls.next();
    if (said !== undefined) return said.prompt;
    const name = `${attempt}-${crypto.randomUUID()}`;
    await store.writeDocument(PLACES.result(id, name), result);
    const waits = () =>
      ({ kind: "prompt", result: name, heard: controls.place }) as const;
    await change((now) => ({ ...now, wait: waits() }));
    const end = performance.now() + idleMs;
    const later = await store.until(PLACES.job(id), async (again) => {
      const leftMs = end - performance.now();
      again(leftMs);
      return await controls.next() ?? (leftMs > 0 ? undefined : "late");
    }, signal);
    if (later !== "late") return later.prompt;
    letGo = waits();
    return undefined;
  };
  const prompts = promptsOf(
    first,
    record.isOpen ? nextWhenOpen : () => controls.nextOrEnd(),
    results,
    () => change(({ wait: _, ...now }) => ({ ...now, sends: now.sends + 1 })),
  );
  const tooLarge = new AbortController();
  const ends = joinSignals(signal, tooLarge.signal);
  const conversation = live.conversation = query(prompts, {
    ...given,
    ...kept,
    ...isLost && FROM_ITS_END,
    ...session !== undefined && { resume: session },
    permissions: {
      ...given.permissions,
      ...record.asksForApproval && own.permissions?.canUseTool === undefined &&
        { canUseTool: askFleet(settings, () => live.conversation?.sessionId) },
      ...record.parks !== undefined &&
        own.permissions?.approvals === undefined && {
        approvals: {
          store: attemptApprovals(settings),
          park: isOneOf(record.parks),
          waitMs: idleMs,
        },
      },
    },
    shutdown: shutdownOf(store.engine.leaseMs, {
      ...spec.options.shutdown,
      ...own.shutdown,
    }),
    signal: ends.signal,
  });
  const looking = endAtLostMessage(conversation, tooLarge);
  settings.onBegin(conversation);
  const aheadMs = () => store.engine.now() - Date.now();
  const report = reportOn(conversation, record, aheadMs, change);
  const leave = store.engine.listen(PLACES.job(id), () => {
    controls.read().catch(() => {});
  });
  try {
    const result = await follow(conversation, writer, results, report);
    await writer.flush();
    signal.throwIfAborted();
    const question = await putOff(store, result);
    if (question !== undefined && kept.transcripts !== undefined) {
      letGo = { kind: "answer", question };
    }
    return letGo === undefined ? { result } : { wait: letGo };
  } catch (error) {
    // What was lost may be known only now.
    await conversation.close().catch(() => {});
    await looking;
    signal.throwIfAborted();
    tooLarge.signal.throwIfAborted();
    throw error;
  } finally {
    leave();
    ends.release();
    results.end();
    await report.end();
    // An agent that is stopped may not run beside its successor.
    await conversation.close().catch(() => {});
  }
}

function shutdownOf(leaseMs: number, given: ShutdownOptions): ShutdownOptions {
  const { graceMs = GRACE_MS } = given;
  return {
    // Signals to this program are for the worker: it drains, and its agents go on meanwhile.
    forwardSignals: false,
    ownProcessGroup: true,
    graceMs,
    killMs: graceMs + Math.ceil(killMsOf(leaseMs)),
    ...given,
  };
}

/** A message that was too large may have been the result, which would never come again. */
async function endAtLostMessage(
  { errors }: Conversation,
  stop: AbortController,
): Promise<void> {
  try {
    for await (const error of errors) {
      if (error.code === "message_too_large") stop.abort(error);
    }
  } catch {
    // It ends with the conversation, which says why.
  }
}

async function follow(
  conversation: Conversation,
  writer: MessageWriter,
  results: Results,
  report: Report,
): Promise<ResultMessage> {
  let last: ResultMessage | undefined;
  let session: string | undefined;
  for await (const message of conversation) {
    await writer.add(message);
    const id = "session_id" in message ? message.session_id : undefined;
    if (id !== undefined && id !== session || message.type === "result") {
      session = id;
      await report.tell();
    }
    if (message.type !== "result") continue;
    last = message;
    results.come(message);
  }
  if (last !== undefined) return last;
  throw new ResultError({
    message: "Agent ended without a result",
    result: undefined,
  });
}

/** The first prompt, then those that come: one after the other, so that each has its result. */
async function* promptsOf(
  first: JobPrompt | undefined,
  more: (result: ResultMessage) => Promise<JobPrompt | undefined>,
  results: Results,
  onSend: () => Promise<unknown>,
): AsyncGenerator<JobPrompt> {
  let next = first;
  for (;;) {
    if (next !== undefined) yield next;
    const result = await results.next();
    // Whatever is said now, the CLI would give up what it has put off.
    if (result === undefined || deferredIn(result) !== undefined) return;
    next = await more(result);
    if (next === undefined) return;
    await onSend();
  }
}

function goOn(prompt: JobPrompt): JobPrompt {
  return typeof prompt === "string"
    ? `${GO_ON}\n\n${prompt}`
    : [{ type: "text", text: GO_ON }, ...prompt];
}

/** Results as they come. */
class Results {
  readonly #unseen: ResultMessage[] = [];
  #isOver = false;
  #wake = () => {};

  come(result: ResultMessage): void {
    this.#unseen.push(result);
    this.#wake();
  }

  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  /** Waits for one; `undefined` when none comes any more. */
  async next(): Promise<ResultMessage | undefined> {
    while (this.#unseen.length === 0 && !this.#isOver) {
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
    return this.#unseen.shift();
  }
}

/** The call that the CLI has put off, with its turn. */
function deferredIn(result: ResultMessage) {
  return result.subtype === "success" ? result.deferred_tool_use : undefined;
}

/** The question about a call that was put off, where the fleet has it. */
async function putOff(
  store: Store,
  result: ResultMessage,
): Promise<string | undefined> {
  const call = deferredIn(result);
  if (call === undefined) return undefined;
  const id = await approvalId({
    sessionId: result.session_id,
    toolUseId: call.id,
    tool: call.name,
    input: call.input as JsonObject,
  });
  const found = await fleetApprovals(store).get(id);
  return found === undefined ? undefined : id;
}

/** Whether a tool is one of those named, by their names of today; a `*` at the end stands for the rest. */
function isOneOf(names: readonly string[]): (tool: string) => boolean {
  const today = names.map(currentName);
  return (tool) =>
    today.some((name) =>
      name.endsWith("*") ? tool.startsWith(name.slice(0, -1)) : tool === name
    );
}

/** The session to go on with: that of the last attempt where it was mirrored, else what the job was given. */
async function resumable(
  { id, session, given }: JobRecord,
  load: TranscriptStore["load"],
): Promise<string | undefined> {
  const isThere = async (sessionId: string) =>
    (await load({ projectKey: PROJECT_KEY, sessionId }))
      ?.some(({ type }) => SAID.includes(type));
  if (session !== undefined && await isThere(session)) return session;
  if (given === undefined || await isThere(given)) return given;
  throw fleetError(
    "settings",
    `Session of job "${id}" is not in the transcripts of the fleet: "${given}"`,
  );
}

async function ownOptions(
  options: WorkOptions["options"],
  job: JobInfo,
): Promise<AgentOptions> {
  return typeof options === "function" ? await options(job) : options ?? {};
}

/** What this machine says goes over what came with the job; maps are joined. */
function agentOptions(
  sent: JobInfo["options"],
  own: AgentOptions,
): AgentOptions {
  const joined = (key: "env" | "mcpServers" | "permissions") =>
    sent[key] === undefined && own[key] === undefined
      ? {}
      : { [key]: { ...sent[key], ...own[key] } };
  return {
    ...sent,
    ...own,
    ...joined("env"),
    ...joined("mcpServers"),
    ...joined("permissions"),
  };
}

/** Where the session is kept for another worker, unless this one keeps it elsewhere or nothing is to be kept. */
function keptIn(
  store: TranscriptStore,
  { transcripts, persistSession }: AgentOptions,
): Pick<AgentOptions, "transcripts"> {
  if (transcripts !== undefined || persistSession === false) return {};
  // What `continue` looks for is no session of another job.
  const own = { ...store, listSessions: () => Promise.resolve([]) };
  return {
    transcripts: { store: own, flush: "eager", projectKey: PROJECT_KEY },
  };
}

/** Asks whoever looks after the fleet, however long that takes, about what the CLI's rules do not decide. */
function askFleet(
  { store, record, change }: AttemptSettings,
  sessionId: () => string | undefined,
): CanUseTool {
  const approvals = fleetApprovals(store, record.id);
  const ask: CanUseTool = async (tool, input, context) => {
    const { toolUseId = context.requestId, agentId, mcpServer } = context;
    const call = { sessionId: sessionId() ?? "", toolUseId, tool, input };
    const id = await approvalId(call);
    const without = (now: JobRecord) => ({
      ...now,
      waitingFor: now.waitingFor.filter((one) => one !== id),
    });
    try {
      // In the row first: whoever comes after this attempt takes back what stands there.
      await change((now) => ({ ...now, waitingFor: [...now.waitingFor, id] }));
      await approvals.park({
        id,
        ...call,
        askedAt: new Date(store.engine.now()).toISOString(),
        ...agentId !== undefined && { agentId },
        ...mcpServer !== undefined && { mcpServer: mcpServer.name },
      });
      const decision = await store.until(
        PLACES.approvals,
        async () => (await readAsked(await approvals.get(id), id)).decision,
        context.signal,
      );
      // In an attempt that was replaced nothing may run any more, whatever was decided.
      await change(without);
      return decision;
    } catch (error) {
      if (error instanceof Stop) await aborted(context.signal);
      const no = { behavior: "deny", message: TAKEN_BACK } as const;
      approvals.answer(id, no).catch(() => {});
      change(without).catch(() => {});
      throw error;
    }
  };
  return Object.assign(ask, { timeoutMs: Infinity });
}

/** The same for calls that are put off: what is asked stands in the job's row, and no answer is taken by an attempt that was replaced. */
function attemptApprovals(
  { store, record, change, signal }: AttemptSettings,
): ApprovalStore {
  const approvals = fleetApprovals(store, record.id);
  const note = async (
    next: (waitingFor: readonly string[]) => readonly string[],
  ) => {
    try {
      await change((now) => ({ ...now, waitingFor: next(now.waitingFor) }));
    } catch (error) {
      if (error instanceof Stop) await aborted(signal);
      throw error;
    }
  };
  return {
    ...approvals,
    async park(request) {
      const { id } = request;
      const known = await approvals.get(id);
      if (known?.decision !== undefined) return;
      await note((all) => all.includes(id) ? all : [...all, id]);
      await approvals.park(request);
    },
    async take(id) {
      await note((all) => all.filter((one) => one !== id));
      return await approvals.take?.(id) ?? false;
    },
  };
}
