import { isTooOld, oldCli } from "../cli/report.ts";
import { discoverCli } from "../local_cli.ts";
import type { DiscoverOptions, DiscoveryAttempt } from "../types/activity.ts";
import { INSTALL_CLI } from "./command_line.ts";
import { type Finding, finding, permissionFix } from "./finding.ts";

/** Every place where the CLI was looked for; the empty ones in one line. */
export async function checkPlaces(
  options: DiscoverOptions,
): Promise<readonly Finding[]> {
  const { attempts, path, version } = await discoverCli(options);
  const missing = attempts.filter(({ outcome }) => outcome === "missing")
    .map((one) => one.path);
  const all = attempts.filter(({ outcome }) => outcome !== "missing")
    .map((attempt) => toFinding(attempt, attempt.path === path));
  const isFound = path !== undefined && version !== undefined;
  if (missing.length > 0) {
    const other = isFound ? "other " : "";
    const text =
      `Nothing at ${missing.length} ${other}places: --json names them`;
    all.push(finding("cli", "note", text, undefined, { missing }));
  }
  if (isFound) return all;
  const refused = attempts.map(({ reason = "" }) => permissionFix(reason))
    .find((one) => one !== undefined);
  const isNamed = attempts.some(({ source }) =>
    source === "option" || source === "environment"
  );
  const other =
    "name one that works with --cli or CLAUDE_CLI_PATH, or unset CLAUDE_CLI_PATH to have it searched for";
  const fix = refused ?? (isNamed ? other : INSTALL_CLI);
  const text = "No Claude Code CLI was found that works";
  return [...all, finding("cli", "error", text, fix)];
}

function toFinding(attempt: DiscoveryAttempt, isUsed: boolean): Finding {
  const { outcome, path, reason = "", source, version } = attempt;
  const found = (status: Finding["status"], text: string, fix?: string) =>
    finding("cli", status, text, fix, { ...attempt, isUsed });
  if (isTooOld(version)) {
    const status = isUsed ? "error" : "warning";
    return found(status, oldCli(path, version), "claude update");
  }
  if (version !== undefined) {
    const used = isUsed ? ", the one in use" : "";
    return found(
      isUsed ? "ok" : "note",
      `${path} is ${version}${used} (${source})`,
    );
  }
  const text = `${path}: ${outcome}${reason && `, ${reason}`}`;
  if (outcome === "skipped") return found("note", text);
  const fix = reason.includes("chmod")
    ? `chmod +x "${path}"`
    : outcome === "timeout"
    ? "start it by hand to see what it waits for"
    : "remove it, or install it again";
  return found("warning", text, permissionFix(reason) ?? fix);
}
