import { isTooOld, oldCli } from "../cli/report.ts";
import { discoverCli } from "../local_cli.ts";
import type { DiscoveryAttempt } from "../types/activity.ts";
import { type CliFlags, INSTALL_CLI } from "./command_line.ts";
import { type Finding, finding, permissionFix } from "./finding.ts";

/** Every place where the CLI was looked for; the empty ones in one line, and their number where one was found. */
export async function checkPlaces(
  { cli, cwd }: CliFlags,
): Promise<readonly Finding[]> {
  const { attempts, path, version } = await discoverCli({ cliPath: cli, cwd });
  const empty = attempts.filter(({ outcome }) => outcome === "missing");
  const all = attempts.filter(({ outcome }) => outcome !== "missing")
    .map((attempt) => toFinding(attempt, attempt.path === path));
  const isNamed = attempts.some(({ source }) =>
    source === "option" || source === "environment"
  );
  const isFound = path !== undefined && version !== undefined;
  const missing = empty.map((one) => one.path);
  if (missing.length > 0) {
    const other = isFound ? "other " : "";
    const text =
      `Nothing at ${missing.length} ${other}places: --json names them`;
    all.push(finding("cli", "note", text, { data: { missing } }));
  }
  if (isFound) return all;
  const refused = attempts.map(({ reason = "" }) => permissionFix(reason))
    .find((one) => one !== undefined);
  const fix = refused ??
    (isNamed
      ? "name one that works with --cli or CLAUDE_CLI_PATH, or unset CLAUDE_CLI_PATH to have it searched for"
      : INSTALL_CLI);
  const text = "No Claude Code CLI was found that works";
  return [...all, finding("cli", "error", text, { fix })];
}

function toFinding(attempt: DiscoveryAttempt, isUsed: boolean): Finding {
  const { outcome, path, reason, source, version } = attempt;
  const data = { ...attempt, isUsed };
  if (version !== undefined) {
    if (isTooOld(version)) {
      const text = oldCli(path, version);
      const fix = "claude update";
      return finding("cli", isUsed ? "error" : "warning", text, { fix, data });
    }
    const used = isUsed ? ", the one in use" : "";
    const text = `${path} is ${version}${used} (${source})`;
    return finding("cli", isUsed ? "ok" : "note", text, { data });
  }
  const why = reason === undefined ? "" : `, ${reason}`;
  const text = `${path}: ${outcome}${why}`;
  if (outcome === "skipped") return finding("cli", "note", text, { data });
  return finding("cli", "warning", text, { fix: fixOf(attempt), data });
}

function fixOf({ outcome, path, reason = "" }: DiscoveryAttempt): string {
  const permission = permissionFix(reason);
  if (permission !== undefined) return permission;
  if (reason.includes("chmod")) return `chmod +x "${path}"`;
  return outcome === "timeout"
    ? "start it by hand to see what it waits for"
    : "remove it, or install it again";
}
