import type {
  ElicitationRequest,
  UserDialogRequest,
} from "../types/options.ts";
import type { ControlHandler } from "../types/controls.ts";
import type { JsonObject } from "../types/json.ts";
import { denial } from "./gate.ts";
import { putHooks } from "./hooks.ts";
import { permissionHandler } from "./permissions.ts";
import { isObject, show } from "../errors/text.ts";
import {
  type Answering,
  Call,
  type Guarding,
  runGuarded,
  type Setting,
} from "./guard.ts";
import { readPlain, type Shape } from "./plain.ts";
import { DIALOG_RESULT, ELICITATION_RESULT } from "./shapes.ts";

/** Lets the user's code answer the requests that it decides; gives the `hooks` field of `initialize`. */
export function putHandlers(
  setting: Setting,
  answering: Answering,
): JsonObject | undefined {
  const { handlers, denials } = answering;
  const { onElicitation, onUserDialog } = setting.settings.options;
  handlers.set("can_use_tool", permissionHandler(setting));
  denials.set("can_use_tool", (_request, reason) => denial(reason));
  handlers.set(
    "elicitation",
    questionHandler(setting, {
      ask: onElicitation,
      toQuestion: toElicitation,
      answer: ELICITATION_RESULT,
      unasked: { action: "decline" },
      // One that fails has not chosen.
      failed: { action: "cancel" },
      label: "Elicitation callback",
      subject: ["mcp_server_name", "server"],
    }),
  );
  handlers.set(
    "request_user_dialog",
    questionHandler(setting, {
      ask: onUserDialog,
      toQuestion: toDialog,
      answer: DIALOG_RESULT,
      unasked: { behavior: "cancelled" },
      failed: { behavior: "cancelled" },
      label: "Dialog callback",
      subject: ["dialog_kind", "dialog"],
    }),
  );
  return putHooks(setting, answering);
}

/** A kind of question to a person. */
interface Kind<Question> {
  /** The user's callback, if there is one. */
  readonly ask:
    | ((question: Question, context: { signal: AbortSignal }) => unknown)
    | undefined;
  /** Reads the request. */
  readonly toQuestion: (request: JsonObject) => Question;
  /** What the callback may give back. */
  readonly answer: Shape;
  /** The answer when nobody is asked. */
  readonly unasked: JsonObject;
  /** The answer when the callback fails. */
  readonly failed: JsonObject;
  /** What failed, as an error says it. */
  readonly label: string;
  /** The field of the request that tells one question from another, and its name in an error. */
  readonly subject: readonly [field: string, name: string];
}

function questionHandler<Question>(
  setting: Setting,
  { ask, toQuestion, answer, unasked, failed, label, subject }: Kind<Question>,
): ControlHandler {
  if (ask === undefined) return () => unasked;
  const [field, name] = subject;
  const guarding: Guarding = {
    setting,
    // A person answers, as a person may answer a permission.
    limitMs: setting.settings.timeouts.permissionMs,
    accept: (value) => readPlain(value, answer) as JsonObject,
    about: ({ [field]: about }) => ({
      what: `${label} for ${show(about)}`,
      details: { [name]: about },
    }),
    refuse: () => failed,
  };
  return (request, context) => {
    const call = new Call(request, context);
    return runGuarded(
      () => ask(toQuestion(request), { signal: call.signal }),
      call,
      guarding,
    );
  };
}

function toElicitation(raw: JsonObject): ElicitationRequest {
  const { mode, url, elicitation_id: id, requested_schema: schema } = raw;
  return {
    serverName: String(raw.mcp_server_name),
    message: String(raw.message ?? ""),
    ...(mode === "form" || mode === "url") && { mode },
    ...typeof url === "string" && { url },
    ...typeof id === "string" && { elicitationId: id },
    ...isObject(schema) && { requestedSchema: schema },
    raw,
  };
}

function toDialog(request: JsonObject): UserDialogRequest {
  const { dialog_kind: kind, payload, tool_use_id: id } = request;
  return {
    kind: String(kind),
    payload: isObject(payload) ? payload : {},
    ...typeof id === "string" && { toolUseId: id },
  };
}
