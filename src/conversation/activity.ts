import { Change } from "../async/change.ts";
import { unlessAborted } from "../async/on_abort.ts";
import { asObject } from "../errors/text.ts";
import type {
  Activity,
  ProcessHealth,
  ProcessState,
  WaitingFor,
} from "../types/activity.ts";
import type { JsonValue } from "../types/json.ts";
import type { Meter } from "../observe/metrics.ts";
import type { Engine } from "../engine/engine.ts";
import type { Incoming } from "../wire/incoming.ts";
import type { ControlFields } from "../types/controls.ts";
import { isWaiting, queued, work } from "./work.ts";
import type { CliChannel } from "./cli_channel.ts";
import type { Turns } from "./turns.ts";

export interface ActivitySource {
  readonly state: () => ProcessState;
  /** All that is not about the state. */
  readonly details: () => Omit<Activity, "state" | "since">;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The activity of an agent: derived when asked for, and watchers are notified when it may have changed. */
export class ActivityFeed {
  readonly #source: ActivitySource;
  #state: ProcessState = "starting";
  #sinceMs: number;
  #isOver = false;
  readonly #change = new Change();

  constructor(source: ActivitySource) {
    this.#source = source;
    this.#sinceMs = source.now();
  }

  get now(): Activity {
    this.#look();
    return {
      state: this.#state,
      since: new Date(this.#sinceMs),
      ...this.#source.details(),
    };
  }

  /** Resolves when it may have changed. */
  get next(): Promise<void> {
    return this.#change.next;
  }

  changed(): void {
    this.#look();
    this.#change.tell();
  }

  over(): void {
    this.#isOver = true;
    this.changed();
  }

  /** The activity now and after each change; a slow reader gets the newest. */
  watch(signal: AbortSignal | undefined): ReadableStream<Activity> {
    let told: string | undefined;
    return new ReadableStream<Activity>({
      pull: async (controller) => {
        for (;;) {
          signal?.throwIfAborted();
          const activity = this.now;
          const text = JSON.stringify(activity);
          if (text !== told) {
            told = text;
            return controller.enqueue(activity);
          }
          if (this.#isOver) return controller.close();
          await unlessAborted(this.next, signal);
        }
      },
    }, { highWaterMark: 0 });
  }

  /** Waits for an activity that fits. */
  async until(
    fits: (activity: Activity) => boolean,
    signal: AbortSignal | undefined,
  ): Promise<Activity> {
    for (;;) {
      signal?.throwIfAborted();
      const activity = this.now;
      if (fits(activity)) return activity;
      await unlessAborted(this.next, signal);
    }
  }

  #look(): void {
    const state = this.#source.state();
    if (state === this.#state) return;
    this.#state = state;
    this.#sinceMs = this.#source.now();
  }
}

interface Started {
  readonly cli: CliChannel;
  readonly meter: Meter;
}

interface Work {
  readonly turns: Turns;
  readonly engine: Engine;
  readonly stalls: { readonly isStalled: boolean };
}

/** The state of the process. */
export function stateOf(
  isOver: boolean,
  started: Started | undefined,
  open: Work | undefined,
): ProcessState {
  const { cli } = started ?? {};
  if (cli?.hasExited) return "gone";
  if (isOver) return cli?.channel ? "stopping" : "gone";
  if (!open?.turns.state.isReady) return "starting";
  const { engine, stalls, turns } = open;
  if (stalls.isStalled) return "stalled";
  if (engine.incoming.size > 0) return "waiting";
  switch (work(turns.state)) {
    case "turn":
      return isWaiting(turns.state) ? "waiting" : "running";
    case "nothing":
      return "idle";
    default:
      return "background";
  }
}

/** All of an activity that is not about the state. */
export function detailsOf(
  { turns, engine }: Partial<Work> = {},
): Omit<Activity, "state" | "since"> {
  return {
    queued: turns === undefined ? 0 : queued(turns.state),
    waitingFor: engine?.incoming.open.flatMap((one) => waitingFor(one) ?? []) ??
      [],
    tasks: turns?.state.tasks.running.map(({ sinceMs, ...task }) => ({
      ...task,
      since: new Date(sinceMs),
    })) ?? [],
  };
}

export function healthOf(
  state: ProcessState,
  { meter, cli }: Partial<Started> = {},
  open?: Work,
): ProcessHealth {
  const pid = cli?.channel?.pid;
  const { startedAt: started, lastActivityAt: last } = meter ?? {};
  return {
    ...pid !== undefined && { pid },
    ...started !== undefined && { startedAt: new Date(started) },
    ...last !== undefined && { lastActivityAt: new Date(last) },
    bytesRead: meter?.bytesRead ?? 0,
    bytesWritten: meter?.bytesWritten ?? 0,
    messagesReceived: meter?.messagesReceived ?? 0,
    messagesSent: meter?.messagesSent ?? 0,
    stderrLines: cli?.origin.stderrLines?.() ?? 0,
    pendingRequests: open?.engine.requests.size ?? 0,
    state,
  };
}

/** Describes the wait that a request of the CLI causes; `undefined` for requests that this package answers alone. */
function waitingFor(
  { requestId, request, startedAt }: Incoming["open"][number],
): WaitingFor | undefined {
  const { kind, tool } = askedBy(request) ?? {};
  return kind && {
    kind,
    requestId,
    ...typeof tool === "string" && { tool },
    since: new Date(startedAt),
  };
}

/** Whether a request of the CLI shows that a tool is called. */
export function isAboutTool(request: ControlFields): boolean {
  return askedBy(request)?.tool !== undefined;
}

function askedBy(
  request: ControlFields,
):
  | { readonly kind: WaitingFor["kind"]; readonly tool?: JsonValue | undefined }
  | undefined {
  switch (request.subtype) {
    case "can_use_tool":
      return { kind: "permission", tool: request.tool_name };
    case "hook_callback":
      return { kind: "hook", tool: asObject(request.input).tool_name };
    case "mcp_message": {
      const { message, server_name: server } = request;
      const { method, params } = asObject(message);
      if (method !== "tools/call") return undefined;
      const { name } = asObject(params);
      return { kind: "tool", tool: `mcp__${server}__${name}` };
    }
    case "elicitation":
      return { kind: "elicitation" };
    case "request_user_dialog":
      return { kind: "dialog" };
    default:
      return undefined;
  }
}
