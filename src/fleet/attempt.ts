import { approvalId, readAsked } from "../approvals/request.ts";
import type { ApprovalDecision, ApprovalStore } from "../approvals/store.ts";
import { aborted, unlessAborted } from "../async/on_abort.ts";
import { ResultError } from "../errors/result.ts";
import { query } from "../query.ts";
import type { Message } from "../protocol/messages_other.ts";
import type { ResultMessage } from "../protocol/messages_turn.ts";
import { FleetError } from "../errors/fleet.ts";
import type { Conversation } from "../types/conversation.ts";
import type { TranscriptStore } from "../transcripts/store.ts";
import type { JobInfo, JobPrompt, WorkOptions } from "../types/fleet.ts";
import type { AgentOptions } from "../types/options.ts";
import type { CanUseTool } from "../types/permissions.ts";
import { fleetApprovals, TAKEN_BACK } from "./approvals.ts";
import { Controls } from "./controls.ts";
import { MessageWriter } from "./messages.ts";
import { type JobRecord, type JobSpec, PLACES } from "./record.ts";
import { Report } from "./report.ts";
import { Stop } from "./stop.ts";
import type { Store } from "./store.ts";
import { fencedTranscripts, PROJECT_KEY } from "./transcripts.ts";

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

/** What an attempt needs to know. */
export interface AttemptSettings {
  readonly store: Store;
  readonly record: JobRecord;
  /** Its number. */
  readonly attempt: number;
  readonly options: WorkOptions["options"];
  /** Stops it at once; its reason is what the attempt rejects with. */
  readonly signal: AbortSignal;
  /** Changes the job's row, as long as it is of this attempt. */
  change(next: (record: JobRecord) => JobRecord): Promise<unknown>;
  /** Told of its agent. */
  onBegin(agent: Conversation): void;
}

/**
 * Runs the agent of one attempt: its messages go to the job's log, its questions to the approvals.
 *
 * @returns The last result
 * @throws The reason of the signal, {@link Stop} where a later attempt has the job, else what ended the agent
 */
export async function runAttempt(
  settings: AttemptSettings,
): Promise<ResultMessage> {
  const { store, record, attempt, signal, change } = settings;
  const { id } = record;
  const writer = await MessageWriter.begin(store, id, attempt);
  const spec = await store.readDocument<JobSpec>(
    PLACES.spec(id, record.spec),
  );
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
  const controls = new Controls(store, id, (meant) => {
    if (meant === attempt) live.conversation?.interrupt().catch(() => {});
  });
  const results = new Results();
  const isLost = session !== undefined && record.session !== undefined;
  if (isLost) await controls.skip(record.sends);
  await change((now) => ({
    ...now,
    ...!isLost && { sends: 0 },
    attempts: now.attempts.map((one) =>
      one.attempt === attempt && session !== undefined
        ? { ...one, resumed: session }
        : one
    ),
  }));
  const prompts = promptsOf(
    isLost ? goOn(spec.prompt) : spec.prompt,
    controls,
    results,
    () => change((now) => ({ ...now, sends: now.sends + 1 })),
  );
  const given = agentOptions(spec.options, own);
  const conversation = live.conversation = query(prompts, {
    ...given,
    ...keptIn(transcripts, given),
    ...isLost && FROM_ITS_END,
    ...session !== undefined && { resume: session },
    ...record.asksForApproval && own.permissions?.canUseTool === undefined && {
      permissions: {
        ...spec.options.permissions,
        ...own.permissions,
        canUseTool: askFleet(settings, () => live.conversation?.sessionId),
      },
    },
    // Signals to this program are for the worker: it drains, and its agents go on meanwhile.
    shutdown: {
      forwardSignals: false,
      ownProcessGroup: true,
      ...spec.options.shutdown,
      ...own.shutdown,
    },
    signal,
  });
  settings.onBegin(conversation);
  const aheadMs = () => store.engine.now() - Date.now();
  const report = new Report(conversation, record, aheadMs, change);
  const leave = store.engine.listen(PLACES.job(id), () => {
    controls.read().catch(() => {});
  });
  try {
    const result = await follow(conversation, writer, results, report);
    await writer.flush();
    signal.throwIfAborted();
    return result;
  } finally {
    leave();
    results.end();
    await report.end();
    // An agent that is stopped may not run beside its successor.
    await conversation.close().catch(() => {});
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
    const id = sessionOf(message);
    if (id !== undefined && id !== session || message.type === "result") {
      session = id;
      await report.tell();
    }
    if (message.type !== "result") continue;
    last = message;
    results.come();
  }
  if (last !== undefined) return last;
  throw new ResultError({
    message: "Agent ended without a result",
    result: undefined,
  });
}

function sessionOf(message: Message): string | undefined {
  return "session_id" in message && typeof message.session_id === "string"
    ? message.session_id
    : undefined;
}

/** The first prompt, then those that come: one after the other, so that each has its result. */
async function* promptsOf(
  first: JobPrompt,
  controls: Controls,
  results: Results,
  onSend: () => Promise<unknown>,
): AsyncGenerator<JobPrompt> {
  let next: JobPrompt | undefined = first;
  for (;;) {
    yield next;
    if (!await results.next()) return;
    next = await controls.nextOrEnd();
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
  #unseen = 0;
  #isOver = false;
  #wake = () => {};

  come(): void {
    this.#unseen++;
    this.#wake();
  }

  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  /** Waits for one; false when none comes any more. */
  async next(): Promise<boolean> {
    while (this.#unseen === 0 && !this.#isOver) {
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
    return this.#unseen-- > 0;
  }
}

/** The session to go on with: that of the last attempt where it was mirrored, else what the job was given. */
async function resumable(
  { id, session, given }: JobRecord,
  load: ReturnType<typeof fencedTranscripts>["load"],
): Promise<string | undefined> {
  const isThere = async (sessionId: string) =>
    (await load({ projectKey: PROJECT_KEY, sessionId }))
      ?.some(({ type }) => SAID.includes(type));
  if (session !== undefined && await isThere(session)) return session;
  if (given === undefined || await isThere(given)) return given;
  throw new FleetError({
    message:
      `Session of job "${id}" is not in the transcripts of the fleet: "${given}"`,
    fault: "settings",
  });
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
  { store, change }: AttemptSettings,
  sessionId: () => string | undefined,
): CanUseTool {
  const approvals = fleetApprovals(store);
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
      const decision = await answered(store, approvals, id, context.signal);
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

async function answered(
  store: Store,
  approvals: ApprovalStore,
  id: string,
  signal: AbortSignal,
): Promise<ApprovalDecision> {
  return await store.until(
    PLACES.approvals,
    async () => (await readAsked(await approvals.get(id), id)).decision,
    signal,
  );
}
