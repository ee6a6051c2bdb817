import { isObject, parsedJson } from "../errors/text.ts";
import { merged } from "../options/merged_settings.ts";
import type { Host } from "../ports/host.ts";
import type { JsonObject } from "../types/json.ts";
import { host as hostOf } from "../runtime/host.ts";
import { resolvePath } from "../process/paths.ts";
import { configFolder, managedFolder } from "../transcripts/places.ts";
import type {
  ProvenanceEntry,
  ResolvedSettings,
  ResolveSettingsOptions,
  Settings,
} from "./generated/types.ts";

/** Modes that ask less. */
const ESCALATING = new Set(["bypassPermissions", "auto", "acceptEdits"]);

/**
 * Merges the settings files of a directory, and names the source of each setting: later sources win, lists are joined.
 *
 * Managed settings from a server or from the registry of the system are not read.
 *
 * @example Get the model of a directory
 * ```ts ignore
 * import { resolveSettings } from "@sluice/agent/compat";
 *
 * console.log((await resolveSettings()).effective.model);
 * ```
 */
export async function resolveSettings(
  options: ResolveSettingsOptions = {},
): Promise<ResolvedSettings> {
  const host = await hostOf();
  const {
    cwd = host.cwd(),
    settingSources = ["user", "project", "local"],
    managedSettings,
    serverManagedSettings,
  } = options;
  const paths = {
    user: `${configFolder(host)}/settings.json`,
    project: `${cwd}/.claude/settings.json`,
    local: `${cwd}/.claude/settings.local.json`,
  } as const;
  const sources: ResolvedSettings["sources"] = [];
  for (const source of ["user", "project", "local"] as const) {
    if (!settingSources.includes(source)) continue;
    const settings = await readSettings(host, paths[source]);
    if (settings) sources.push({ source, settings, path: paths[source] });
  }
  const manage = (
    settings: Settings | undefined,
    from: Pick<ProvenanceEntry, "path" | "policyOrigin">,
  ) => settings && sources.push({ source: "managed", settings, ...from });
  const folder = managedFolder(host);
  const path = resolvePath(folder, "managed-settings.json", host.platform);
  manage(await readSettings(host, path), { path, policyOrigin: "file" });
  manage(serverManagedSettings, { policyOrigin: "remote" });
  manage(managedSettings && restrictions(managedSettings), {
    policyOrigin: "parent",
  });
  let effective: JsonObject = {};
  const provenance: Record<string, ProvenanceEntry> = {};
  for (const { settings, ...from } of sources) {
    effective = merged(effective, settings as JsonObject, { joined: /^/ });
    for (const key of Object.keys(settings)) provenance[key] = { ...from };
  }
  return {
    effective: effective as Settings,
    provenance,
    sources,
    machinePolicy: { didNotLoad: false },
  };
}

/**
 * Removes a less restrictive default permission mode from the settings of {@link resolveSettings}, unless the user set it.
 *
 * @example Ignore the mode that a project sets
 * ```ts
 * import { filterEscalatingDefaultMode } from "@sluice/agent/compat";
 * import assert from "node:assert/strict";
 *
 * const settings = { permissions: { defaultMode: "auto" as const } };
 * const sources = [{ source: "project" as const, settings }];
 * const safe = filterEscalatingDefaultMode({ effective: settings, provenance: {}, sources });
 * assert.deepEqual(safe, { permissions: {} });
 * ```
 */
export function filterEscalatingDefaultMode(
  { effective, sources }: ResolvedSettings,
): Settings {
  const mode = effective.permissions?.defaultMode;
  if (mode === undefined || !ESCALATING.has(mode)) return effective;
  const said = sources.findLast(({ settings }) =>
    settings.permissions?.defaultMode !== undefined
  );
  // A local file may do so for edits alone.
  const isUntrusted = said?.source === "project" ||
    said?.source === "local" && mode !== "acceptEdits";
  if (!isUntrusted) return effective;
  const { defaultMode: _, ...permissions } = effective.permissions ?? {};
  return { ...effective, permissions };
}

/** Settings that a program hands over can only forbid. */
function restrictions({ permissions }: Settings): Settings {
  const { deny, ask } = permissions ?? {};
  return deny || ask
    ? { permissions: { ...deny && { deny }, ...ask && { ask } } }
    : {};
}

async function readSettings(
  { files }: Host,
  path: string,
): Promise<Settings | undefined> {
  // The CLI leaves out what it cannot read, too.
  const text = await files.readText(path).catch(() => "");
  // Editors of Windows write a byte order mark.
  const value: unknown = parsedJson(text.replace(/^\ufeff/, ""));
  return isObject(value) ? value as Settings : undefined;
}
