import { extraArgs } from "./extra_args.ts";
import { FIELD_OPTIONS } from "./field_options.ts";
import { FLAG_OPTIONS } from "./flag_options.ts";
import { type Check, type Fields, object } from "./fields.ts";
import { HOST_OPTIONS } from "./host_options.ts";
import type { Complete } from "../types/options.ts";
import type { Groups, Option } from "./option.ts";

/**
 * Every option with its dotted key. To add one, add its row to one of the three parts, and its key to `AgentOptions`;
 * `npm run check -- options` compares the two.
 */
export const OPTION_ROWS: readonly OptionRow[] = Object.entries({
  ...FLAG_OPTIONS,
  ...FIELD_OPTIONS,
  extraArgs: { check: extraArgs(() => flagOwners()), travels: "argv" },
  ...HOST_OPTIONS,
}) as unknown as OptionRow[];

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
