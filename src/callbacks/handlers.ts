import type {
  ElicitationRequest,
  UserDialogRequest,
} from "../types/option_values.ts";
import type { ControlHandler } from "../types/controls.ts";
import type { JsonObject } from "../types/json.ts";
import { denial } from "./decisions.ts";
import { putHooks } from "./hooks.ts";
import { permissionHandler } from "./permissions.ts";
import { asObject, isObject, show } from "../errors/text.ts";
import {
  type Answering,
  Call,
  type CallbackSpec,
  runCallback,
  type Setting,
} from "./run_callback.ts";
import { readPlain, type Shape } from "./plain.ts";
import { DIALOG_RESULT, ELICITATION_RESULT } from "./shapes.ts";

/** Registers the callbacks of the options; returns the `hooks` field of `initialize`. */
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
  /** The callback of the options. */
  readonly ask:
    | ((question: Question, context: { signal: AbortSignal }) => unknown)
    | undefined;
  /** Reads the request. */
  readonly toQuestion: (request: JsonObject) => Question;
  readonly answer: Shape;
  /** The answer without a callback. */
  readonly unasked: JsonObject;
  /** The answer when the callback fails. */
  readonly failed: JsonObject;
  /** Name of the callback for error texts. */
  readonly label: string;
  /** Field of the request that identifies the question, and its name in an error. */
  readonly subject: readonly [field: string, name: string];
}

function questionHandler<Question>(
  setting: Setting,
  { ask, toQuestion, answer, unasked, failed, label, subject }: Kind<Question>,
): ControlHandler {
  if (ask === undefined) return () => unasked;
  const [field, name] = subject;
  const spec: CallbackSpec = {
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
    return runCallback(
      () => ask(toQuestion(request), { signal: call.signal }),
      call,
      spec,
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
    payload: asObject(payload),
    ...typeof id === "string" && { toolUseId: id },
  };
}
