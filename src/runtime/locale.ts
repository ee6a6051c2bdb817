/** Whether the locale names another encoding than UTF-8: such a terminal may obey a byte of a letter. */
export function isAsciiLocale(
  { LANG, LC_ALL, LC_CTYPE }: Readonly<Record<string, string | undefined>>,
): boolean {
  const locale = LC_ALL || LC_CTYPE || LANG || "C";
  // The plain ones say nothing of the terminal.
  return !/^(?:C|POSIX)$|utf-?8/i.test(locale);
}
