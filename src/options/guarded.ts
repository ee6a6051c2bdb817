import type { JsonObject } from "../types/json.ts";
import type { AgentOptions } from "../types/options.ts";
import { contradict, parseSettings } from "./fields.ts";
import { splitSpecs } from "./tool_spec.ts";

/** Switches bare mode on, in which the CLI calls no hook and still says that it took them. Source: tried on CLI 2.1.80 to 2.1.328. */
export const BARE_VARIABLE = "CLAUDE_CODE_SIMPLE";
/** Flags after which the CLI calls no hook. Source: tried on CLI 2.1.328. */
const HOOKLESS_FLAGS: readonly string[] = ["bare", "safe-mode"];
/** Settings that switch hooks off, ours perhaps among them. */
const NO_HOOKS: readonly string[] = [
  "disableAllHooks",
  "allowManagedHooksOnly",
];

/** Whether hooks or lists of tools have to hold: their names, for errors. */
export function guards(options: AgentOptions): readonly string[] {
  const { allowedTools, deniedTools, permissions, hooks = {} } = options;
  const hasHooks = Object.values(hooks).some((matchers) =>
    matchers?.some((matcher) => matcher.hooks.length > 0)
  );
  return [
    ...(hasHooks ? ["hooks"] : []),
    ...(allowedTools === undefined ? [] : ["allowedTools"]),
    ...(splitSpecs(deniedTools ?? []).length === 0 ? [] : ["deniedTools"]),
    ...(permissions?.approvals === undefined ? [] : ["permissions.approvals"]),
  ];
}

/** Whether a variable would switch bare mode on; Windows does not look at the case. */
export function isBareVariable(name: string): boolean {
  return name.toUpperCase() === BARE_VARIABLE;
}

/** Refuses what would switch bare mode on beside hooks and lists. */
export function checkBare(options: AgentOptions): void {
  const [first] = guards(options);
  if (first === undefined) return;
  const { env, extraArgs = {}, settings, managedSettings } = options;
  for (const flag of HOOKLESS_FLAGS) {
    const set = extraArgs[flag];
    if (set !== undefined) refuseBare(`extraArgs.${flag}`, set, first);
  }
  // These stand above all others.
  checkHooksOn("managedSettings", managedSettings as JsonObject, first);
  checkVariables("env", env, first);
  checkHooksOn("settings", parseSettings(settings), first);
}

/** Refuses variables that would switch bare mode on. */
function checkVariables(
  key: string,
  variables: unknown,
  guard: string,
): void {
  if (typeof variables !== "object" || variables === null) return;
  for (const [name, value] of Object.entries(variables)) {
    const isOff = value === undefined || value === null ||
      /^(?:0|false|no|off|)$/i.test(String(value).trim());
    if (isBareVariable(name) && !isOff) {
      refuseBare(`${key}.${name}`, value, guard);
    }
  }
}

/** Refuses settings that say that hooks are off, or have such variables; a path says nothing. */
export function checkHooksOn(
  key: string,
  settings: JsonObject | string | undefined,
  guard: string,
): void {
  if (typeof settings !== "object") return;
  checkVariables(`${key}.env`, settings.env, guard);
  for (const name of NO_HOOKS) {
    const value = settings[name];
    if (value === undefined || value === null || value === false) continue;
    const why =
      `must be left out beside "${guard}": with hooks switched off nothing would be guarded`;
    contradict(`${key}.${name}`, value, why);
  }
}

function refuseBare(key: string, value: unknown, guard: string): never {
  const why =
    `must be left out beside "${guard}": in bare mode the CLI calls no hook, so that nothing would be guarded`;
  return contradict(key, value, why);
}
