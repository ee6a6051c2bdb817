import { cut, isObject } from "../../errors/text.ts";
import type { JsonObject } from "../../types/json.ts";
import type {
  FakeStep,
  FakeTurn,
  SavedPattern,
  SavedPlan,
} from "../fake_cli_script.ts";
import { asList, fieldOf } from "../wire_lines.ts";
import { initializeReply, initLine, usualAnswer } from "./lines.ts";
import { resultLine, type Totals } from "./result_line.ts";
import { runSteps, type StepKinds } from "./steps.ts";
import { Interrupted, Turn } from "./turn.ts";
import { FakeWire, type HookRegistration, isRefusal, modelOf } from "./wire.ts";
import { TESTED_VERSION } from "../../options/versions.ts";
import type { Program } from "../../runtime/program.ts";

/** Does what the script in a folder says, with steps of these kinds; the folder is the first argument, those of the CLI follow. */
export async function playScript(
  self: Program,
  kinds: StepKinds,
): Promise<void> {
  const [folder = ".", ...args] = self.args;
  const script = JSON.parse(
    self.readText(`${folder}/script.json`),
  ) as SavedPlan & { readonly runs?: readonly SavedPlan[] };
  if (args.includes("--version")) {
    const { version = TESTED_VERSION } = script;
    await self.write(
      new TextEncoder().encode(`${version} (Claude Code)\n`),
    );
    self.exit(0);
  }

  const { runs, ...common } = script;
  const plan = { ...common, ...await ownRun(self, folder, runs) };
  const log = `${folder}/log.jsonl`;
  const note = plan.record === false
    ? () => {}
    : (entry: object) =>
      self.appendText(log, `${JSON.stringify({ pid: self.pid, ...entry })}\n`);
  note({ event: "start", args, cwd: self.cwd, env: Object.keys(self.env) });
  await runSession(new FakeWire({ ...self, args }, plan, note), plan, kinds);
}

/** What this process alone does; processes that start at once agree by the order in which they note themselves. */
async function ownRun(
  self: Program,
  folder: string,
  runs: readonly SavedPlan[] | undefined,
): Promise<SavedPlan> {
  if (runs === undefined) return {};
  const starts = `${folder}/starts`;
  self.appendText(starts, `${self.pid}\n`);
  const index = self.readText(starts).split("\n").lastIndexOf(`${self.pid}`);
  const run = runs[index];
  if (run !== undefined) return run;
  await self.writeError(
    `Fake CLI has no script for process ${
      index + 1
    }: "runs" has ${runs.length}\n`,
  );
  return self.exit(1);
}

interface Prompt {
  readonly uuid: string | undefined;
  readonly line: JsonObject;
}

/** One run of the fake CLI: what it does with prompts and requests, turn by turn. */
async function runSession(
  wire: FakeWire,
  plan: SavedPlan,
  kinds: StepKinds,
): Promise<void> {
  const { context } = wire;
  const queue: Prompt[] = [];
  let asked:
    | { readonly id: string; readonly request: JsonObject }
    | undefined;
  let isStarted = false;
  /** No turn begins before `initialize` has its answer: one that exits at once would take it along. */
  let isAnswering = false;
  let current: Turn | undefined;
  let turnsBegun = 0;
  let totals: Totals = { results: 0, messages: 0, usd: 0 };
  let lastIsError = false;

  const { start = [], onSigterm = "exit", readStdin = true } = plan;
  // Only exit() ends it, not the end of everything that keeps a program alive.
  setInterval(() => {}, 60_000);
  if (onSigterm !== "die") wire.watchSignals(onSigterm === "exit");
  if (readStdin) wire.read({ onPrompt, onRequest, onEnd: goOn });
  await runLoose(start);
  isStarted = true;
  await answerInitialize();
  goOn();

  function onPrompt(line: JsonObject): void {
    const uuid = typeof line["uuid"] === "string" ? line["uuid"] : undefined;
    queue.push({ uuid, line });
    if (uuid !== undefined) {
      wire.setState("running");
      lifecycle("queued", [uuid]);
    }
    countPrompts();
    goOn();
  }

  /** A control request came in. */
  function onRequest(id: string, request: JsonObject): void {
    const subtype = String(request["subtype"]);
    const { events } = wire;
    if (subtype === "initialize") {
      asked = { id, request };
      events.happened("initialize", Infinity);
      if (isStarted) void answerInitialize();
      return;
    }
    // What changes the session shows in later lines.
    const { mode, model } = request;
    if (subtype === "set_permission_mode") {
      context.permissionMode = String(mode);
    }
    if (subtype === "set_model") {
      context.model = modelOf(typeof model === "string" ? model : undefined);
    }
    wire.answer(id, plan.controls?.[subtype] ?? usualAnswer(request));
    events.happened(`control:${subtype}`);
    if (subtype === "end_session") void wire.exit(0);
    if (subtype !== "interrupt") return;
    events.happened("interrupt");
    if (plan.onInterrupt !== "ignore") current?.interrupt();
  }

  async function answerInitialize(): Promise<void> {
    if (asked === undefined) return;
    const { id, request } = asked;
    asked = undefined;
    isAnswering = true;
    await takeInitialize(request);
    const { initialize = {}, ready = [] } = plan;
    if (typeof initialize === "string" || isRefusal(initialize)) {
      wire.answer(id, initialize);
    } else {
      const reply = { ...initializeReply(context), ...initialize };
      wire.answer(id, reply, {
        pending_permission_requests: [],
        pending_user_dialog_requests: [],
      });
    }
    isAnswering = false;
    const after = runLoose(ready);
    goOn();
    await after;
  }

  async function takeInitialize(
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
      else if (plan.mcpHandshake !== false) await wire.shakeHands(server);
    }
  }

  /** Steps outside of any turn. */
  async function runLoose(steps: readonly FakeStep[]): Promise<void> {
    await runSteps(steps, new Turn(wire, []), kinds);
  }

  /** Begins the next turn, or ends when there is nothing left to do. */
  function goOn(): void {
    if (!isStarted || isAnswering || current !== undefined) return;
    const { mergePrompts, onStdinEnd, exitCode } = plan;
    const count = mergePrompts ? queue.length : 1;
    const prompts = queue.splice(0, count);
    countPrompts();
    if (prompts.length > 0) {
      void run(prompts);
    } else if (wire.hasInputEnded && onStdinEnd !== "ignore") {
      void wire.exit(exitCode ?? (lastIsError ? 1 : 0));
    }
  }

  async function run(prompts: readonly Prompt[]): Promise<void> {
    const uuids = prompts.flatMap(({ uuid }) => uuid === undefined ? [] : uuid);
    const turn = new Turn(wire, uuids);
    current = turn;
    wire.setState("running");
    lifecycle("started", uuids);
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
      const given = { ...plan.result, ...turn.result };
      const line = resultLine(turn, totals, given);
      totals = {
        results: totals.results + 1,
        messages: totals.messages + turn.messages,
        usd: Number(line["total_cost_usd"]),
      };
      lastIsError = line["is_error"] === true;
      await wire.send(line);
    }
    lifecycle("completed", uuids);
    current = undefined;
    if (queue.length === 0) wire.setState("idle");
    goOn();
  }

  /** The turn whose words fit, else the next in the list. */
  function stepsOf(prompts: readonly Prompt[]): readonly FakeStep[] {
    const { match = [] } = plan;
    const text = prompts.map(({ line }) => textOfPrompt(line)).join("\n");
    const fitting = match.find(({ prompt }) => doesFit(text, prompt));
    return asSteps(fitting?.turn ?? nextTurn(text));
  }

  function nextTurn(text: string): FakeTurn {
    const { match, turns = match === undefined ? "ok" : [] } = plan;
    if (typeof turns === "string" || !("length" in turns)) return turns;
    const index = turnsBegun++;
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

  function abort(turn: Turn, { forTool }: Interrupted): void {
    wire.cancel(true);
    turn.failure = forTool ? "aborted_tools" : "aborted_streaming";
    const what = forTool ? " for tool use" : "";
    const text = `[Request interrupted by user${what}]`;
    void wire.send({
      type: "user",
      message: { role: "user", content: [{ type: "text", text }] },
      parent_tool_use_id: null,
    });
  }

  function lifecycle(state: string, uuids: readonly string[]): void {
    for (const command_uuid of uuids) {
      void wire.send({ type: "command_lifecycle", command_uuid, state });
    }
  }

  function countPrompts(): void {
    wire.waitingPrompts = queue.length;
    wire.events.stir();
  }
}

function asSteps(turn: FakeTurn): readonly FakeStep[] {
  return typeof turn === "string" || !("length" in turn) ? [turn] : turn;
}

function textOfPrompt({ message }: JsonObject): string {
  const content = fieldOf(message, "content");
  if (!Array.isArray(content)) return String(content ?? "");
  const texts = content.map((block) => fieldOf(block, "text"));
  return texts.filter((text) => typeof text === "string").join("");
}

function doesFit(text: string, prompt: string | SavedPattern): boolean {
  if (typeof prompt === "string") return text.includes(prompt);
  return new RegExp(prompt.source, prompt.flags).test(text);
}
