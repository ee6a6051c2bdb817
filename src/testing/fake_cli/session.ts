import { isObject } from "../../errors/text.ts";
import type { JsonObject } from "../../types/json.ts";
import type { FakeStep, SavedPlan } from "../fake_cli_script.ts";
import { asList } from "../lines.ts";
import { type HookRegistration, modelOf } from "./context.ts";
import { defaultAnswer, initializeReply } from "./lines.ts";
import { runSteps, type StepKinds } from "./steps.ts";
import { Turn } from "./turn.ts";
import { makeTurns } from "./turns.ts";
import { type FakeWire, isRefusal } from "./wire.ts";

/** One run of the fake CLI; resolves or rejects when it is over. */
export function runSession(
  wire: FakeWire,
  plan: SavedPlan,
  kinds: StepKinds,
): Promise<void> {
  const { context, events } = wire;
  const { start = [], ready = [], onSigterm = "exit", controls = {} } = plan;
  let initialize: (() => Promise<void>) | undefined;
  let isStarted = false;

  return new Promise((resolve, reject) => {
    const watch = (work: Promise<unknown>) => void work.catch(reject);
    const turns = makeTurns(wire, plan, kinds, watch);
    wire.gone.addEventListener("abort", () => resolve());
    if (onSigterm !== "die") wire.watchSignals(onSigterm === "exit");
    if (plan.readStdin !== false) {
      wire.read({ onPrompt: turns.add, onEnd: turns.next, onRequest });
    }
    watch(begin());

    async function begin(): Promise<void> {
      await runLoose(start);
      isStarted = true;
      await answerInitialize();
    }

    function onRequest(id: string, request: JsonObject): void {
      const { mode, model } = request;
      const subtype = String(request["subtype"]);
      if (subtype === "initialize") {
        initialize = () => answer(id, request);
        events.happened("initialize", Infinity);
        if (isStarted) watch(answerInitialize());
        return;
      }
      // Later lines show the change.
      if (subtype === "set_permission_mode") {
        context.permissionMode = String(mode);
      }
      if (subtype === "set_model") context.model = modelOf(model);
      const scripted = Object.hasOwn(controls, subtype)
        ? controls[subtype]
        : undefined;
      wire.answer(id, scripted ?? defaultAnswer(request));
      events.happened(`control:${subtype}`);
      if (subtype === "end_session") void wire.exit(0);
      if (subtype !== "interrupt") return;
      events.happened("interrupt");
      if (plan.onInterrupt !== "ignore") turns.interrupt();
    }

    /** No turn begins before the answer, since a turn may exit at once. */
    async function answerInitialize(): Promise<void> {
      const answer = initialize;
      initialize = undefined;
      turns.hold();
      await answer?.();
      turns.release();
      if (answer !== undefined) await runLoose(ready);
    }
  });

  async function answer(id: string, request: JsonObject): Promise<void> {
    await register(request);
    const { initialize = {} } = plan;
    if (typeof initialize === "string" || isRefusal(initialize)) {
      return wire.answer(id, initialize);
    }
    wire.answer(id, { ...initializeReply(context), ...initialize }, {
      pending_permission_requests: [],
      pending_user_dialog_requests: [],
    });
  }

  /** Registers the hooks and in-process servers of `initialize`. */
  async function register(
    { hooks, sdkMcpServers, sdkMcpServerManifests: manifests }: JsonObject,
  ): Promise<void> {
    for (const [event, list] of Object.entries(hooks ?? {})) {
      context.hooks.set(event, asList(list) as unknown as HookRegistration[]);
    }
    for (const server of asList(sdkMcpServers).map(String)) {
      if (context.servers.includes(server)) continue;
      context.servers.push(server);
      if (isObject(manifests) && server in manifests) {
        wire.skipHandshake(server);
      } else await wire.shakeHands(server);
    }
  }

  /** Runs steps outside of any turn. */
  function runLoose(steps: readonly FakeStep[]): Promise<void> {
    return runSteps(steps, new Turn(wire, []), kinds);
  }
}
