import { cut, isObject } from "../../errors/text.ts";
import type { JsonObject } from "../../types/json.ts";
import type {
  FakeStep,
  FakeTurn,
  SavedPattern,
  SavedPlan,
} from "../fake_cli_script.ts";
import { asList, fieldOf } from "../lines.ts";
import { type HookRegistration, modelOf } from "./context.ts";
import { defaultAnswer, initializeReply, initLine, userLine } from "./lines.ts";
import { resultLine, type Totals } from "./result_line.ts";
import { runSteps, type StepKinds } from "./steps.ts";
import { Interrupted, Turn } from "./turn.ts";
import { type FakeWire, isRefusal } from "./wire.ts";

/** One run of the fake CLI; resolves or rejects when it is over. */
export async function runSession(
  wire: FakeWire,
  plan: SavedPlan,
  kinds: StepKinds,
): Promise<void> {
  const { context, events } = wire;
  const queue: Prompt[] = [];
  let asked: { readonly id: string; readonly request: JsonObject } | undefined;
  let isStarted = false;
  /** No turn begins before `initialize` has its answer: a turn may exit at once. */
  let isAnswering = false;
  let current: Turn | undefined;
  let turnsBegun = 0;
  let totals: Totals = { results: 0, messages: 0, usd: 0 };
  let lastIsError = false;

  return await new Promise((resolve, reject) => {
    const watched = (work: Promise<unknown>) => void work.catch(reject);
    wire.gone.addEventListener("abort", () => resolve());
    const { start = [], onSigterm = "exit", readStdin = true } = plan;
    if (onSigterm !== "die") wire.watchSignals(onSigterm === "exit");
    const begin = () => {
      const prompts = nextPrompts();
      if (prompts !== undefined) watched(run(prompts).then(begin));
    };
    const answer = () => watched(answerInitialize().then(begin));
    if (readStdin) {
      wire.read({
        onPrompt(line) {
          addPrompt(line);
          begin();
        },
        onRequest(id, request) {
          onRequest(id, request);
          if (asked !== undefined && isStarted) answer();
        },
        onEnd: begin,
      });
    }
    watched(
      runLoose(start).then(() => {
        isStarted = true;
        answer();
      }),
    );

    async function answerInitialize(): Promise<void> {
      if (asked === undefined) return;
      const { id, request } = asked;
      asked = undefined;
      isAnswering = true;
      await register(request);
      const { initialize = {}, ready = [] } = plan;
      if (typeof initialize === "string" || isRefusal(initialize)) {
        wire.answer(id, initialize);
      } else {
        wire.answer(id, { ...initializeReply(context), ...initialize }, {
          pending_permission_requests: [],
          pending_user_dialog_requests: [],
        });
      }
      isAnswering = false;
      watched(runLoose(ready));
    }
  });

  function addPrompt(line: JsonObject): void {
    const uuid = typeof line["uuid"] === "string" ? line["uuid"] : undefined;
    queue.push({ uuid, line });
    if (uuid !== undefined) {
      wire.setState("running");
      reportLifecycle("queued", [uuid]);
    }
    countPrompts();
  }

  function onRequest(id: string, request: JsonObject): void {
    const { mode, model } = request;
    const subtype = String(request["subtype"]);
    if (subtype === "initialize") {
      asked = { id, request };
      events.happened("initialize", Infinity);
      return;
    }
    // Later lines show the change.
    if (subtype === "set_permission_mode") {
      context.permissionMode = String(mode);
    }
    if (subtype === "set_model") context.model = modelOf(model);
    const { controls = {} } = plan;
    const scripted = Object.hasOwn(controls, subtype)
      ? controls[subtype]
      : undefined;
    wire.answer(id, scripted ?? defaultAnswer(request));
    events.happened(`control:${subtype}`);
    if (subtype === "end_session") void wire.exit(0);
    if (subtype !== "interrupt") return;
    events.happened("interrupt");
    if (plan.onInterrupt !== "ignore") current?.interrupt();
  }

  /** Registers the hooks and in-process servers of `initialize`. */
  async function register(
    { hooks, sdkMcpServers, sdkMcpServerManifests }: JsonObject,
  ): Promise<void> {
    for (const [event, list] of Object.entries(hooks ?? {})) {
      context.hooks.set(event, asList(list) as unknown as HookRegistration[]);
    }
    const manifests = isObject(sdkMcpServerManifests)
      ? sdkMcpServerManifests
      : {};
    for (const server of asList(sdkMcpServers).map(String)) {
      if (context.servers.includes(server)) continue;
      context.servers.push(server);
      if (server in manifests) wire.skipHandshake(server);
      else await wire.shakeHands(server);
    }
  }

  /** Runs steps outside of any turn. */
  async function runLoose(steps: readonly FakeStep[]): Promise<void> {
    await runSteps(steps, new Turn(wire, []), kinds);
  }

  /** The prompts of the next turn; exits when there is nothing left to do. */
  function nextPrompts(): readonly Prompt[] | undefined {
    if (!isStarted || isAnswering || current !== undefined) return undefined;
    const { mergePrompts, onStdinEnd, exitCode } = plan;
    const prompts = queue.splice(0, mergePrompts ? queue.length : 1);
    countPrompts();
    if (prompts.length > 0) return prompts;
    if (wire.hasInputEnded && onStdinEnd !== "ignore") {
      void wire.exit(exitCode ?? (lastIsError ? 1 : 0));
    }
    return undefined;
  }

  async function run(prompts: readonly Prompt[]): Promise<void> {
    const uuids = prompts.flatMap(({ uuid }) => uuid === undefined ? [] : uuid);
    const turn = new Turn(wire, uuids);
    current = turn;
    wire.setState("running");
    reportLifecycle("started", uuids);
    const { init = {} } = plan;
    if (init !== false) {
      void wire.send({ ...initLine(context, uuids), ...init });
    }
    for (const { line, uuid } of context.isReplaying ? prompts : []) {
      void wire.send({
        type: "user",
        message: line["message"],
        parent_tool_use_id: null,
        timestamp: new Date().toISOString(),
        isReplay: true,
        uuid,
      });
    }
    try {
      await runSteps(stepsOf(prompts), turn, kinds);
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      abort(turn, error);
    }
    if (turn.result !== false) {
      const line = resultLine(turn, totals, { ...plan.result, ...turn.result });
      totals = {
        results: totals.results + 1,
        messages: totals.messages + turn.messages,
        usd: Number(line["total_cost_usd"]),
      };
      lastIsError = line["is_error"] === true;
      await wire.send(line);
    }
    reportLifecycle("completed", uuids);
    current = undefined;
    if (queue.length === 0) wire.setState("idle");
  }

  /** The turn that matches the prompt, else the next in the list. */
  function stepsOf(prompts: readonly Prompt[]): readonly FakeStep[] {
    const { match = [] } = plan;
    const text = prompts.map(({ line }) => textOfPrompt(line)).join("\n");
    const matching = match.find(({ prompt }) => isMatch(text, prompt));
    const turn = matching?.turn ?? nextTurn(text);
    return isList(turn) ? turn : [turn];
  }

  function nextTurn(text: string): FakeTurn {
    const { match, turns = match === undefined ? "ok" : [] } = plan;
    if (!isList(turns)) return turns;
    const index = turnsBegun++;
    const prompt = `prompt ${index + 1}, ${JSON.stringify(cut(text, 60))}`;
    const misfit = match === undefined ? "" : ` no "match" fits, and`;
    const result =
      `Fake CLI has no turn for ${prompt}:${misfit} its script has ${turns.length} in "turns"`;
    return turns[index] ?? { result: { is_error: true, result } };
  }

  function abort(turn: Turn, { forTool }: Interrupted): void {
    wire.cancel(true);
    turn.failure = forTool ? "aborted_tools" : "aborted_streaming";
    const suffix = forTool ? " for tool use" : "";
    const text = `[Request interrupted by user${suffix}]`;
    void wire.send(userLine({ type: "text", text }, {}));
  }

  function reportLifecycle(state: string, uuids: readonly string[]): void {
    for (const command_uuid of uuids) {
      void wire.send({ type: "command_lifecycle", command_uuid, state });
    }
  }

  function countPrompts(): void {
    wire.waitingPrompts = queue.length;
    events.stir();
  }
}

interface Prompt {
  readonly uuid: string | undefined;
  readonly line: JsonObject;
}

function isList<T>(value: T): value is Extract<T, readonly unknown[]> {
  return Array.isArray(value);
}

function textOfPrompt({ message }: JsonObject): string {
  const content = fieldOf(message, "content");
  if (!Array.isArray(content)) return String(content ?? "");
  const texts = content.map((block) => fieldOf(block, "text"));
  return texts.filter((text) => typeof text === "string").join("");
}

function isMatch(text: string, prompt: string | SavedPattern): boolean {
  if (typeof prompt === "string") return text.includes(prompt);
  return new RegExp(prompt.source, prompt.flags).test(text);
}
