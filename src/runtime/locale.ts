import process from "node:process";

type Variables = Readonly<Record<string, string | undefined>>;

/** Whether the locale names another encoding than UTF-8: such a terminal may obey a byte of a letter. */
export function isAsciiLocale(variables: Variables): boolean {
  // The plain ones say nothing of the terminal.
  return !/^(?:C|POSIX)$|utf-?8/i.test(nameOf(variables));
}

/** Whether the terminal draws other letters than those of ASCII: with a plain locale tmux draws each of them as `_`. */
export function isUtf8Locale(
  variables: Variables,
  platform: string = process.platform,
): boolean {
  // Terminals of Windows draw UTF-8, and have no such variables.
  return platform === "win32" || /utf-?8/i.test(nameOf(variables));
}

function nameOf({ LANG, LC_ALL, LC_CTYPE }: Variables): string {
  return LC_ALL || LC_CTYPE || LANG || "C";
}
