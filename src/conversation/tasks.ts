import type { SystemMessage, TaskStatus } from "../protocol/messages_system.ts";
import type { BackgroundTask } from "../types/activity.ts";

/** A task that the agent left running in the background. */
export type Task = Omit<BackgroundTask, "since"> & {
  /** When it was first heard of, milliseconds since 1970. */
  readonly sinceMs: number;
};

/** What messages tell of a task; only the list that they stand in was checked. */
interface TaskFacts {
  readonly task_id: string;
  readonly task_type?: string;
  readonly description?: string;
  readonly tool_use_id?: string;
}

/** A task of that status is over. */
const ENDED: ReadonlySet<TaskStatus | undefined> = new Set([
  "completed",
  "failed",
  "killed",
]);

/**
 * The tasks that run in the background: as `background_tasks_changed` lists them; for a CLI that sends no list, from
 * `task_started` to their end. One in the foreground is part of its turn.
 */
export class Tasks {
  /** Whether the turn that tells the model of the end of the last one may still come; any turn or prompt is as good. */
  isFollowUpDue = false;
  readonly #now: () => number;
  #all: ReadonlyMap<string, Task> = new Map();
  /** Whether the CLI lists them: then nothing else counts. */
  #isListed = false;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** How many run. */
  get size(): number {
    return this.#all.size;
  }

  /** All that run, the oldest first. */
  get all(): readonly Task[] {
    return [...this.#all.values()];
  }

  /** Notes what a message tells; whether it told of tasks. */
  see(message: SystemMessage): boolean {
    switch (message.subtype) {
      case "background_tasks_changed":
        this.#isListed = true;
        return this.#set(message.tasks.map((task) => this.#task(task)));
      case "task_started":
        return message.is_backgrounded !== false && this.#runs(message);
      case "task_updated": {
        const { status, is_backgrounded: isBackgrounded } = message.patch;
        if (ENDED.has(status)) return this.#ended(message.task_id);
        return isBackgrounded === true && this.#runs(message);
      }
      case "task_notification":
        return this.#ended(message.task_id);
      default:
        return false;
    }
  }

  /** A task, with what was told of it before. */
  #task(told: Partial<TaskFacts> | null): Task {
    const { task_id, task_type: kind, description, tool_use_id } = told ?? {};
    const id = String(task_id);
    return {
      kind: "",
      sinceMs: this.#now(),
      ...this.#all.get(id),
      id,
      ...typeof kind === "string" && { kind },
      ...typeof description === "string" && { description },
      ...typeof tool_use_id === "string" && { toolUseId: tool_use_id },
    };
  }

  #runs(told: TaskFacts): boolean {
    // The list says what runs, the message which call began it.
    if (this.#isListed && !this.#all.has(told.task_id)) return false;
    const task = this.#task(told);
    return this.#set([...new Map(this.#all).set(task.id, task).values()]);
  }

  #ended(id: string): boolean {
    return !this.#isListed &&
      this.#set(this.all.filter((one) => one.id !== id));
  }

  #set(tasks: readonly Task[]): true {
    if (tasks.length === 0 && this.size > 0) this.isFollowUpDue = true;
    this.#all = new Map(tasks.map((task) => [task.id, task]));
    return true;
  }
}
