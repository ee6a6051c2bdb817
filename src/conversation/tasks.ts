import type { SystemMessage, TaskStatus } from "../protocol/messages_system.ts";
import type { BackgroundTask } from "../types/activity.ts";

/** A task that the agent left running in the background. */
export type Task = Omit<BackgroundTask, "since"> & {
  /** When the CLI first reported it, milliseconds since 1970. */
  readonly sinceMs: number;
};

/** The tasks in the background. One in the foreground is part of its turn. */
export interface Tasks {
  /** The oldest first. */
  readonly running: readonly Task[];
  /** Whether the CLI lists them: then single reports do not start or end any. */
  readonly isListed: boolean;
}

/** The fields of a report about a task; only the list that holds them was checked. */
interface TaskFacts {
  readonly task_id: string;
  readonly task_type?: string;
  readonly description?: string;
  readonly tool_use_id?: string;
}

const ENDED: ReadonlySet<TaskStatus | undefined> = new Set([
  "completed",
  "failed",
  "killed",
]);

export const NO_TASKS: Tasks = { running: [], isListed: false };

/** The tasks after a message: as `background_tasks_changed` lists them, else from `task_started` to their end. The same object when the message is not about tasks. */
export function tasksAfter(
  tasks: Tasks,
  message: SystemMessage,
  nowMs: number,
): Tasks {
  switch (message.subtype) {
    case "background_tasks_changed": {
      const listed = message.tasks.map((facts) => taskOf(tasks, facts, nowMs));
      return { running: byId(listed), isListed: true };
    }
    case "task_started":
      return message.is_backgrounded === false
        ? tasks
        : started(tasks, message, nowMs);
    case "task_updated": {
      const { status, is_backgrounded: isBackgrounded } = message.patch;
      if (ENDED.has(status)) return ended(tasks, message.task_id);
      return isBackgrounded === true ? started(tasks, message, nowMs) : tasks;
    }
    case "task_notification":
      return ended(tasks, message.task_id);
    default:
      return tasks;
  }
}

function started(tasks: Tasks, facts: TaskFacts, nowMs: number): Tasks {
  const isKnown = tasks.running.some(({ id }) => id === facts.task_id);
  // The list decides what runs; a report only adds facts.
  if (tasks.isListed && !isKnown) return tasks;
  const task = taskOf(tasks, facts, nowMs);
  return { ...tasks, running: byId([...tasks.running, task]) };
}

function ended(tasks: Tasks, id: string): Tasks {
  if (tasks.isListed) return tasks;
  return { ...tasks, running: tasks.running.filter((one) => one.id !== id) };
}

/** A task, with the facts of earlier reports. */
function taskOf(
  { running }: Tasks,
  facts: Partial<TaskFacts> | null,
  nowMs: number,
): Task {
  const { task_id, task_type: kind, description, tool_use_id } = facts ?? {};
  const id = String(task_id);
  return {
    kind: "",
    sinceMs: nowMs,
    ...running.find((one) => one.id === id),
    id,
    ...typeof kind === "string" && { kind },
    ...typeof description === "string" && { description },
    ...typeof tool_use_id === "string" && { toolUseId: tool_use_id },
  };
}

/** One task for each id: the newest facts, at the oldest place. */
function byId(tasks: readonly Task[]): readonly Task[] {
  return [...new Map(tasks.map((task) => [task.id, task])).values()];
}
