import { isObject } from "../../errors/is_object.ts";
import type { FakeStep } from "../fake_cli_script.ts";

/** The member that tells a step. */
export type StepName =
  | "say"
  | "text"
  | "think"
  | "ask"
  | "hook"
  | "tool"
  | "mcp"
  | "request"
  | "cancel"
  | "wait"
  | "message"
  | "line"
  | "flood"
  | "stderr"
  | "result"
  | "exit";

/** What the member that tells a step has to be. */
interface StepForm {
  /** For a person. */
  readonly form: string;
  isRight(value: unknown): boolean;
  /** What may stand beside it. */
  readonly beside?: readonly string[];
}

const SPEECH: readonly string[] = ["chunks", "delayMs"];
const REQUEST: readonly string[] = ["id", "wait"];
const CALL: readonly string[] = [
  "tool",
  "input",
  "toolUseId",
  "result",
  "isError",
  "fields",
  "id",
];
const CALL_FORM =
  "{ tool, input?, toolUseId?, result?, isError?, fields?, id? }";

/** The forms of all steps; one that is missing does not compile. */
const FORMS: Readonly<Record<StepName, StepForm>> = {
  say: { form: "{ say: text }", isRight: isText, beside: SPEECH },
  text: {
    form: "{ text: text, thinking?, tool?, input?, tools? }",
    isRight: isText,
    beside: ["thinking", "tool", "input", "tools", ...SPEECH],
  },
  think: { form: "{ think: text }", isRight: isText },
  ask: {
    form: `{ ask: ${CALL_FORM} }, or a list of such calls`,
    isRight: (value) => isObject(value) || Array.isArray(value),
    beside: ["wait"],
  },
  hook: {
    form: '{ hook: name of an event }, such as { hook: "Stop" }',
    isRight: isText,
    beside: ["tool", "input", "toolUseId", ...REQUEST],
  },
  tool: { form: CALL_FORM, isRight: isText, beside: CALL },
  mcp: {
    form: "{ mcp: { server, method, params?, isNotification? } }",
    isRight: (value) =>
      isObject(value) && isText(value["server"]) && isText(value["method"]),
    beside: REQUEST,
  },
  request: {
    form: "{ request: { subtype, ... } }",
    isRight: (value) => isObject(value) && isText(value["subtype"]),
    beside: REQUEST,
  },
  cancel: {
    form: "{ cancel: id of a request }, or { cancel: true } for all",
    isRight: (value) => isText(value) || value === true,
  },
  wait: oneOf(
    "wait",
    [
      "initialize",
      "prompt",
      "interrupt",
      "stdin-end",
      "answer",
      "answers",
      "sigterm",
      "forever",
    ],
    "milliseconds, { control: subtype }, ",
    (value) =>
      typeof value === "number" && value >= 0 ||
      isObject(value) && isText(value["control"]),
  ),
  message: { form: "{ message: an object }", isRight: isObject },
  line: {
    form: "{ line: text, or a value of JSON }",
    isRight: (value) => value !== undefined,
  },
  flood: {
    form: "{ flood: { messages: how many, bytes?, kind? } }",
    isRight: (value) =>
      isObject(value) && typeof value["messages"] === "number",
  },
  stderr: { form: "{ stderr: text }", isRight: isText },
  result: {
    form: "{ result: text, fields of the result, or false for none }",
    isRight: (value) => isText(value) || isObject(value) || value === false,
  },
  exit: { form: "{ exit: exit code }", isRight: isNumber },
};

/** What is wrong with a step: which member, what it is, and what it should be. */
interface Wrong {
  /** Of the step, such as `ask[1].tool`. */
  readonly key: string;
  readonly value: unknown;
  readonly form: string;
}

/** What is wrong with a step of this name; `undefined` when nothing is. */
export function wrongIn(
  step: Exclude<FakeStep, string>,
  name: StepName,
): Wrong | undefined {
  const { beside = [], form, isRight } = FORMS[name];
  const fields = step as unknown as Readonly<Record<string, unknown>>;
  const value = fields[name];
  if (!isRight(value)) return { key: name, value, form };
  const members = [name, ...beside];
  for (const [key, value] of Object.entries(fields)) {
    if (!members.includes(key)) {
      const known = [...new Set(members)].join(", ");
      return { key, value, form: `known: ${known}` };
    }
  }
  if (name === "tool") return wrongInput(fields, "", form);
  return name === "ask" ? wrongCall(value, form) : undefined;
}

/** One call, or several. */
function wrongCall(asked: unknown, form: string): Wrong | undefined {
  if (!Array.isArray(asked)) return wrongInCall(asked, "ask", form);
  for (const [at, call] of asked.entries()) {
    const wrong = wrongInCall(call, `ask[${at}]`, form);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function wrongInCall(
  call: unknown,
  key: string,
  form: string,
): Wrong | undefined {
  if (!isObject<unknown>(call)) return { key, value: call, form };
  if (!isText(call["tool"])) {
    return { key: `${key}.tool`, value: call["tool"], form };
  }
  for (const [member, value] of Object.entries(call)) {
    if (!CALL.includes(member)) return { key: `${key}.${member}`, value, form };
  }
  return wrongInput(call, `${key}.`, form);
}

function wrongInput(
  { input }: { readonly input?: unknown },
  place: string,
  form: string,
): Wrong | undefined {
  return input === undefined || isObject(input)
    ? undefined
    : { key: `${place}input`, value: input, form };
}

function oneOf(
  name: StepName,
  words: readonly string[],
  others = "",
  isOther: (value: unknown) => boolean = () => false,
): StepForm {
  const list = words.map((word) => JSON.stringify(word)).join(", ");
  return {
    form: `{ ${name}: ${others}${list} }`,
    isRight: (value) => isOther(value) || words.some((word) => word === value),
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isNumber(value: unknown): boolean {
  return typeof value === "number" && value >= 0;
}
