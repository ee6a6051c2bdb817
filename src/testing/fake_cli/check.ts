import {
  type Check,
  checkKeys,
  either,
  type Fields,
  fitting,
  isText,
  list,
  object,
  oneOf,
} from "../../options/fields.ts";
import {
  json,
  type PlainObject,
  plainObject,
} from "../../options/plain_object.ts";
import { refuse } from "../../options/refuse.ts";
import type {
  FakeCliPlan,
  FakeCliScript,
  FakeMatch,
  StepName,
} from "../fake_cli_script.ts";

/** The plan that a script stands for; throws `ConfigError` for an unknown step or key, or a value that is no JSON. */
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

/** The members of each kind of step beside the one that names it. */
const STEPS: Readonly<Record<StepName, string>> = {
  say: "chunks delayMs",
  text: "thinking tool input tools chunks delayMs",
  think: "",
  hook: "tool input toolUseId id wait",
  tool: "input toolUseId result isError fields id",
  request: "id wait",
  cancel: "",
  wait: "",
  message: "",
  line: "",
  stderr: "",
  result: "",
  exit: "",
};

const STEP_NAMES = Object.keys(STEPS) as StepName[];

/** Types of values are the compiler's business; an event that never comes would be a wait without end. */
const VALUES: Readonly<Record<string, Check>> = {
  wait: either(
    isText,
    oneOf(
      ..."initialize prompt interrupt stdin-end answers forever".split(" "),
    ),
    any,
  ),
};

const step: Check = (value, key) => {
  if (isText(value)) return;
  plainObject(value, key);
  const name = STEP_NAMES.find((name) => name in value);
  if (name === undefined) {
    refuse(key, Object.keys(value).join(), `one of ${STEP_NAMES.join(", ")}`);
  }
  const known = [name, ...STEPS[name].split(" ")];
  const checks = known.map((member) => [member, VALUES[name] ?? any] as const);
  object<PlainObject>(Object.fromEntries(checks), [name])(value, key);
  json(value, key);
};

const steps = list(step);
const turn = either(Array.isArray, steps, step);
const prompt = fitting(
  "a string or a RegExp",
  (value) => isText(value) || value instanceof RegExp,
);
const exitOrIgnore = oneOf("exit", "ignore");

const PLAN: Fields<FakeCliPlan> = {
  turns: either(Array.isArray, list(turn), step),
  match: list(object<FakeMatch>({ prompt, turn }, ["prompt", "turn"])),
  runs: list(any),
  start: steps,
  initialize: any,
  ready: steps,
  controls: json,
  onInterrupt: oneOf("end", "ignore"),
  onStdinEnd: exitOrIgnore,
  onSigterm: exitOrIgnore,
  readStdin: any,
  mergePrompts: any,
  init: any,
  result: any,
  exitCode: any,
  version: any,
  record: any,
};

function any(): void {}
