import { isObject } from "../../errors/text.ts";
import type { FakeStep, WaitStep } from "../fake_cli_script.ts";

/** The member that tells a step: the only one that it cannot lack. */
export type StepName = NeededIn<Exclude<FakeStep, string>>;

type NeededIn<Step> = Step extends Step ? {
    [Name in keyof Step]-?: object extends Pick<Step, Name> ? never : Name;
  }[keyof Step]
  : never;

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
const CALL_FORM =
  "{ tool, input?, toolUseId?, result?, isError?, fields?, id? }";
const CALL: readonly string[] = CALL_FORM.match(/\w+/g) ?? [];
const WAITS: readonly unknown[] = [
  "initialize",
  "prompt",
  "interrupt",
  "stdin-end",
  "answer",
  "answers",
  "sigterm",
  "forever",
] satisfies readonly WaitStep["wait"][];

/** The forms of all steps, in the order in which they are tried; one that is missing does not compile. */
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
  wait: {
    form: `{ wait: milliseconds, { control: subtype }, ${
      WAITS.map((word) => JSON.stringify(word)).join(", ")
    } }`,
    isRight: (value) =>
      isNumber(value) || WAITS.includes(value) ||
      isObject(value) && isText(value["control"]),
  },
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

/** What steps may be called by. */
export const STEP_NAMES: readonly StepName[] = Object.keys(FORMS) as StepName[];

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
  const unknown = Object.keys(fields).find((key) => !members.includes(key));
  if (unknown !== undefined) {
    const known = [...new Set(members)].join(", ");
    return { key: unknown, value: fields[unknown], form: `known: ${known}` };
  }
  if (name === "tool") return wrongInput(fields, "", form);
  if (name !== "ask") return undefined;
  const calls: readonly [string, unknown][] = Array.isArray(value)
    ? value.map((call, at) => [`ask[${at}]`, call])
    : [["ask", value]];
  return calls.map(([key, call]) => wrongInCall(call, key, form))
    .find((wrong) => wrong !== undefined);
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
  const unknown = Object.keys(call).find((member) => !CALL.includes(member));
  return unknown !== undefined
    ? { key: `${key}.${unknown}`, value: call[unknown], form }
    : wrongInput(call, `${key}.`, form);
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

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isNumber(value: unknown): boolean {
  return typeof value === "number" && value >= 0;
}
