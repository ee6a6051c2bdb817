import { isObject, textOfError } from "../errors/text.ts";
import { nearest } from "../errors/nearest.ts";
import type { Host } from "../ports/host.ts";
import { resolvePath, upwards, variable } from "../process/paths.ts";
import type { JsonValue } from "../types/json.ts";
import { configFolder } from "../transcripts/places.ts";
import { type Finding, finding, permissionFix } from "./finding.ts";
import { type JsonLines, readJsonLines } from "./json_lines.ts";

/** A configuration file of the CLI that exists. */
export interface ConfigFile {
  readonly path: string;
  /** `state` is `.claude.json`, with MCP servers of the user and of single folders. */
  readonly kind: "settings" | "mcp" | "state";
  /** Absent where the file cannot be read. */
  readonly json?: JsonLines;
  readonly problem?: string;
}

const MANAGED: Readonly<Record<string, string>> = {
  darwin: "/Library/Application Support/ClaudeCode",
  win32: "C:\\Program Files\\ClaudeCode",
};

/** Reads the CLI's configuration files, those that win last. */
export async function readConfigFiles(
  host: Host,
  cwd: string,
): Promise<readonly ConfigFile[]> {
  const { files, platform } = host;
  const at = (folder: string, path: string) =>
    resolvePath(folder, path, platform);
  const user = configFolder(host);
  const managed = MANAGED[platform] ?? "/etc/claude-code";
  const dropIns = at(managed, "managed-settings.d");
  const names = await files.list(dropIns).catch(() => []);
  const isNamed = variable(host.env(), "CLAUDE_CONFIG_DIR", platform);
  const settings = [
    at(user, "settings.json"),
    at(cwd, ".claude/settings.json"),
    at(cwd, ".claude/settings.local.json"),
    at(managed, "managed-settings.json"),
    ...names.filter((name) => name.endsWith(".json")).toSorted()
      .map((name) => at(dropIns, name)),
  ];
  const state = at(
    user,
    isNamed === undefined ? "../.claude.json" : ".claude.json",
  );
  const mcp = upwards(cwd, platform).map((folder) => at(folder, ".mcp.json"));
  const all = await Promise.all([
    ...settings.map((path) => readFile(host, path, "settings")),
    readFile(host, state, "state"),
    ...mcp.map((path) => readFile(host, path, "mcp")),
  ]);
  return all.filter((one) => one !== undefined);
}

async function readFile(
  { files }: Host,
  path: string,
  kind: ConfigFile["kind"],
): Promise<ConfigFile | undefined> {
  try {
    const status = await files.status(path);
    if (status === undefined) return undefined;
    if (status.kind === "directory") {
      return { path, kind, problem: "it is a directory" };
    }
    const text = await files.readText(path);
    // The CLI takes an empty settings file for one that says nothing.
    return text.trim() === "" && kind === "settings"
      ? undefined
      : { path, kind, json: readJsonLines(text) };
  } catch (error) {
    return { path, kind, problem: textOfError(error) };
  }
}

/** Where the settings that win hold a key: `file:line`. */
export function locate(
  files: readonly ConfigFile[],
  ...keys: readonly string[]
): string | undefined {
  const file = files.findLast(({ json, kind }) =>
    kind === "settings" && at(json?.value, keys) !== undefined
  );
  return file && `${file.path}:${file.json?.lineOf(keys)}`;
}

export function at(
  value: JsonValue | undefined,
  keys: readonly string[],
): JsonValue | undefined {
  return keys.reduce<JsonValue | undefined>(
    (part, key) => isObject(part) ? part[key] : undefined,
    value,
  );
}

/** Files that cannot be read, are no JSON, or hold a key twice. */
export function checkSyntax(files: readonly ConfigFile[]): readonly Finding[] {
  const problems = files.map(({ problem = "" }) => problem);
  const refused = problems.find((one) => permissionFix(one) !== undefined);
  const unread = refused === undefined ? [] : [
    finding("configuration", "unproven", `Files were not read: ${refused}`, {
      fix: permissionFix(refused),
    }),
  ];
  const found = files.flatMap(({ json, kind, path, problem = "" }) => {
    const ignored = kind === "state"
      ? "the CLI does not start until then"
      : "the CLI ignores the file until then";
    if (json === undefined) {
      if (permissionFix(problem) !== undefined) return [];
      const text = `${path} cannot be read: ${problem}`;
      const fix = `make it a file that you can read; ${ignored}`;
      return [finding("configuration", "error", text, { fix })];
    }
    const { duplicates, fault, value } = json;
    if (fault !== undefined) {
      const text = `${path}:${fault.line} is not JSON: ${fault.reason}`;
      const fix = `correct line ${fault.line}; ${ignored}`;
      return [finding("configuration", "error", text, { fix })];
    }
    if (!isObject(value)) {
      const text = `${path}:1 holds no object`;
      const fix = `put all of it into { ... }; ${ignored}`;
      return [finding("configuration", "error", text, { fix })];
    }
    return duplicates.map(({ key, line }) => {
      const text = `${path}:${line} holds "${key}" a second time`;
      const fix = "merge the two; the CLI uses the later one only";
      return finding("configuration", "warning", text, { fix });
    });
  });
  return [...unread, ...found];
}

/** A mistake in a settings file, as the CLI reports it. */
export interface SettingsMistake {
  readonly file?: string;
  readonly path: string;
  readonly message: string;
}

/** Mistakes that the CLI reports in well-formed settings, and hooks for events that it does not have. */
export function checkSettings(
  files: readonly ConfigFile[],
  mistakes: readonly SettingsMistake[],
  events: readonly string[],
): readonly Finding[] {
  const places = new Set<string>();
  const reported = mistakes.flatMap(({ file, message, path }) => {
    const own = files.find((one) => one.path === file);
    // Reported with its line by checkSyntax().
    if (own !== undefined && !isObject(own.json?.value)) return [];
    const keys = path.split(".").filter((key) => key !== "");
    const place = own === undefined
      ? file ?? "settings"
      : `${own.path}:${own.json?.lineOf(keys)}`;
    if (places.has(place)) return [];
    places.add(place);
    const fix = "correct it; the CLI ignores the file or part of it until then";
    const text = `${place} ${path}: ${message}`;
    return [finding("configuration", "error", text, { fix })];
  });
  const unknown = files.flatMap(({ json, kind, path }) => {
    const hooks = kind === "settings" ? at(json?.value, ["hooks"]) : undefined;
    if (!isObject(hooks) || events.length === 0) return [];
    return Object.keys(hooks).filter((name) => !events.includes(name))
      .map((name) => {
        const line = json?.lineOf(["hooks", name]);
        const text = `${path}:${line} hooks.${name}: there is no such event`;
        const near = nearest(name, events);
        const fix = near === undefined
          ? "remove it; its hooks never run"
          : `write ${near}; its hooks never run until then`;
        return finding("configuration", "error", text, { fix });
      });
  });
  return [...reported, ...unknown];
}
