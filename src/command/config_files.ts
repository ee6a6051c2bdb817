import { isObject, textOfError } from "../errors/text.ts";
import type { Host } from "../ports/host.ts";
import { resolvePath, upwards } from "../process/paths.ts";
import {
  configFolder,
  managedFolder,
  stateFile,
} from "../transcripts/places.ts";
import type { JsonValue } from "../types/json.ts";
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

/** Reads the CLI's configuration files, those that win last. */
export async function readConfigFiles(
  host: Host,
  cwd: string,
): Promise<readonly ConfigFile[]> {
  const { files, platform } = host;
  const at = (folder: string, path: string) =>
    resolvePath(folder, path, platform);
  const user = configFolder(host, host.env(), cwd);
  const managed = managedFolder(host);
  const dropIns = at(managed, "managed-settings.d");
  const names = await files.list(dropIns).catch(() => []);
  const settings = [
    at(user, "settings.json"),
    at(cwd, ".claude/settings.json"),
    at(cwd, ".claude/settings.local.json"),
    at(managed, "managed-settings.json"),
    ...names.filter((name) => name.endsWith(".json")).toSorted()
      .map((name) => at(dropIns, name)),
  ];
  const mcp = upwards(cwd, platform).map((folder) => at(folder, ".mcp.json"));
  const all = await Promise.all([
    ...settings.map((path) => readFile(host, path, "settings")),
    readFile(host, stateFile(host, host.env(), cwd), "state"),
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
    if (status.kind === "directory") throw new Error("it is a directory");
    const text = await files.readText(path);
    // The CLI takes an empty settings file for one that says nothing.
    return text.trim() === "" && kind === "settings"
      ? undefined
      : { path, kind, json: readJsonLines(text) };
  } catch (error) {
    return { path, kind, problem: textOfError(error) };
  }
}

/** Place of a key in the settings that win: `file:line`. */
export function locate(
  files: readonly ConfigFile[],
  ...keys: readonly string[]
): string | undefined {
  const file = files.findLast(({ json, kind }) =>
    kind === "settings" && valueAt(json?.value, keys) !== undefined
  );
  return file && `${file.path}:${file.json?.lineOf(keys)}`;
}

export function valueAt(
  value: JsonValue | undefined,
  keys: readonly string[],
): JsonValue | undefined {
  return keys.reduce<JsonValue | undefined>(
    (part, key) => isObject(part) ? part[key] : undefined,
    value,
  );
}

/** Files that cannot be read, are not JSON, or hold a key twice. */
export function checkSyntax(files: readonly ConfigFile[]): readonly Finding[] {
  const refused = files.map(({ problem = "" }) => problem)
    .find((one) => permissionFix(one) !== undefined);
  const found = files.flatMap(({ json, kind, path, problem = "" }) => {
    const broken = (text: string, fix: string) => {
      const until = kind === "state"
        ? "the CLI does not start until then"
        : "the CLI ignores the file until then";
      const whole = `${fix}; ${until}`;
      return [finding("configuration", "error", `${path}${text}`, whole)];
    };
    if (json === undefined) {
      return permissionFix(problem) === undefined
        ? broken(` cannot be read: ${problem}`, "make it a readable file")
        : [];
    }
    const { duplicates, fault, value } = json;
    if (fault !== undefined) {
      const { line, reason } = fault;
      return broken(`:${line} is not JSON: ${reason}`, `correct line ${line}`);
    }
    if (!isObject(value)) {
      return broken(":1 holds no object", "put all of it into { ... }");
    }
    return duplicates.map(({ key, line }) => {
      const text = `${path}:${line} holds "${key}" a second time`;
      const fix = "merge the two; the CLI uses the later one only";
      return finding("configuration", "warning", text, fix);
    });
  });
  if (refused === undefined) return found;
  const text = `Files were not read: ${refused}`;
  const fix = permissionFix(refused);
  return [finding("configuration", "unproven", text, fix), ...found];
}
