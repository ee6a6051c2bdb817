import { approvedPlan, planReader } from "../../callbacks/approved_plan.ts";
import { Unshowable } from "../../callbacks/plan_change.ts";
import { refusalOf } from "../../callbacks/questions.ts";
import type { ReadText } from "../../ports/read_text.ts";
import { NotPendingError } from "../../errors/base.ts";
import { textOfError } from "../../errors/text.ts";
import {
  type PendingPermission,
  permissionQueue,
} from "../../permission_queue.ts";
import type { PermissionDecision } from "../../protocol/permissions.ts";
import type { CanUseTool } from "../../types/permissions.ts";
import { decisionOf, readAnswer } from "./decision.ts";
import type { Asked } from "./data.ts";
import { questionsIn, shownOf } from "./shown.ts";

/** A status of HTTP, and why. */
export type Reply = readonly [status: number, text?: string];

/** The calls of a session that wait for a person, in its pages. */
export interface Questions {
  readonly canUseTool: CanUseTool;
  /** Open questions, the oldest first; a new list with each change. */
  readonly asked: readonly Asked[];
  /** Takes the answer of a page: one for each call, and for no call that it did not show. */
  answer(body: unknown): Promise<Reply>;
  /** Ends the watching. */
  close(): void;
}

/** Makes the place where calls wait for a person. */
export function questions(
  readText: ReadText,
  onChange: () => void,
): Questions {
  const queue = permissionQueue();
  const ending = new AbortController();
  /** As they were shown last. */
  const shown = new Map<string, Asked>();
  let asked: readonly Asked[] = [];
  void follow();

  const canUseTool: CanUseTool = (tool, input, context) => {
    const refusal = refusalOf(questionsIn({ tool, input }) ?? []);
    if (refusal !== undefined) return refusal;
    const { caughtUp, raw, requestId, signal, suggestions = [] } = context;
    const offersGrants = raw.suppress_always_allow_rule !== true;
    return queue.canUseTool(tool, input, {
      ...context,
      // Getters, which a copy leaves out.
      ...{ caughtUp, raw, requestId, signal },
      suggestions: offersGrants ? suggestions : [],
    });
  };

  async function follow(): Promise<void> {
    const lists = queue.watch({ signal: ending.signal });
    for await (const pending of lists) {
      for (const one of pending) {
        if (!shown.has(one.id)) {
          await show(one).catch((why) => refuse(one, why));
        }
      }
      publish();
    }
  }

  /** Denies a call that cannot be shown. */
  function refuse({ id }: PendingPermission, why: unknown): undefined {
    const message = why instanceof Unshowable
      ? why.message
      : "This call has another shape than its tool takes";
    try {
      queue.answer(id, { behavior: "deny", message });
    } catch {
      // It was taken back meanwhile.
    }
  }

  async function show(
    pending: PendingPermission,
    read: ReadText = readText,
  ): Promise<Asked> {
    const now = await shownOf(pending, read);
    shown.set(pending.id, now);
    return now;
  }

  function publish(): void {
    const open = new Set(queue.pending.map(({ id }) => id));
    for (const id of shown.keys()) {
      if (!open.has(id)) shown.delete(id);
    }
    asked = [...open].flatMap((id) => shown.get(id) ?? []);
    onChange();
  }

  async function answer(body: unknown): Promise<Reply> {
    try {
      const given = readAnswer(body);
      const pending = queue.pending.find(({ id }) => id === given.id);
      let decision: PermissionDecision = { behavior: "deny", message: "" };
      if (pending !== undefined) {
        const { input, tool } = pending;
        const plans = planReader(input, readText);
        // A denial needs nothing to be seen.
        if (given.isAllowed) {
          const now = await show(pending, plans.readText)
            .catch((why) => refuse(pending, why));
          if (now?.digest !== given.digest) {
            publish();
            return [409, "This has changed: look at it again"];
          }
        }
        const allowed = decisionOf(pending, given);
        decision = approvedPlan(tool, input, allowed, plans.shown);
      }
      // Throws where nothing is pending.
      queue.answer(given.id, decision);
      return [204];
    } catch (error) {
      const text = textOfError(error);
      if (error instanceof NotPendingError) {
        return [error.reason === "unknown" ? 404 : 409, text];
      }
      if (error instanceof TypeError) return [400, text];
      throw error;
    }
  }

  return {
    canUseTool: Object.assign(canUseTool, { timeoutMs: Infinity }),
    get asked() {
      return asked;
    },
    answer,
    close: () => ending.abort(),
  };
}
