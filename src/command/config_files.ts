import { isObject, textOfError } from "../errors/text.ts";
import { nearest } from "../errors/nearest.ts";
import type { Host } from "../ports/host.ts";
import { resolvePath, upwards, variable } from "../process/paths.ts";
import type { McpServerStatus } from "../protocol/control_host.ts";
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
  /** Why it cannot be read. */
  readonly problem?: string;
}

const MANAGED: Readonly<Record<string, string>> = {
  darwin: "/Library/Application Support/ClaudeCode",
  win32: "C:\\Program Files\\ClaudeCode",
};

/** Folder of the user settings; undefined without a home. */
export function configFolder(host: Host): string | undefined {
  const { platform } = host;
  const named = variable(host.env(), "CLAUDE_CONFIG_DIR", platform);
  const home = host.home();
  return named ?? (home && resolvePath(home, ".claude", platform));
}

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
    ...user === undefined ? [] : [at(user, "settings.json")],
    at(cwd, ".claude/settings.json"),
    at(cwd, ".claude/settings.local.json"),
    at(managed, "managed-settings.json"),
    ...names.filter((name) => name.endsWith(".json")).toSorted()
      .map((name) => at(dropIns, name)),
  ];
  const state = user === undefined
    ? []
    : [at(user, isNamed === undefined ? "../.claude.json" : ".claude.json")];
  const mcp = upwards(cwd, platform).map((folder) => at(folder, ".mcp.json"));
  const all = await Promise.all([
    ...settings.map((path) => readFile(host, path, "settings")),
    ...state.map((path) => readFile(host, path, "state")),
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

function at(
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

/** MCP servers of the files that the CLI leaves out without a word, and variables that are not set. */
export function checkServers(
  files: readonly ConfigFile[],
  used: readonly McpServerStatus[],
  { cwd, disabled, env }: {
    readonly cwd: string;
    /** Names of servers that settings switch off. */
    readonly disabled: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  },
): readonly Finding[] {
  const names = new Set(used.map(({ name }) => name));
  const found: Finding[] = [];
  const add = (status: Finding["status"], text: string, fix?: string) =>
    found.push(finding("mcp", status, text, { fix }));
  for (const { json, kind, path } of files) {
    if (kind === "settings" || !isObject(json?.value)) continue;
    const { lineOf, value } = json;
    if (kind === "mcp" && !isObject(value["mcpServers"])) {
      const other = isObject(value["servers"]) ? ' in place of "servers"' : "";
      const fix = `name them below "mcpServers": { ... }${other}`;
      add("error", `${path}:1 has no "mcpServers"`, fix);
    }
    const places = [["mcpServers"], ["projects", cwd, "mcpServers"]];
    for (const keys of kind === "mcp" ? places.slice(0, 1) : places) {
      const servers = at(value, keys);
      if (!isObject(servers)) continue;
      for (const [name, entry] of Object.entries(servers)) {
        const what = `${path}:${lineOf([...keys, name])} MCP server "${name}"`;
        if (names.has(name)) {
          for (const variable of unsetIn(entry, env)) {
            const fix = `set it, or write \${${variable}:-default}`;
            add("warning", `${what} needs ${variable}, which is not set`, fix);
          }
        } else if (disabled.includes(name)) {
          add("note", `${what} is switched off by disabledMcpjsonServers`);
        } else {
          const [reason, fix] = mistakeIn(entry) ?? [];
          if (reason !== undefined) {
            add("error", `${what} is ignored: ${reason}`, fix);
          } else {
            const fix =
              "look for it in disabledMcpjsonServers, enabledMcpjsonServers and the settings of your organization";
            add("warning", `${what} is not used by the CLI`, fix);
          }
        }
      }
    }
  }
  return found;
}

function unsetIn(
  entry: JsonValue | undefined,
  env: Readonly<Record<string, string>>,
): readonly string[] {
  const named = JSON.stringify(entry ?? null).matchAll(/\$\{([A-Za-z_]\w*)\}/g);
  const names = new Set([...named].map(([, name = ""]) => name));
  return [...names].filter((name) => env[name] === undefined);
}

/** Why the CLI leaves a server out, and what helps. */
function mistakeIn(
  entry: JsonValue | undefined,
): readonly [reason: string, fix: string] | undefined {
  if (!isObject(entry)) {
    return ["it is no object", 'write { "command": "...", "args": [] }'];
  }
  const { args = [], command, env = {}, headers = {}, type, url } = entry;
  if (type === undefined && url !== undefined) {
    return ["an address needs a type", 'add "type": "http"'];
  }
  if (type === undefined || type === "stdio") {
    if (typeof command !== "string" || command === "") {
      const near = nearest("command", Object.keys(entry));
      const hint = near === undefined ? "add" : `rename "${near}" to`;
      return ["it has no command", `${hint} "command", the program to start`];
    }
    if (!Array.isArray(args) || args.some((one) => typeof one !== "string")) {
      return ["args is no list of texts", 'write "args": ["one", "two"]'];
    }
  } else if (type !== "http" && type !== "sse" && type !== "ws") {
    const text = `${JSON.stringify(type)} is no type of server`;
    return [text, 'use "stdio", "http" or "sse"'];
  } else if (typeof url !== "string" || !URL.canParse(url)) {
    return ["it has no valid url", 'add "url": "https://..."'];
  }
  for (const [name, part] of Object.entries({ env, headers })) {
    if (!isObject(part)) return [`${name} is no object`, "correct it"];
    const [key] = Object.entries(part).find(([, one]) =>
      typeof one !== "string"
    ) ??
      [];
    if (key !== undefined) {
      return [`${name}.${key} is no text`, `put the value of ${key} in quotes`];
    }
  }
  return undefined;
}
