import { ControlError } from "../errors/protocol.ts";
import { cut, isObject } from "../errors/text.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";

/** Open questions beside an answer. Source: protocol reference, section Envelopes. */
type PendingList =
  | "pending_permission_requests"
  | "pending_user_dialog_requests"
  | "pending_elicitation_requests";

/** Texts and habits of a host in the control protocol; the official SDK has its own. */
export interface Conventions {
  /** Lists of open questions beside an answer that are served. */
  readonly pendingLists: readonly PendingList[];
  /** Text of the answer to a request of an unknown kind. */
  unsupported(subtype: string): string;
  /** Code of the answer to a request whose handler failed. */
  readonly failureCode?: string;
  /** Whether a request under an id that was answered is refused, instead of being served again. */
  readonly refusesRepeated: boolean;
  /** Whether the answer to a request is sent although the CLI cancelled it. */
  readonly answersCancelled: boolean;
  /** Reason for the signal of a request that the CLI cancelled. */
  cancelled(): DOMException | undefined;
  /** Error for a request of ours that the CLI refused. */
  refused(subtype: string, response: JsonObject): Error;
  /** The value of a request of ours; `undefined` = the answer is malformed. */
  reply(response: JsonValue | undefined): JsonObject | undefined;
}

const ERROR_CODE = /^[a-z][a-z0-9_]{0,63}$/;

/** Conventions of this package. */
export const OWN_CONVENTIONS: Conventions = {
  pendingLists: [
    "pending_permission_requests",
    "pending_user_dialog_requests",
    "pending_elicitation_requests",
  ],
  unsupported: (subtype) => `This host does not answer "${subtype}"`,
  failureCode: "internal_error",
  refusesRepeated: true,
  answersCancelled: false,
  cancelled: () =>
    new DOMException("The CLI took the request back", "AbortError"),
  refused(subtype, { error, error_code: code }) {
    const text = typeof error === "string" ? error : "no reason was given";
    return new ControlError({
      message: `CLI refused ${subtype}: ${cut(text)}`,
      subtype,
      details: { error: text },
      ...(typeof code === "string" && ERROR_CODE.test(code)
        ? { errorCode: code }
        : {}),
    });
  },
  reply: (response = {}) => isObject(response) ? response : undefined,
};
