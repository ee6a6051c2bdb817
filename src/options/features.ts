import { ConfigError } from "../errors/base.ts";
import type { AgentOptions } from "../types/options.ts";
import { valueAt } from "./fields.ts";
import { deniesAllReads, readPolicy } from "./file_mentions.ts";
import type { Since, Target } from "./option.ts";
import type { Settings } from "./settings.ts";
import { OPTION_ROWS } from "./table.ts";
import { isOlder, named, UPDATE } from "./versions.ts";

/**
 * Features that came after the oldest supported release, by the option that uses them; `docs/versions.md` shows them.
 *
 * Source: tried on the releases around each step.
 */
export const FEATURES: Readonly<Record<string, Since & { sent: string }>> = {
  fileMentions: {
    release: "2.1.299",
    sent: "CLAUDE_CODE_DISABLE_FILE_MENTIONS",
    instead: "the deny rule Read(//**)",
    isUsed: (options) => deniesAllReads(options) && readPolicy(options),
  },
  ...Object.fromEntries(
    OPTION_ROWS.flatMap(([key, { flag, flags = {}, since }]) => {
      const sent = `--${flag ?? Object.keys(flags)[0]}`;
      return since ? [[key, { sent, ...since }]] : [];
    }),
  ),
};

/** The dotted key of the option that uses a feature; `undefined` when none does. */
function usedBy(name: string, options: AgentOptions): string | undefined {
  const {
    isUsed = (options: AgentOptions) => valueAt(options, name) !== undefined,
  } = FEATURES[name] ?? {};
  const used = isUsed(options);
  return used === true ? name : used || undefined;
}

/** Whether any option uses a feature, so that what is sent depends on how old the CLI is. */
export function asksForVersion(options: AgentOptions): boolean {
  return Object.keys(FEATURES).some((name) => usedBy(name, options));
}

/** Whether a CLI knows a feature; one without a known version counts as current. */
function knows(version: string | undefined, feature: string): boolean {
  const since = FEATURES[feature];
  return since === undefined || !isOlder(version, since.release);
}

/** The CLI that options are sent to; a current one unless its version is given. */
export function targetOf(
  settings: Settings,
  { platform = "", version, files = {} }: {
    readonly platform?: string | undefined;
    readonly version?: string | undefined;
    readonly files?: Target["files"] | undefined;
  } = {},
): Target {
  return {
    settings,
    platform,
    version,
    files,
    knows: (feature) => knows(version, feature),
  };
}

/**
 * Refuses an option that a CLI of this version does not know and that cannot be delivered another way.
 *
 * @param late The version that was assumed, if the real one was reported after the CLI had started
 */
export function checkKnown(
  options: AgentOptions,
  version: string | undefined,
  path: string | undefined,
  late?: { readonly countedAs: string | undefined },
): void {
  for (const [name, { instead }] of Object.entries(FEATURES)) {
    if (knows(version, name)) continue;
    const isInTime = late === undefined || !knows(late.countedAs, name);
    if (instead !== undefined && isInTime) continue;
    refuseUse(name, options, `${named(path)} is ${version}`);
  }
}

/** Refuses a guard for a CLI that has not said its version in time: an old one would ignore the guard. */
export function checkProven(
  options: AgentOptions,
  path: string | undefined,
): void {
  for (const [name, { isGuard }] of Object.entries(FEATURES)) {
    if (!isGuard) continue;
    refuseUse(name, options, `${named(path)} does not say its version`);
  }
}

/** Throws if an option uses a feature. */
function refuseUse(name: string, options: AgentOptions, fact: string): void {
  const key = usedBy(name, options);
  const { release, sent, help = "leave the option out" } = FEATURES[name] ?? {};
  if (key === undefined) return;
  throw new ConfigError({
    message:
      `Option "${key}" needs CLI ${release} or later (${sent}): ${fact}; ${UPDATE}, or ${help}`,
    key,
  });
}
