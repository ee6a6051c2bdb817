import { valueAt } from "./fields.ts";
import { startFields } from "./initialize.ts";
import { STREAMING_FLAGS } from "./launch.ts";
import type { FlagValue, StartFiles } from "./option.ts";
import type { Settings } from "./settings.ts";
import { OPTION_ROWS } from "./table.ts";
import { targetOf } from "./features.ts";

const FLAG_ROWS = OPTION_ROWS.filter(([, { flag, flags }]) => flag || flags);

/** The arguments of the CLI, without the CLI itself; each value is one argument and reaches the CLI as it is. */
export function toArgv(
  settings: Settings,
  platform: string,
  version?: string,
  files?: StartFiles,
): string[] {
  const { options } = settings;
  const target = targetOf(settings, { platform, version, files });
  const isAwaiting = Object.keys(startFields(target)).length > 0;
  return [
    ...STREAMING_FLAGS,
    ...FLAG_ROWS.flatMap(([key, { flag, flags = {} }]) => {
      const value = valueAt(options, key) as never;
      return [
        ...flag === undefined ? [] : toArguments(flag, value),
        ...Object.entries(flags)
          .flatMap(([name, write]) => toArguments(name, write(value, target))),
      ];
    }),
    ...toArguments("await-initialize", isAwaiting),
    ...Object.entries(options.extraArgs ?? {}).flatMap(([name, value]) =>
      toArguments(name, value ?? value === null)
    ),
  ];
}

/** One token, so that a value that begins with a dash stays a value. */
function toArguments(name: string, value: FlagValue): string[] {
  if (value === undefined || value === false) return [];
  if (value === true) return [`--${name}`];
  return [value].flat().map((one) => `--${name}=${one}`);
}
