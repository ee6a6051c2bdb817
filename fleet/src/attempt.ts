import {
  type AgentOptions,
  type Conversation,
  query,
  type ResultMessage,
} from "@sluice/agent";
import { joinSignals, unlessAborted } from "@sluice/agent/extend";
import type { TranscriptStore } from "@sluice/agent/transcripts";
import type { JobInfo, JobPrompt, WorkOptions } from "./types.ts";
import { agentOptions, LONGEST_IDLE_MS } from "./agent_options.ts";
import { type Controls, controlsOf } from "./controls.ts";
import { fleetError } from "./engine.ts";
import { messageWriter } from "./messages.ts";
import { questionsOf } from "./questions.ts";
import { type JobRecord, type JobSpec, PLACES, type Wait } from "./record.ts";
import { reportOn } from "./report.ts";
import type { Store } from "./store.ts";
import { fencedTranscripts, PROJECT_KEY } from "./transcripts.ts";

/** Begins the prompt of a session that is resumed after its worker was lost. */
const RESUME =
  "The process that you ran in was lost, and you continue in another one. Your last action may or may not have taken effect: check before you repeat it. Continue with this task:";

/** A resumed session continues at its end, whatever the job began with. */
const FROM_ITS_END = {
  continue: undefined,
  forkSession: undefined,
  resumeDropsTurn: undefined,
  resumeSessionAt: undefined,
  sessionId: undefined,
} as const;

/** Without one of these the CLI has nothing to resume. */
const RESUMABLE: readonly string[] = ["user", "assistant"];

/** With the result of the job, or with what it waits for without an agent. */
export type AttemptEnd =
  | { readonly result: ResultMessage; readonly wait?: undefined }
  | { readonly wait: Wait; readonly result?: undefined };

export interface AttemptSettings {
  readonly store: Store;
  readonly record: JobRecord;
  readonly attempt: number;
  readonly options: WorkOptions["options"];
  /** Stops it; its reason is what the attempt rejects with. */
  readonly signal: AbortSignal;
  /** Changes the job's row, as long as it is of this attempt. */
  change(next: (record: JobRecord) => JobRecord): Promise<unknown>;
  /** Called with the options that came with the job. */
  onSpec(given: JobInfo["options"]): void;
  onBegin(agent: Conversation): void;
}

/**
 * Runs the agent of one attempt: its messages go to the job's log, its questions to the approvals.
 *
 * @throws The reason of the signal, {@link Stop} where a later attempt has the job, else the error of the agent
 */
export async function runAttempt(
  settings: AttemptSettings,
): Promise<AttemptEnd> {
  const { store, record, attempt, signal, change } = settings;
  const { id } = record;
  const path = PLACES.job(id);
  const writer = await messageWriter(store, id, attempt);
  const spec = await store.load<JobSpec>(PLACES.spec(id, record.spec));
  settings.onSpec(spec.options);
  const transcripts = fencedTranscripts(store);
  const session = await resumable(record, transcripts.load);
  const { name, key } = record;
  const job: JobInfo = {
    id,
    attempt,
    options: spec.options,
    ...name !== undefined && { name },
    ...key !== undefined && { key },
    ...session !== undefined && { session },
    ...spec.trace !== undefined && { trace: spec.trace },
  };
  const own = await unlessAborted(ownOptions(settings.options, job), signal);

  let agent: Conversation | undefined;
  const controls = controlsOf(store, id, (meant) => {
    if (meant === attempt) agent?.interrupt().catch(() => {});
  });
  const isResumed = session !== undefined && record.session !== undefined;
  const first = isResumed
    ? await resumption(store, record, spec, controls)
    : { prompt: spec.prompt, sends: 0 };
  if ("end" in first) return first.end;
  await change(({ wait: _, ...now }) => ({
    ...now,
    sends: first.sends,
    attempts: now.attempts.map((one) =>
      one.attempt === attempt && session !== undefined
        ? { ...one, resumed: session }
        : one
    ),
  }));

  const questions = questionsOf({
    ...settings,
    sessionId: () => agent?.sessionId,
  });
  const isKept = own.transcripts === undefined &&
    (own.persistSession ?? spec.options.persistSession) !== false;
  // Without a transcript no other worker could continue.
  const idleMs = isKept ? record.idleMs : LONGEST_IDLE_MS;
  const { readable, writable } = new TransformStream<JobPrompt, JobPrompt>();
  const input = writable.getWriter();
  // Without a first prompt the CLI resumes its deferred call.
  if (first.prompt !== undefined) input.write(first.prompt).catch(() => {});
  let wait: Wait | undefined;
  let isDeciding = false;

  /** Gives the agent its next prompt, or ends its input. */
  async function proceed(result: ResultMessage): Promise<void> {
    if (isDeciding) return;
    isDeciding = true;
    try {
      const next = await promptAfter(result);
      if (next === undefined) return await input.close();
      await change(({ wait: _, ...now }) => ({ ...now, sends: now.sends + 1 }));
      await input.write(next);
    } catch (error) {
      await input.abort(error).catch(() => {});
    } finally {
      isDeciding = false;
    }
  }

  async function promptAfter(
    result: ResultMessage,
  ): Promise<JobPrompt | undefined> {
    // With a further prompt the CLI would drop the deferred call.
    if (deferredIn(result) !== undefined) return undefined;
    if (!record.isOpen) return await controls.nextOrEnd();
    const said = await controls.next();
    if (said !== undefined) return said.prompt;
    const name = `${attempt}-${crypto.randomUUID()}`;
    await store.save(PLACES.result(id, name), result);
    const waits = () =>
      ({ kind: "prompt", result: name, heard: controls.place }) as const;
    await change((now) => ({ ...now, wait: waits() }));
    const end = performance.now() + idleMs;
    const later = await store.until(path, async (again) => {
      const leftMs = end - performance.now();
      again(leftMs);
      return await controls.next() ?? (leftMs > 0 ? undefined : "late");
    }, signal);
    if (later !== "late") return later.prompt;
    wait = waits();
    return undefined;
  }

  const tooLarge = new AbortController();
  const ends = joinSignals(signal, tooLarge.signal);
  const conversation = agent = query(readable, {
    ...agentOptions({ record, sent: spec.options, own, questions, idleMs }, {
      leaseMs: store.engine.leaseMs,
      transcripts: isKept ? transcripts : undefined,
    }),
    ...isResumed && FROM_ITS_END,
    ...session !== undefined && { resume: session },
    signal: ends.signal,
  });
  settings.onBegin(conversation);
  const lookingForLoss = endAtLostMessage(conversation, tooLarge);
  const aheadMs = Math.round(store.engine.now() - Date.now());
  const report = reportOn(conversation, record, aheadMs, change);
  const leave = store.engine.listen(path, () => {
    controls.read().catch(() => {});
  });
  let known: string | undefined;
  try {
    for await (const message of conversation) {
      await writer.add(message);
      const isResult = message.type === "result";
      if (isResult || conversation.sessionId !== known) {
        known = conversation.sessionId;
        await report.write();
      }
      if (isResult) void proceed(message);
    }
    const result = await conversation.result();
    await writer.flush();
    signal.throwIfAborted();
    const deferred = deferredIn(result);
    const question = deferred && questions.parked.get(deferred.id);
    if (question !== undefined && isKept) wait = { kind: "answer", question };
    return wait === undefined ? { result } : { wait };
  } catch (error) {
    // A lost message may be known only at the end.
    await conversation.close().catch(() => {});
    await lookingForLoss;
    signal.throwIfAborted();
    tooLarge.signal.throwIfAborted();
    throw error;
  } finally {
    leave();
    ends.release();
    await report.end();
    // A stopped agent may not run beside its successor.
    await conversation.close().catch(() => {});
  }
}

/** Continuation of a resumed session: with a prompt, with its deferred call, or not at all. */
async function resumption(
  store: Store,
  record: JobRecord,
  { prompt }: JobSpec,
  controls: Controls,
): Promise<
  | { readonly prompt: JobPrompt | undefined; readonly sends: number }
  | { readonly end: AttemptEnd }
> {
  const { id, sends, wait } = record;
  const last = await controls.skip(sends);
  if (wait === undefined) return { prompt: resuming(last ?? prompt), sends };
  if (wait.kind === "answer") return { prompt: undefined, sends };
  const said = await controls.next();
  // Its worker was lost before it could end the attempt: the job still waits.
  if (said === undefined) return { end: { wait } };
  if (said.prompt !== undefined) {
    return { prompt: said.prompt, sends: sends + 1 };
  }
  const place = PLACES.result(id, wait.result);
  return { end: { result: await store.load<ResultMessage>(place) } };
}

function resuming(prompt: JobPrompt): JobPrompt {
  return typeof prompt === "string"
    ? `${RESUME}\n\n${prompt}`
    : [{ type: "text", text: RESUME }, ...prompt];
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
    // It ends with the conversation, which has the error.
  }
}

/** The tool call that the CLI has deferred, with its turn. */
function deferredIn(result: ResultMessage) {
  return result.subtype === "success" ? result.deferred_tool_use : undefined;
}

/** The session to resume: that of the last attempt where it was mirrored, else the one that the job was submitted with. */
async function resumable(
  { id, session, given }: JobRecord,
  load: TranscriptStore["load"],
): Promise<string | undefined> {
  const isThere = async (sessionId: string) =>
    (await load({ projectKey: PROJECT_KEY, sessionId }))
      ?.some(({ type }) => RESUMABLE.includes(type));
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
