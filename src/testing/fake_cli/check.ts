import { ConfigError } from "../../errors/base.ts";
import type {
  FakeCliPlan,
  FakeCliScript,
  FakeStep,
} from "../fake_cli_script.ts";
import { STEP_NAMES, wrongIn } from "./step_forms.ts";

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

/** A plan as JSON text; patterns become their source and flags. */
export function toScriptText(plan: FakeCliPlan): string {
  return JSON.stringify(
    plan,
    (_key, value) =>
      value instanceof RegExp
        ? { source: value.source, flags: value.flags }
        : value,
  );
}

function checkSteps(steps: unknown, key: string): void {
  if (steps === undefined || typeof steps === "string") return;
  if (Array.isArray(steps)) {
    for (const [index, step] of steps.entries()) {
      checkSteps(step, `${key}[${index}]`);
    }
    return;
  }
  const step = typeof steps === "object" && steps !== null ? steps : {};
  const name = STEP_NAMES.find((one) => one in step);
  if (name === undefined) {
    throw wrong(key, steps, `known steps: ${STEP_NAMES.join(", ")}`);
  }
  const bad = wrongIn(step as Exclude<FakeStep, string>, name);
  if (bad !== undefined) {
    throw wrong(`${key}.${bad.key}`, bad.value, bad.form, "a wrong");
  }
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
