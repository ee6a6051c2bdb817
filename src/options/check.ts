import type { AgentOptions } from "../types/options.ts";
import { checkKeys, valueAt } from "./fields.ts";
import { plainObject } from "./plain_object.ts";
import { contradict } from "./refuse.ts";
import { lazy, OPTION_ROWS, optionChecks } from "./table.ts";

/**
 * Checks the options of an agent.
 *
 * @throws {ConfigError} For the first invalid option
 *
 * @example Check options from a file
 * ```ts
 * import { checkOptions } from "@sluice/agent/extend";
 * import assert from "node:assert/strict";
 *
 * checkOptions({ maxTurns: 3 });
 * assert.throws(() => checkOptions({ maxTurns: -1 }), { key: "maxTurns" });
 * ```
 */
export function checkOptions(
  options: unknown,
): asserts options is AgentOptions {
  plainObject(options, "options");
  checkKeys(options, optionChecks(), "", { get: (name) => help().get(name) });
  for (const { key, conflict } of conflicts()) {
    const why = conflict(options as AgentOptions);
    if (!why) continue;
    const value = valueAt(options, key);
    contradict(key, Array.isArray(value) ? value.join(",") : value, why);
  }
}

const conflicts = lazy(() =>
  OPTION_ROWS.flatMap(([key, { conflict }]) =>
    conflict === undefined ? [] : [{ key, conflict }]
  )
);

/** Help for names that are options elsewhere: in a group, or in other packages. */
const help = lazy<ReadonlyMap<string, string>>(() =>
  new Map(
    OPTION_ROWS.flatMap(([key, { hints = {}, official }]) => {
      const [, inGroup] = key.split(".");
      const names = { ...inGroup && { [inGroup]: key }, ...hints };
      if (official !== undefined) names[official] ??= key;
      return Object.entries(names);
    }).map((
      [name, help],
    ) => [name, help.includes(" ") ? help : `use "${help}"`]),
  )
);
