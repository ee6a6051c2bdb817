import { asList, isObject } from "../../errors/text.ts";
import type { JsonObject } from "../../types/json.ts";
import type { FakeCliPlan, FakeStep } from "../fake_cli_script.ts";
import { type HookRegistration, modelOf } from "./context.ts";
import { defaultAnswer, initializeReply, initLine, userLine } from "./lines.ts";
import { scriptOf } from "./prompts.ts";
import { resultLine, type Totals } from "./result_line.ts";
import { runSteps, type StepKinds } from "./steps.ts";
import { Interrupted, Turn } from "./turn.ts";
import { type FakeWire, isRefusal } from "./wire.ts";

/** One run of the fake CLI: answers `initialize`, then gives each prompt its turn; never resolves. */
export async function runSession(
  wire: FakeWire,
  plan: FakeCliPlan,
  kinds: StepKinds,
): Promise<never> {
  const { context, changes, prompts: queue } = wire;
  const stepsFor = scriptOf(plan);
  let initialize: (() => Promise<void>) | undefined;
  let current: Turn | undefined;
  let totals: Totals = { results: 0, messages: 0, usd: 0, isError: false };

  wire.watchSignals(plan.onSigterm !== "ignore");
  if (plan.readStdin !== false) wire.read({ onPrompt, onRequest });
  await outsideTurns(plan.start);
  for (;;) await (await changes.until(nextJob, wire.gone))();

  /** The answer to `initialize` comes first, since a turn may exit at once. */
  function nextJob(): (() => Promise<void>) | undefined {
    const { mergePrompts, onStdinEnd, exitCode } = plan;
    const answer = initialize;
    initialize = undefined;
    if (answer !== undefined) return answer;
    const prompts = queue.splice(0, mergePrompts ? queue.length : 1);
    if (prompts.length > 0) return () => run(prompts);
    return wire.hasInputEnded && onStdinEnd !== "ignore"
      ? () => wire.exit(exitCode ?? (totals.isError ? 1 : 0))
      : undefined;
  }

  function onPrompt(prompt: JsonObject): void {
    queue.push(prompt);
    const uuids = uuidsOf([prompt]);
    if (uuids.length > 0) wire.setState("running");
    report("queued", uuids);
    changes.stir();
  }

  function onRequest(id: string, request: JsonObject): void {
    const { mode, model } = request;
    const subtype = String(request["subtype"]);
    if (subtype === "initialize") {
      initialize = () => begin(id, request);
      return;
    }
    // Later lines show the change.
    if (subtype === "set_permission_mode") context.permissionMode = `${mode}`;
    if (subtype === "set_model") context.model = modelOf(model);
    const scripted = new Map(Object.entries(plan.controls ?? {})).get(subtype);
    wire.answer(id, scripted ?? defaultAnswer(request));
    if (subtype === "end_session") void wire.exit(0);
    if (subtype === "interrupt" && plan.onInterrupt !== "ignore") {
      current?.interrupt();
    }
  }

  async function begin(id: string, request: JsonObject): Promise<void> {
    await register(request);
    const { initialize: answer = {} } = plan;
    if (typeof answer === "string" || isRefusal(answer)) {
      wire.answer(id, answer);
    } else {
      wire.answer(id, { ...initializeReply(context), ...answer }, {
        pending_permission_requests: [],
        pending_user_dialog_requests: [],
      });
    }
    await outsideTurns(plan.ready);
  }

  async function register(
    { hooks, sdkMcpServers, sdkMcpServerManifests: manifests }: JsonObject,
  ): Promise<void> {
    for (const [event, list] of Object.entries(hooks ?? {})) {
      context.hooks.set(event, asList(list) as unknown as HookRegistration[]);
    }
    for (const server of asList(sdkMcpServers).map(String)) {
      if (context.servers.includes(server)) continue;
      context.servers.push(server);
      const isKnown = isObject(manifests) && server in manifests;
      if (!isKnown) await wire.shakeHands(server);
    }
  }

  function outsideTurns(steps: readonly FakeStep[] = []): Promise<void> {
    return runSteps(steps, new Turn(wire, []), kinds);
  }

  async function run(prompts: readonly JsonObject[]): Promise<void> {
    const uuids = uuidsOf(prompts);
    const turn = current = new Turn(wire, uuids);
    wire.setState("running");
    report("started", uuids);
    const { init = {} } = plan;
    if (init !== false) {
      void wire.send({ ...initLine(context, uuids), ...init });
    }
    for (const { message, uuid } of context.isReplaying ? prompts : []) {
      void wire.send({
        type: "user",
        message,
        parent_tool_use_id: null,
        timestamp: new Date().toISOString(),
        isReplay: true,
        uuid,
      });
    }
    try {
      await runSteps(stepsFor(prompts), turn, kinds);
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      abort(turn);
    }
    if (turn.result !== false) await sendResult(turn, turn.result);
    report("completed", uuids);
    current = undefined;
    if (queue.length === 0) wire.setState("idle");
  }

  function abort(turn: Turn): void {
    wire.cancel(true);
    turn.failure ??= turn.openTools > 0 ? "aborted_tools" : "aborted_streaming";
    const suffix = turn.failure === "aborted_tools" ? " for tool use" : "";
    const text = `[Request interrupted by user${suffix}]`;
    void wire.send(userLine({ type: "text", text }, {}));
  }

  async function sendResult(turn: Turn, given?: JsonObject): Promise<void> {
    const line = resultLine(turn, totals, { ...plan.result, ...given });
    totals = {
      results: totals.results + 1,
      messages: totals.messages + turn.messages,
      usd: Number(line["total_cost_usd"]),
      isError: line["is_error"] === true,
    };
    await wire.send(line);
  }

  function report(state: string, uuids: readonly string[]): void {
    for (const command_uuid of uuids) {
      void wire.send({ type: "command_lifecycle", command_uuid, state });
    }
  }
}

function uuidsOf(prompts: readonly JsonObject[]): readonly string[] {
  return prompts.map(({ uuid }) => uuid)
    .filter((uuid) => typeof uuid === "string");
}
