import {
  type Check,
  checkKeys,
  either,
  type Fields,
  fitting,
  flag,
  integer,
  isText,
  list,
  object,
  oneOf,
  record,
  string,
} from "../../options/fields.ts";
import {
  json,
  type PlainObject,
  plainObject,
} from "../../options/plain_object.ts";
import { refuse } from "../../options/refuse.ts";
import type {
  FakeCall,
  FakeCliPlan,
  FakeCliScript,
  FakeMatch,
  McpStep,
  StepName,
} from "../fake_cli_script.ts";

/** The plan that a script stands for; throws `ConfigError` for an unknown step or key, or a wrong value. */
export function toPlan(script: FakeCliScript): FakeCliPlan {
  const plan: FakeCliPlan = isText(script) || "length" in script
    ? { turns: script }
    : script;
  checkKeys(plan as PlainObject, PLAN, "");
  return plan.runs === undefined
    ? plan
    : { ...plan, runs: plan.runs.map(toRun) };
}

function toRun(script: FakeCliScript): FakeCliPlan {
  const plan = toPlan(script);
  if (plan.runs !== undefined) refuse("runs", plan.runs, "left out in a run");
  return plan;
}

const any: Check = () => {};
const number = fitting(
  "a number, 0 or more",
  (value) => typeof value === "number" && value >= 0,
);
const prompt = fitting(
  "a string or a RegExp",
  (value) => isText(value) || value instanceof RegExp,
);
const textOrObject = either(isText, any, json);

/** False, or what the check wants. */
const falseOr = (check: Check) =>
  either((value) => value === false, any, check);

const PACE = { chunks: integer({ min: 1 }), delayMs: number };
const REQUEST = { id: string, wait: flag };
const CALL: Fields<FakeCall> = {
  tool: string,
  input: json,
  toolUseId: string,
  result: string,
  isError: flag,
  fields: json,
  id: string,
};

const call = object(CALL, ["tool"]);
const events = oneOf(
  ..."initialize prompt interrupt stdin-end answer answers sigterm forever"
    .split(" "),
);

/** The members of each kind of step; the name of a kind is a member that it needs. */
const STEPS: { readonly [Name in StepName]: Readonly<Record<string, Check>> } =
  {
    say: { say: string, ...PACE },
    text: {
      text: string,
      thinking: string,
      tool: string,
      input: json,
      tools: list(json),
      ...PACE,
    },
    think: { think: string },
    ask: { ask: either(Array.isArray, list(call), call), wait: flag },
    hook: {
      hook: string,
      tool: string,
      input: json,
      toolUseId: string,
      ...REQUEST,
    },
    tool: CALL,
    mcp: {
      mcp: object<McpStep["mcp"]>({
        server: string,
        method: string,
        params: json,
        isNotification: flag,
      }, ["server", "method"]),
      ...REQUEST,
    },
    request: { request: json, ...REQUEST },
    cancel: { cancel: either((value) => value === true, any, string) },
    wait: {
      wait: either(isText, events, either(Number.isFinite, number, json)),
    },
    message: { message: json },
    line: { line: any },
    stderr: { stderr: string },
    result: { result: falseOr(textOrObject) },
    exit: { exit: number },
  };

const STEP_NAMES = Object.keys(STEPS) as StepName[];

const step: Check = (value, key) => {
  if (isText(value)) return;
  plainObject(value, key);
  const name = STEP_NAMES.find((name) => name in value);
  if (name === undefined) {
    refuse(key, Object.keys(value).join(), `one of ${STEP_NAMES.join(", ")}`);
  }
  object<PlainObject>(STEPS[name], [name])(value, key);
};

const steps = list(step);
const turn = either(Array.isArray, steps, step);

const PLAN: Fields<FakeCliPlan> = {
  turns: either(Array.isArray, list(turn), step),
  match: list(object<FakeMatch>({ prompt, turn }, ["prompt", "turn"])),
  runs: list(any),
  start: steps,
  initialize: textOrObject,
  ready: steps,
  controls: record(textOrObject),
  onInterrupt: oneOf("end", "ignore"),
  onStdinEnd: oneOf("exit", "ignore"),
  onSigterm: oneOf("exit", "ignore", "die"),
  readStdin: flag,
  mergePrompts: flag,
  init: falseOr(json),
  result: json,
  exitCode: integer({ min: 0, max: 255 }),
  version: string,
  record: flag,
};
