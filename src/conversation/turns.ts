import type { Message } from "../types/message.ts";
import type { ResultMessage } from "../types/message_turn.ts";

/** Who hears of turns. */
export interface TurnsInit {
  /** A result came. */
  readonly onResult: (result: ResultMessage) => void;
  /** The CLI said that it is idle. */
  readonly onIdle: () => void;
  /** The number of background tasks changed. */
  readonly onTasks: () => void;
  /** A prompt is done with: completed, taken back, dropped or refused. */
  readonly onSettled: (uuid: string) => void;
  /** Whether states that are for the host alone stay in, for somebody further down who reads them and takes them out. */
  readonly keepsStates: boolean;
}

/** Watches what passes: session id, state, results, tools that run, background tasks. */
export class Turns {
  readonly #init: TurnsInit;
  readonly #openTools = new Set<string>();
  #sessionId: string | undefined;
  #state: "idle" | "running" | "requires_action" = "idle";
  #reportsState = false;
  #hasRun = false;
  #results = 0;
  #hasErrorResult = false;
  #tasks = 0;

  constructor(init: TurnsInit) {
    this.#init = init;
  }

  /** Id of the session, from the newest message that carries one. */
  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  /** Whether the CLI says when it is idle. */
  get reportsState(): boolean {
    return this.#reportsState;
  }

  /** Whether the CLI has said that it works. */
  get hasRun(): boolean {
    return this.#hasRun;
  }

  /** Whether a turn runs. */
  get isRunning(): boolean {
    return this.#state !== "idle";
  }

  /** Whether the CLI waits for a decision, or a tool runs. */
  get isWaiting(): boolean {
    // Tools of an earlier turn may be seen late: what was read ahead is parsed when it is taken.
    return this.#state === "requires_action" ||
      this.isRunning && this.#openTools.size > 0;
  }

  /** How many results came. */
  get results(): number {
    return this.#results;
  }

  /** Whether an error result came: the CLI repeats it as exit code 1, whatever came after it. */
  get hasErrorResult(): boolean {
    return this.#hasErrorResult;
  }

  /** How many background tasks run. */
  get backgroundTasks(): number {
    return this.#tasks;
  }

  /** A prompt was written: until the CLI says otherwise a turn runs. */
  promptSent(): void {
    this.#state = "running";
  }

  /** Looks at a batch and takes out what is for the host alone; in place, for the batch is given away. */
  see(given: readonly Message[]): readonly Message[] {
    const batch = given as Message[];
    let kept = 0;
    for (let i = 0; i < batch.length; i++) {
      // The index is in bounds.
      const message = batch[i] as Message;
      if (!this.#delivers(message)) continue;
      if (kept !== i) batch[kept] = message;
      kept++;
    }
    batch.length = kept;
    return batch;
  }

  #delivers(message: Message): boolean {
    switch (message.type) {
      case "stream_event":
        this.#sessionId ??= message.session_id;
        return true;
      case "assistant":
        this.#sawBlocks(message.message.content);
        break;
      case "user":
        if (typeof message.message.content !== "string") {
          this.#sawBlocks(message.message.content);
        }
        break;
      case "result":
        this.#sawResult(message);
        break;
      case "command_lifecycle":
        if (message.state !== "queued" && message.state !== "started") {
          this.#init.onSettled(message.command_uuid);
        }
        break;
      case "system":
        if (message.subtype === "session_state_changed") {
          this.#sawState(message.state);
          return message.sdk_host_only !== true || this.#init.keepsStates;
        }
        if (message.subtype === "background_tasks_changed") {
          this.#tasks = message.tasks.length;
          this.#init.onTasks();
        }
        break;
    }
    if ("session_id" in message && typeof message.session_id === "string") {
      this.#sessionId = message.session_id;
    }
    return true;
  }

  #sawBlocks(
    blocks: readonly {
      readonly type: string;
      readonly id?: string;
      readonly tool_use_id?: string;
    }[],
  ): void {
    for (const { type, id, tool_use_id: answered } of blocks) {
      if (type === "tool_use" && id !== undefined) this.#openTools.add(id);
      else if (type === "tool_result" && answered !== undefined) {
        this.#openTools.delete(answered);
      }
    }
  }

  #sawResult(result: ResultMessage): void {
    this.#results++;
    if (result.is_error) this.#hasErrorResult = true;
    this.#openTools.clear();
    if (!this.#reportsState) this.#state = "idle";
    this.#init.onResult(result);
  }

  #sawState(state: "idle" | "running" | "requires_action"): void {
    this.#reportsState = true;
    this.#state = state;
    if (state === "idle") this.#init.onIdle();
    else this.#hasRun = true;
  }
}
