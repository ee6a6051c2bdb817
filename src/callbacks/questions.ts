import { isObject, show } from "../errors/text.ts";
import type { Deadlines } from "../async/deadline.ts";
import type { JsonObject } from "../types/json.ts";
import type {
  AgentOptions,
  ElicitationRequest,
  UserDialogRequest,
} from "../types/options.ts";
import { type Listeners, tellFailure } from "./failure.ts";
import { DIALOG_RESULT, ELICITATION_RESULT } from "./answer_shapes.ts";
import { Call, type Guarding, runGuarded } from "./guard.ts";
import { readPlain, type Shape } from "./plain.ts";
import type { ControlHandler } from "../types/controls.ts";

/** What the handlers of questions to a person share. */
type Asking = Listeners & {
  /** The limit of one call, in milliseconds. */
  readonly limitMs: number;
  readonly deadlines: Deadlines;
};

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

/** Answers `elicitation`: declined without a callback; one that fails has not chosen, which is a cancel. */
export function elicitationHandler(
  asking: Asking,
  onElicitation: AgentOptions["onElicitation"],
): ControlHandler {
  return questionHandler(asking, {
    ask: onElicitation,
    toQuestion: toElicitation,
    answer: ELICITATION_RESULT,
    unasked: { action: "decline" },
    failed: { action: "cancel" },
    label: "Elicitation callback",
    subject: ["mcp_server_name", "server"],
  });
}

/** Answers `request_user_dialog`: left without a callback, and when it fails. */
export function dialogHandler(
  asking: Asking,
  onUserDialog: AgentOptions["onUserDialog"],
): ControlHandler {
  return questionHandler(asking, {
    ask: onUserDialog,
    toQuestion: toDialog,
    answer: DIALOG_RESULT,
    unasked: { behavior: "cancelled" },
    failed: { behavior: "cancelled" },
    label: "Dialog callback",
    subject: ["dialog_kind", "dialog"],
  });
}

function questionHandler<Question>(
  asking: Asking,
  kind: Kind<Question>,
): ControlHandler {
  const { ask, toQuestion, answer, unasked, failed, label, subject } = kind;
  if (ask === undefined) return () => unasked;
  const [field, name] = subject;
  const guarding: Guarding = {
    deadlines: asking.deadlines,
    limitMs: asking.limitMs,
    accept: (value) => readPlain(value, answer) as JsonObject,
    tell: (failure, { raw: request, requestId }) => {
      const about = request[field];
      const what = `${label} for ${show(about)}`;
      const details = { [name]: about };
      const call = { what, request, requestId, details };
      return tellFailure(failure, call, asking);
    },
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
