import { redactKnownPatterns } from "../errors/secrets.ts";
import { printable } from "../errors/printable.ts";
import type { JsonObject } from "../types/json.ts";
import type { Colors } from "./command_line.ts";

/** `note` informs, `warning` may matter, `unproven` could not be checked, `error` keeps agents from running as configured. */
export type FindingStatus = "ok" | "note" | "warning" | "unproven" | "error";

export interface Finding {
  /** Subject: `cli`, `login`, ... */
  readonly check: string;
  readonly status: FindingStatus;
  /** The fact, in a line. */
  readonly text: string;
  readonly fix?: string | undefined;
  /** The same for programs. */
  readonly data?: JsonObject | undefined;
}

/** Makes a finding; secrets with a known form are redacted. */
export function finding(
  check: string,
  status: FindingStatus,
  text: string,
  fix?: string,
  data?: JsonObject,
): Finding {
  return { check, status, text: redactKnownPatterns(text), fix, data };
}

/** The flag of Deno that helps where an error asks for one. */
export function permissionFix(reason: string): string | undefined {
  const [flag] = /--allow-\w+/.exec(reason) ?? [];
  return flag && `run Deno with ${flag}, or with -A`;
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

const SIGNS: Readonly<Record<FindingStatus, (colors: Colors) => string>> = {
  ok: ({ green }) => green("✔"),
  note: ({ dim }) => dim("·"),
  warning: ({ yellow }) => yellow("!"),
  unproven: ({ yellow }) => yellow("?"),
  error: ({ red }) => red("✖"),
};
