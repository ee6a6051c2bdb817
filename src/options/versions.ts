import { ConfigError } from "../errors/base.ts";
import type { McpServerConfig } from "../types/mcp.ts";
import type { AgentOptions } from "../types/options.ts";
import { parseSettings } from "./settings_layer.ts";
import { valueAt } from "./fields.ts";
import { deniesAllReads, needsNoMentions, readPolicy } from "./guarded.ts";
import { isOfCli } from "./server_fields.ts";

/** The CLI that everything was tried with; tests and demo install it. */
export const TESTED_VERSION = "2.1.330";

/** The oldest supported CLI. */
export const MINIMUM_VERSION = "2.1.261";

/** How to get rid of an old CLI. */
export const UPDATE = "update it (claude update)";

/** Something that not every supported CLI knows. */
export interface Feature {
  /** The first release that knows it. */
  readonly since: string;
  /** What is sent to use it: a flag, a variable, or a field of `initialize`. */
  readonly sent: string;
  /** What an older CLI gets instead, if its version is known in time; absent = the option is refused. */
  readonly instead?: string;
  /** The option that uses it, or whether the one that the row is named after does; absent = if that is set. */
  readonly isUsed?: (options: AgentOptions) => boolean | string | undefined;
  /** Another remedy than to leave the option out. */
  readonly help?: string;
}

/** The rows of {@link FEATURES}. */
export type FeatureName =
  | "fileMentions"
  | "fileMentionsBesideReads"
  | "projectConfigRoot"
  | "managedSettings"
  | "mcpServers"
  | "settings"
  | "defaultMode";

/**
 * Features that came after {@link MINIMUM_VERSION}; `docs/versions.md` shows this table.
 *
 * Source: tried on the releases around each step.
 */
export const FEATURES: Readonly<Record<FeatureName, Feature>> = {
  fileMentions: {
    since: "2.1.299",
    sent: "CLAUDE_CODE_DISABLE_FILE_MENTIONS",
    instead: "the deny rule Read(//**), where the lists allow no read",
    isUsed: (options) => deniesAllReads(options) && readPolicy(options),
  },
  fileMentionsBesideReads: {
    since: "2.1.299",
    sent: "CLAUDE_CODE_DISABLE_FILE_MENTIONS beside some reads",
    isUsed: needsNoMentions,
    help:
      "set verbatimPrompts, and settingSources to [] without plugins and additionalDirectories",
  },
  projectConfigRoot: { since: "2.1.300", sent: "--project-config-root" },
  managedSettings: {
    since: "2.1.326",
    sent: "--managed-settings-in-initialize",
  },
  mcpServers: {
    since: "2.1.326",
    sent: "mcpServers of initialize",
    instead: "--mcp-config, as a private file",
    isUsed: ({ mcpServers = {} }) =>
      Object.values(mcpServers).some((one) => isOfCli(one as McpServerConfig)),
  },
  settings: {
    since: "2.1.327",
    sent: "--initialize-fields",
    instead: "--settings, as a private file",
    isUsed: ({ sandbox, settings }) =>
      sandbox !== undefined || typeof parseSettings(settings) === "object",
  },
  defaultMode: {
    since: "2.1.326",
    sent: "canUseTool without a mode",
    instead:
      "--permission-mode=default from 2.1.271, which starts in mode auto",
  },
};

/** The dotted key of the option that makes use of a feature; `undefined` when none does. */
function usedBy(
  name: string,
  { isUsed = (options) => Boolean(valueAt(options, name)) }: Feature,
  options: AgentOptions,
): string | undefined {
  const used = isUsed(options);
  return used === true ? name : used || undefined;
}

/** Whether a CLI knows a feature; one without a known version counts as current. */
export function knows(
  version: string | undefined,
  feature: FeatureName,
): boolean {
  return !isOlder(version, FEATURES[feature].since);
}

/** Whether a version is older than another; one that says no numbers is not. */
export function isOlder(version: string | undefined, than: string): boolean {
  const own = numbersOf(version);
  const other = numbersOf(than);
  if (own === undefined || other === undefined) return false;
  const at = other.findIndex((least, at) => least !== own[at]);
  return at >= 0 && Number(own[at]) < Number(other[at]);
}

/** The three numbers of a version; `undefined` when it has none. */
export function numbersOf(
  version: string | undefined,
): readonly number[] | undefined {
  const parts = /^(\d+)\.(\d+)\.(\d+)/.exec(version ?? "");
  return parts === null ? undefined : parts.slice(1).map(Number);
}

/**
 * Refuses an option that a CLI of this version does not know and that cannot be delivered another way.
 *
 * @param late The version that was assumed, if the real one was reported after the CLI had started
 * @throws {ConfigError} For the first one
 */
export function checkKnown(
  options: AgentOptions,
  version: string | undefined,
  path: string | undefined,
  late?: { readonly countedAs: string | undefined },
): void {
  for (const [name, feature] of Object.entries(FEATURES)) {
    const { since, sent, instead, help = "leave the option out" } = feature;
    if (!isOlder(version, since)) continue;
    const isInTime = late === undefined || isOlder(late.countedAs, since);
    if (instead !== undefined && isInTime) continue;
    const key = usedBy(name, feature, options);
    if (key === undefined) continue;
    throw new ConfigError({
      message: `Option "${key}" needs CLI ${since} or later (${sent}): ${
        named(path)
      } is ${version}; ${UPDATE}, or ${help}`,
      key,
    });
  }
}

/** The path of a CLI for a sentence. */
export function named(path: string | undefined): string {
  return path === undefined ? "this one" : `"${path}"`;
}
