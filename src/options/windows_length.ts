/** How many characters an argument takes of a Windows command line, at most: a blank, quotes, and the backslashes that escape quotes in it. Source: CommandLineToArgvW. */
export function windowsLength(text: string): number {
  let length = text.length + 3;
  let backslashes = 0;
  for (const character of text) {
    if (character === "\\") {
      backslashes++;
      continue;
    }
    // Those in front of a quote are doubled.
    if (character === '"') length += backslashes + 1;
    backslashes = 0;
  }
  return length + backslashes;
}
