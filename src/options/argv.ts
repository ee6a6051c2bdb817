import { ConfigError } from "../errors/base.ts";
import { excessOf } from "./command_length.ts";
import { valueAt } from "./fields.ts";
import { startFields } from "./initialize.ts";
import { STREAMING_FLAGS } from "./launch.ts";
import type { FlagValue, StartFiles } from "./option.ts";
import type { Settings } from "./settings.ts";
import { OPTION_ROWS } from "./table.ts";
import { targetOf } from "./features.ts";

const FLAG_ROWS = OPTION_ROWS.filter(([, { flag, flags }]) => flag || flags);

/** Characters of a Windows command line that are kept for the CLI itself. */
const RESERVED_CHARACTERS = 767;

interface Argument {
  readonly key: string;
  readonly text: string;
}

/**
 * The arguments of the CLI, without the CLI itself; each value is one argument and reaches the CLI as it is.
 *
 * @param version Of a CLI that may be an old one; a current one unless given
 * @param files What an older one reads in place of fields of `initialize`
 * @throws {ConfigError} If the system cannot start a process with that much text
 */
export function toArgv(
  settings: Settings,
  platform: string,
  version?: string,
  files?: StartFiles,
): string[] {
  const { options } = settings;
  const target = targetOf(settings, { platform, version, files });
  const isAwaiting = Object.keys(startFields(target)).length > 0;
  const all = [
    ...FLAG_ROWS.flatMap(([key, { flag, flags = {} }]) => {
      const value = valueAt(options, key) as never;
      return [
        ...flag === undefined ? [] : toArguments(key, flag, value),
        ...Object.entries(flags).flatMap(([name, write]) =>
          toArguments(key, name, write(value, target))
        ),
      ];
    }),
    ...toArguments("plugins", "await-initialize", isAwaiting),
    ...Object.entries(options.extraArgs ?? {}).flatMap(([name, value]) =>
      toArguments(`extraArgs.${name}`, name, value ?? value === null)
    ),
  ];
  checkLength(all, platform);
  return [...STREAMING_FLAGS, ...all.map(({ text }) => text)];
}

/** One token, so that a value that begins with a dash stays a value. */
function toArguments(key: string, name: string, value: FlagValue): Argument[] {
  if (value === undefined || value === false) return [];
  if (value === true) return [{ key, text: `--${name}` }];
  const values = Array.isArray(value) ? value : [value];
  return values.map((one) => ({ key, text: `--${name}=${one}` }));
}

function checkLength(all: readonly Argument[], platform: string): void {
  const texts = all.map(({ text }) => text);
  const excess = excessOf(texts, platform, RESERVED_CHARACTERS);
  const argument = excess && all[excess.at];
  if (excess === undefined || argument === undefined) return;
  const { key, text } = argument;
  throw new ConfigError({
    message:
      `${excess.fact}; shorten "${key}", which takes ${text.length} characters of it`,
    key,
    details: { length: text.length },
  });
}
