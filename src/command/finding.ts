import { printable } from "../errors/text.ts";
import type { JsonObject } from "../types/json.ts";
import type { Colors } from "./screen.ts";

/** What doctor found: `note` tells, `warning` may matter, `error` keeps agents from running. */
export interface Finding {
  /** What was looked at: `cli`, `login`, ... */
  readonly check: string;
  /** How it is. */
  readonly status: "ok" | "note" | "warning" | "error";
  /** The fact, in a line. */
  readonly text: string;
  /** What helps. */
  readonly fix?: string | undefined;
  /** The same for programs. */
  readonly data?: JsonObject | undefined;
}

/** What was found, what helps, and the same for programs. */
export function finding(
  check: string,
  status: Finding["status"],
  text: string,
  more: Pick<Finding, "fix" | "data"> = {},
): Finding {
  return { check, status, text, ...more };
}

/** A finding as lines for the terminal. */
export function showFinding(
  { fix, status, text }: Finding,
  colors: Colors,
): string {
  const line = `  ${SIGNS[status](colors)} ${printable(text)}`;
  return fix === undefined
    ? line
    : `${line}\n    ${colors.dim("fix:")} ${printable(fix)}`;
}

const SIGNS: Readonly<Record<Finding["status"], (colors: Colors) => string>> = {
  ok: ({ green }) => green("✔"),
  note: ({ dim }) => dim("·"),
  warning: ({ yellow }) => yellow("!"),
  error: ({ red }) => red("✖"),
};

/** What helps where there is no CLI. */
export const INSTALL_CLI =
  "npm install -g @anthropic-ai/claude-code, or name one with --cli or CLAUDE_CLI_PATH";
