import { valueAt } from "./fields.ts";
import { startFields } from "./initialize.ts";
import { STREAMING_FLAGS } from "./launch.ts";
import type { FlagValue, StartFiles } from "./option.ts";
import { startsByHooks } from "./required_hooks.ts";
import type { Settings } from "./settings.ts";
import { OPTION_ROWS } from "./table.ts";
import { targetOf } from "./features.ts";

/** Every flag, with the option that it is made from. */
const FLAGS = OPTION_ROWS.flatMap(([key, { flag, flags = {} }]) => [
  ...flag === undefined
    ? []
    : [{ key, name: flag, write: (value: unknown) => value as FlagValue }],
  ...Object.entries(flags).map(([name, write]) => ({ key, name, write })),
]);

/** The arguments of the CLI, without the CLI itself; each value is one argument and reaches the CLI as it is. */
export function toArgv(
  settings: Settings,
  platform: string,
  version?: string,
  files?: StartFiles,
): string[] {
  const { options } = settings;
  const target = targetOf(settings, { platform, version, files });
  const isAwaiting = startsByHooks(options) ||
    Object.keys(startFields(target)).length > 0;
  const argv = [...STREAMING_FLAGS];
  for (const { key, name, write } of FLAGS) {
    add(argv, name, write(valueAt(options, key) as never, target));
  }
  add(argv, "await-initialize", isAwaiting);
  for (const [name, value] of Object.entries(options.extraArgs ?? {})) {
    add(argv, name, value ?? value === null);
  }
  return argv;
}

/** Adds a flag, one token for each value, so that one that begins with a dash stays a value. */
function add(argv: string[], name: string, value: FlagValue): void {
  if (value === undefined || value === false) return;
  if (value === true) argv.push(`--${name}`);
  else if (!Array.isArray(value)) argv.push(`--${name}=${value}`);
  else for (const one of value) argv.push(`--${name}=${one}`);
}
