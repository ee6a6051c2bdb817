import { asObject } from "../errors/text.ts";
import type { Conventions } from "../wire/conventions.ts";

/** Conventions of the official SDK. Source: behaviour of 0.3.330. */
export const OFFICIAL_CONVENTIONS: Conventions = {
  pendingLists: [
    "pending_permission_requests",
    "pending_user_dialog_requests",
  ],
  unsupported: (subtype) => `Unsupported control request subtype: ${subtype}`,
  refusesRepeated: false,
  answersCancelled: true,
  cancelled: () => undefined,
  refused(_, { error, error_code: code }) {
    const errorCode = typeof code === "string" && { errorCode: code };
    return Object.assign(new Error(String(error)), errorCode);
  },
  reply: asObject,
};
