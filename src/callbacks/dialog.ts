import type { Deadlines } from "../async/deadline.ts";
import { show, typeOf } from "../errors/text.ts";
import type { ControlHandler } from "../types/control.ts";
import type { JsonObject } from "../types/json.ts";
import type { AgentOptions, UserDialogRequest } from "../types/options.ts";
import { type Listeners, tellFailure } from "./failure.ts";
import { Call, type Guarding, runGuarded } from "./guard.ts";
import { checkShape, isObject, type Shape, wrongShape } from "./shape.ts";

/** What a {@link dialogHandler} is made from. */
export interface DialogInit extends Listeners {
  /** The user's callback; without one every dialog is cancelled. */
  readonly onUserDialog: AgentOptions["onUserDialog"];
  /** The limit of one call, in milliseconds. */
  readonly limitMs: number;
  /** Limits. */
  readonly deadlines: Deadlines;
}

const CANCELLED: JsonObject = { behavior: "cancelled" };

const RESULT: Shape = {
  behavior: ["completed", "cancelled"],
  result: "anything",
};

/** Answers `request_user_dialog`; a callback that fails leaves the dialog. */
export function dialogHandler(init: DialogInit): ControlHandler {
  const { onUserDialog, limitMs, deadlines } = init;
  if (onUserDialog === undefined) return () => CANCELLED;
  const guarding: Guarding = {
    deadlines,
    limitMs,
    accept: toAnswer,
    refuse: (failure, { request, requestId }) => {
      const dialog = request.dialog_kind;
      const what = `Dialog callback for ${show(dialog)}`;
      tellFailure(
        failure,
        { what, request, requestId, details: { dialog } },
        init,
      );
      return CANCELLED;
    },
  };
  return (request, context) => {
    const call = new Call(request, context);
    return runGuarded(
      () => onUserDialog(toRequest(request), { signal: call.signal }),
      call,
      guarding,
    );
  };
}

function toRequest(request: JsonObject): UserDialogRequest {
  const { dialog_kind: kind, payload, tool_use_id: id } = request;
  return {
    kind: String(kind),
    payload: isObject(payload) ? payload : {},
    ...typeof id === "string" && { toolUseId: id },
  };
}

function toAnswer(result: unknown): JsonObject {
  if (!isObject(result)) wrongShape(`must be an object, is ${typeOf(result)}`);
  if (result.behavior === undefined) wrongShape('field "behavior" is missing');
  checkShape(result, RESULT);
  if (result.behavior === "completed" && result.result === undefined) {
    wrongShape('field "result" is missing');
  }
  return result;
}
