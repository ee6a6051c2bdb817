import type { Complete } from "../types/option_values.ts";
import { DELIVERY_OPTIONS } from "./delivery_options.ts";
import { extraArgs } from "./extra_args.ts";
import { type Check, type Fields, object } from "./fields.ts";
import { LIMIT_OPTIONS } from "./limit_options.ts";
import { MODEL_OPTIONS } from "./model_options.ts";
import { type Groups, type Option, option, type OptionRows } from "./option.ts";
import { PROCESS_OPTIONS } from "./process_options.ts";
import { SESSION_OPTIONS } from "./session_options.ts";
import { SETUP_OPTIONS } from "./setup_options.ts";
import { TOOL_OPTIONS } from "./tool_options.ts";

/** Every option by its dotted key, in the sections of docs/options.md; `AgentOptions` is made from these rows. */
export const SECTIONS: Readonly<Record<string, OptionRows>> = {
  "The process": {
    ...PROCESS_OPTIONS,
    /** Further flags of the CLI. For example `{ channels: "plugin:a" }`. Use `{ flag: null }` for a flag without a value. Sluice rejects flags that Sluice or another option sets. */
    extraArgs: option<Readonly<Record<string, string | null>>>({
      check: extraArgs(() => flagOwners()),
      travels: "argv",
    }),
  },
  "The model": MODEL_OPTIONS,
  "The session": SESSION_OPTIONS,
  "Agents, plugins, settings": SETUP_OPTIONS,
  "Tools and permissions": TOOL_OPTIONS,
  "Delivery": DELIVERY_OPTIONS,
  "Limits": LIMIT_OPTIONS,
};

export const OPTION_ROWS: readonly OptionRow[] = Object.values(SECTIONS)
  .flatMap(Object.entries<Option>);

export type OptionRow = readonly [key: string, option: Option];

/** Makes a value when it is first asked for: a program that only imports the package does not wait for it. */
export function lazy<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => made ??= make();
}

/** The options that flags of the CLI belong to, by flag. */
const flagOwners = lazy<ReadonlyMap<string, string>>(() =>
  new Map(
    OPTION_ROWS.flatMap(([key, { flag = [], flags = {}, replaces = [] }]) =>
      [flag, Object.keys(flags), replaces].flat()
        .map((name) => [name, key] as const)
    ),
  )
);

/** The checks of the options: those with dotted keys make an object each. */
export const optionChecks: () => Readonly<Record<string, Check>> = lazy(() => {
  const top: Record<string, Check> = {};
  const groups: Record<string, Record<string, Check>> = {};
  for (const [key, { check }] of OPTION_ROWS) {
    const [group = "", name] = key.split(".");
    if (name === undefined) top[group] = check;
    else (groups[group] ??= {})[name] = check;
  }
  for (const [group, fields] of Object.entries(groups)) {
    top[group] = object<Fields<typeof fields>>(fields);
  }
  return top;
});

export function defaultsOf<Group extends keyof Groups>(
  group: Group,
): Complete<Groups[Group]> {
  const all = OPTION_ROWS.flatMap(([key, option]) =>
    key.startsWith(`${group}.`)
      ? [[key.slice(group.length + 1), option.default]]
      : []
  );
  // The type of the table asks for a row for each.
  return Object.fromEntries(all) as Complete<Groups[Group]>;
}
