import { isObject } from "../../errors/is_object.ts";
import { cut } from "../../errors/text.ts";
import type { JsonObject, JsonValue } from "../../types/json.ts";
import type {
  FakeStep,
  FakeTurn,
  SavedPattern,
  SavedPlan,
} from "../fake_cli_script.ts";
import { initializeReply, usualAnswer } from "./answers.ts";
import { type HookRegistration, modelOf } from "./context.ts";
import { failureLine, initLine, successLine } from "./lines.ts";
import { runSteps } from "./steps.ts";
import { shakeHands } from "./tools.ts";
import { Interrupted, Turn } from "./turn.ts";
import { type FakeListener, type FakeWire, isRefusal } from "./wire.ts";

interface Prompt {
  readonly uuid: string | undefined;
  readonly line: JsonObject;
}

/** One run of the fake CLI: what it does with prompts and requests, turn by turn. */
export class FakeSession implements FakeListener {
  readonly #wire: FakeWire;
  readonly #plan: SavedPlan;
  readonly #queue: Prompt[] = [];
  #initialize:
    | { readonly id: string; readonly request: JsonObject }
    | undefined;
  #isStarted = false;
  /** No turn begins before `initialize` has its answer: one that exits at once would take it along. */
  #isAnswering = false;
  #turn: Turn | undefined;
  #turns = 0;
  #results = 0;
  /** Of the model, in the turns so far. */
  #messages = 0;
  #lastIsError = false;

  constructor(wire: FakeWire, plan: SavedPlan) {
    this.#wire = wire;
    this.#plan = plan;
  }

  /** Runs the steps of the start, then whatever comes in. */
  async start(): Promise<void> {
    const { start = [], onSigterm = "exit", readStdin = true } = this.#plan;
    // Only exit() ends it, not the end of everything that keeps a program alive.
    setInterval(() => {}, 60_000);
    if (onSigterm !== "die") this.#wire.watchSignals(onSigterm === "exit");
    if (readStdin) this.#wire.read(this);
    await this.#runLoose(start);
    this.#isStarted = true;
    await this.#answerInitialize();
    this.#goOn();
  }

  onPrompt(line: JsonObject): void {
    const uuid = typeof line["uuid"] === "string" ? line["uuid"] : undefined;
    this.#queue.push({ uuid, line });
    if (uuid !== undefined) {
      this.#wire.setState("running");
      this.#lifecycle("queued", [uuid]);
    }
    this.#countPrompts();
    this.#goOn();
  }

  /** A control request came in. */
  onRequest(id: string, request: JsonObject): void {
    const subtype = String(request["subtype"]);
    const { events } = this.#wire;
    if (subtype === "initialize") {
      this.#initialize = { id, request };
      events.happened("initialize", Infinity);
      if (this.#isStarted) void this.#answerInitialize();
      return;
    }
    this.#apply(subtype, request);
    const scripted = this.#plan.controls?.[subtype];
    this.#wire.answer(id, scripted ?? usualAnswer(request));
    events.happened(`control:${subtype}`);
    if (subtype === "end_session") void this.#wire.exit(0);
    if (subtype !== "interrupt") return;
    events.happened("interrupt");
    if (this.#plan.onInterrupt !== "ignore") this.#turn?.interrupt();
  }

  /** There will be no more input. */
  onEnd(): void {
    this.#goOn();
  }

  /** What changes the session shows in later lines. */
  #apply(subtype: string, { mode, model }: JsonObject): void {
    const { context } = this.#wire;
    if (subtype === "set_permission_mode") {
      context.permissionMode = String(mode);
    }
    if (subtype === "set_model") {
      context.model = modelOf(typeof model === "string" ? model : undefined);
    }
  }

  async #answerInitialize(): Promise<void> {
    if (this.#initialize === undefined) return;
    const { id, request } = this.#initialize;
    this.#initialize = undefined;
    this.#isAnswering = true;
    await this.#takeInitialize(request);
    const { initialize = {}, ready = [] } = this.#plan;
    if (typeof initialize === "string" || isRefusal(initialize)) {
      this.#wire.answer(id, initialize);
    } else {
      const reply = { ...initializeReply(this.#wire.context), ...initialize };
      this.#wire.answer(id, reply, {
        pending_permission_requests: [],
        pending_user_dialog_requests: [],
      });
    }
    this.#isAnswering = false;
    const after = this.#runLoose(ready);
    this.#goOn();
    await after;
  }

  async #takeInitialize(
    { hooks, sdkMcpServers, sdkMcpServerManifests }: JsonObject,
  ): Promise<void> {
    const { context } = this.#wire;
    for (const [event, list] of Object.entries(hooks ?? {})) {
      context.hooks.set(event, asRegistrations(list));
    }
    const manifests = isObject(sdkMcpServerManifests)
      ? sdkMcpServerManifests
      : {};
    for (const server of Array.isArray(sdkMcpServers) ? sdkMcpServers : []) {
      if (context.servers.includes(server)) continue;
      context.servers.push(server);
      if (server in manifests) this.#wire.skipHandshake(server);
      else if (this.#plan.mcpHandshake !== false) {
        await shakeHands(this.#wire, server);
      }
    }
  }

  /** Steps outside of any turn. */
  async #runLoose(steps: readonly FakeStep[]): Promise<void> {
    await runSteps(this.#wire, steps, new Turn([]));
  }

  /** Begins the next turn, or ends when there is nothing left to do. */
  #goOn(): void {
    if (!this.#isStarted || this.#isAnswering || this.#turn !== undefined) {
      return;
    }
    const { mergePrompts, onStdinEnd, exitCode } = this.#plan;
    const count = mergePrompts ? this.#queue.length : 1;
    const prompts = this.#queue.splice(0, count);
    this.#countPrompts();
    if (prompts.length > 0) {
      void this.#run(prompts);
    } else if (this.#wire.hasInputEnded && onStdinEnd !== "ignore") {
      void this.#wire.exit(exitCode ?? (this.#lastIsError ? 1 : 0));
    }
  }

  async #run(prompts: readonly Prompt[]): Promise<void> {
    const uuids = prompts.flatMap(({ uuid }) => uuid === undefined ? [] : uuid);
    const turn = new Turn(uuids);
    this.#turn = turn;
    this.#wire.setState("running");
    this.#lifecycle("started", uuids);
    const { init = {} } = this.#plan;
    if (init !== false) {
      const line = initLine(this.#wire.context, uuids);
      void this.#wire.send({ ...line, ...init });
    }
    if (this.#wire.context.isReplaying) this.#replay(prompts);
    try {
      await runSteps(this.#wire, this.#stepsOf(prompts), turn);
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      this.#abort(turn, error);
    }
    if (turn.result !== false) await this.#sendResult(turn, turn.result);
    this.#lifecycle("completed", uuids);
    this.#turn = undefined;
    if (this.#queue.length === 0) this.#wire.setState("idle");
    this.#goOn();
  }

  /** The turn whose words fit, else the next in the list. */
  #stepsOf(prompts: readonly Prompt[]): readonly FakeStep[] {
    const { match = [] } = this.#plan;
    const text = prompts.map(({ line }) => textOfPrompt(line)).join("\n");
    const fitting = match.find(({ prompt }) => doesFit(text, prompt));
    return asSteps(fitting?.turn ?? this.#nextTurn(text));
  }

  #nextTurn(text: string): FakeTurn {
    const { match, turns = match === undefined ? "ok" : [] } = this.#plan;
    if (typeof turns === "string" || !("length" in turns)) return turns;
    const index = this.#turns++;
    const prompt = `prompt ${index + 1}, ${JSON.stringify(cut(text, 60))}`;
    const misfit = match === undefined ? "" : ` no "match" fits, and`;
    return turns[index] ?? {
      result: {
        is_error: true,
        result:
          `Fake CLI has no turn for ${prompt}:${misfit} its script has ${turns.length} in "turns"`,
      },
    };
  }

  #abort(turn: Turn, { forTool }: Interrupted): void {
    this.#wire.cancel(true);
    turn.failure = forTool ? "aborted_tools" : "aborted_streaming";
    const what = forTool ? " for tool use" : "";
    const text = `[Request interrupted by user${what}]`;
    void this.#wire.send({
      type: "user",
      message: { role: "user", content: [{ type: "text", text }] },
      parent_tool_use_id: null,
    });
  }

  async #sendResult(turn: Turn, extra: JsonObject | undefined): Promise<void> {
    const { context } = this.#wire;
    const outcome = turn.outcome(this.#results++, this.#messages);
    this.#messages += outcome.messages;
    const usual = turn.failure === undefined
      ? successLine(context, outcome)
      : failureLine(context, outcome, turn.failure);
    const line = { ...usual, ...this.#plan.result, ...extra };
    this.#lastIsError = line["is_error"] === true;
    await this.#wire.send(line);
  }

  #lifecycle(state: string, uuids: readonly string[]): void {
    for (const command_uuid of uuids) {
      void this.#wire.send({ type: "command_lifecycle", command_uuid, state });
    }
  }

  #replay(prompts: readonly Prompt[]): void {
    for (const { line, uuid } of prompts) {
      void this.#wire.send({
        type: "user",
        message: line["message"],
        parent_tool_use_id: null,
        timestamp: new Date().toISOString(),
        isReplay: true,
        uuid,
      });
    }
  }

  #countPrompts(): void {
    this.#wire.waitingPrompts = this.#queue.length;
    this.#wire.events.stir();
  }
}

function asSteps(turn: FakeTurn): readonly FakeStep[] {
  return typeof turn === "string" || !("length" in turn) ? [turn] : turn;
}

function textOfPrompt({ message }: JsonObject): string {
  const content = isObject(message) ? message["content"] : undefined;
  if (!Array.isArray(content)) return String(content ?? "");
  return content.map((block) =>
    isObject(block) && typeof block["text"] === "string" ? block["text"] : ""
  ).join("");
}

function doesFit(text: string, prompt: string | SavedPattern): boolean {
  if (typeof prompt === "string") return text.includes(prompt);
  return new RegExp(prompt.source, prompt.flags).test(text);
}

function asRegistrations(
  list: JsonValue | undefined,
): readonly HookRegistration[] {
  return (Array.isArray(list) ? list : []) as unknown as HookRegistration[];
}
