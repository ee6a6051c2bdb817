/** What `src` keeps to, as data; `house.ts` and `exports.ts` hold it to that. */

/** Each stands in one file, comments aside: told twice it has come apart before, or would do harm. */
export const GUARDED_WORDS: readonly string[] = [
  "function isObject",
  '"--permission-prompt-tool',
  '"--output-format',
  "CLAUDE_CODE_ENTRYPOINT",
  "SLUICE_FAMILY",
  "taskkill.exe",
  "passphrase",
  '"[redacted]"',
  "LONGEST_NAME = 64",
];

/** Exports that no other file of `src` uses, and why they stand. */
export const UNUSED_EXPORTS: Readonly<Record<string, string>> = {
  "wire/ids.ts parseRequestId": "the specification asks for it (CP-02)",
};
