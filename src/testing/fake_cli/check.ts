import { ConfigError } from "../../errors/base.ts";
import type {
  FakeCliPlan,
  FakeCliScript,
  FakeStep,
  WaitStep,
} from "../fake_cli_script.ts";
import { isObject } from "../../errors/text.ts";

/** The keys of a plan; one that is missing does not compile. */
const PLAN_KEYS: Readonly<Record<keyof FakeCliPlan, true>> = {
  turns: true,
  match: true,
  runs: true,
  start: true,
  initialize: true,
  ready: true,
  controls: true,
  onInterrupt: true,
  onStdinEnd: true,
  onSigterm: true,
  readStdin: true,
  mergePrompts: true,
  sessionState: true,
  mcpHandshake: true,
  init: true,
  result: true,
  exitCode: true,
  version: true,
  record: true,
};

/** The plan that a script stands for; throws `ConfigError` for a step or a key that does not exist. */
export function toPlan(script: FakeCliScript): FakeCliPlan {
  const plan: FakeCliPlan = typeof script === "string" || "length" in script
    ? { turns: script }
    : script;
  for (const [key, value] of Object.entries(plan)) {
    if (!Object.hasOwn(PLAN_KEYS, key)) {
      const keys = Object.keys(PLAN_KEYS).join(", ");
      throw wrong(key, value, `known keys: ${keys}`);
    }
  }
  for (const key of ["turns", "start", "ready"] as const) {
    checkSteps(plan[key], key);
  }
  checkMatches(plan.match);
  if (plan.runs === undefined) return plan;
  if (!Array.isArray(plan.runs)) {
    throw wrong("runs", plan.runs, "a list with one script for each process");
  }
  return { ...plan, runs: plan.runs.map(toRun) };
}

function toRun(script: FakeCliScript): FakeCliPlan {
  const plan = toPlan(script);
  if (plan.runs === undefined) return plan;
  throw wrong("runs", plan.runs, "a process starts no others");
}

function checkMatches(match: unknown): void {
  if (match === undefined) return;
  if (!Array.isArray(match)) {
    throw wrong("match", match, "a list of { prompt, turn }");
  }
  for (const [index, one] of match.entries()) {
    const { prompt, turn, ...rest } = (one ?? {}) as Record<string, unknown>;
    const key = `match[${index}]`;
    if (typeof prompt !== "string" && !(prompt instanceof RegExp)) {
      throw wrong(`${key}.prompt`, prompt, "a string or a RegExp");
    }
    const [unknown] = Object.keys(rest);
    if (unknown !== undefined) {
      throw wrong(`${key}.${unknown}`, rest[unknown], "prompt, turn");
    }
    if (turn === undefined) {
      throw wrong(`${key}.turn`, turn, "what happens on that prompt");
    }
    checkSteps(turn, `${key}.turn`);
  }
}

function checkSteps(steps: unknown, key: string): void {
  if (steps === undefined || typeof steps === "string") return;
  if (Array.isArray(steps)) {
    for (const [index, step] of steps.entries()) {
      checkSteps(step, `${key}[${index}]`);
    }
    return;
  }
  const step = isObject<unknown>(steps) ? steps : {};
  const name = STEP_NAMES.find((one) => one in step);
  if (name === undefined) {
    throw wrong(key, steps, `known steps: ${STEP_NAMES.join(", ")}`);
  }
  checkStep(step, name, key);
}

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

const STEP_NAMES = Object.keys(FORMS) as StepName[];

/** Throws unless everything in a step of this name is as it should be. */
function checkStep(
  step: Readonly<Record<string, unknown>>,
  name: StepName,
  place: string,
): void {
  const { beside = [], form, isRight } = FORMS[name];
  const misfit = (key: string, value: unknown, known = form) =>
    wrong(`${place}.${key}`, value, known, "a wrong");
  const value = step[name];
  if (!isRight(value)) throw misfit(name, value);
  const members = [...new Set([name, ...beside])];
  const unknown = Object.keys(step).find((key) => !members.includes(key));
  if (unknown !== undefined) {
    throw misfit(unknown, step[unknown], `known: ${members.join(", ")}`);
  }
  if (name === "tool") checkInput(step, "");
  if (name !== "ask") return;
  const calls: readonly [string, unknown][] = Array.isArray(value)
    ? Array.from(value, (call, at) => [`ask[${at}]`, call])
    : [["ask", value]];
  for (const [key, call] of calls) {
    if (!isObject<unknown>(call)) throw misfit(key, call);
    if (!isText(call["tool"])) throw misfit(`${key}.tool`, call["tool"]);
    const odd = Object.keys(call).find((member) => !CALL.includes(member));
    if (odd !== undefined) throw misfit(`${key}.${odd}`, call[odd]);
    checkInput(call, `${key}.`);
  }

  function checkInput({ input }: { readonly input?: unknown }, key: string) {
    if (input !== undefined && !isObject(input)) {
      throw misfit(`${key}input`, input);
    }
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isNumber(value: unknown): boolean {
  return typeof value === "number" && value >= 0;
}

function wrong(
  key: string,
  value: unknown,
  known: string,
  what = "an unknown",
): ConfigError {
  const shown = JSON.stringify(value)?.slice(0, 200);
  return new ConfigError({
    message: `Script of the fake CLI has ${what} "${key}": ${shown} (${known})`,
    key,
    value,
  });
}
