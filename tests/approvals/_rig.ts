import { safeLogger } from "@sluice/agent/extend";
import { Deadlines } from "../../src/async/deadline.ts";
import { makeDesk } from "../../src/approvals/desk.ts";
import { putHandlers } from "../../src/callbacks/handlers.ts";
import type { ToolPolicy } from "../../src/options/tool_policy.ts";
import type {
  AgentOptions,
  JsonObject,
  LogFields,
  ProtocolError,
} from "@sluice/agent";
import { FakeClock } from "@sluice/agent/testing";
import { resolveOptions } from "../../src/options/resolve.ts";
import type {
  ControlContext,
  ControlFields,
  ControlHandler,
  Denial,
} from "../../src/types/controls.ts";
import type { ApprovalDesk } from "../../src/callbacks/run_callback.ts";

/** A request of the CLI as the wire hands it on: its signal is made when somebody looks at it. */
export class FakeRequest implements ControlContext {
  readonly requestId = "r7";
  /** How often somebody looked at the signal. */
  looks = 0;
  readonly #controller = new AbortController();

  get signal(): AbortSignal {
    this.looks++;
    return this.#controller.signal;
  }

  cancel(reason: unknown = new DOMException("Taken back", "AbortError")): void {
    this.#controller.abort(reason);
  }
}

/** What the callbacks of some options do, and who hears of it. */
export interface Rig {
  /** Who answers which request. */
  readonly handlers: ReadonlyMap<string, ControlHandler>;
  /** What is answered where an answer cannot be written. */
  readonly denials: ReadonlyMap<string, Denial>;
  /** The `hooks` field of `initialize`. */
  readonly hooks: JsonObject | undefined;
  readonly desk: ApprovalDesk | undefined;
  readonly clock: FakeClock;
  readonly deadlines: Deadlines;
  readonly errors: readonly ProtocolError[];
  readonly logged: readonly (readonly [string, LogFields | undefined])[];
  readonly counted: readonly (readonly unknown[])[];
  /** Asks as the CLI would, and reads the answer as it does. */
  ask(
    request: ControlFields,
    context?: ControlContext,
  ): JsonObject | Promise<JsonObject | undefined>;
}

/** Makes handlers from options, with a clock that stands still. */
export function rig(
  options: AgentOptions,
  { policy }: {
    readonly policy?: ToolPolicy;
  } = {},
): Rig {
  const clock = new FakeClock();
  const deadlines = new Deadlines(clock);
  const errors: ProtocolError[] = [];
  const logged: [string, LogFields | undefined][] = [];
  const counted: unknown[][] = [];
  const { approvals } = options.permissions ?? {};
  const desk = approvals && makeDesk(approvals, clock);
  const handlers = new Map<string, ControlHandler>();
  const denials = new Map<string, Denial>();
  const hooks = putHandlers({
    settings: {
      options,
      timeouts: resolveOptions({ timeouts: options.timeouts }).timeouts,
    },
    policy,
    desk,
    scrub: (text) => text,
    deadlines,
    progress: { position: () => 0, passed: () => Promise.resolve() },
    report: (error) => errors.push(error),
    log: safeLogger({
      debug: () => {},
      info: () => {},
      warn: (message, fields) => logged.push([message, fields]),
      error: () => {},
    }),
    metrics: {
      timeout: (subtype) => counted.push(["timeout", subtype]),
      handlerFailure: (subtype, error) =>
        counted.push(["handlerFailure", subtype, error]),
      malformedMessage: (kind) => counted.push(["malformedMessage", kind]),
    },
  }, { handlers, denials });
  return {
    handlers,
    denials,
    hooks,
    desk,
    clock,
    deadlines,
    errors,
    logged,
    counted,
    ask(request, context = new FakeRequest()) {
      const handler = handlers.get(request.subtype);
      if (handler === undefined) throw new Error(`No ${request.subtype}`);
      return handler(request, context);
    },
  };
}

/** A promise that stays open. */
export function never(): Promise<never> {
  return new Promise(() => {});
}
