import { asObject, cut, isObject } from "../errors/text.ts";
import type { Host } from "../ports/host.ts";
import { resolvePath, upwards } from "../process/paths.ts";
import { configFolder } from "../transcripts/places.ts";
import type { JsonValue } from "../types/json.ts";
import { type ConfigFile, valueAt } from "./config_files.ts";
import { type Finding, finding } from "./finding.ts";

/** More than anybody writes by hand; the rest is not looked at. */
const MOST_FILES = 1_000;
const MOST_LEVELS = 4;

/** A mistake in a settings file, as the CLI reports it. */
export interface SettingsMistake {
  readonly file?: string;
  readonly path: string;
  readonly message: string;
}

/** Mistakes that the CLI reports in well-formed settings. */
export function checkSettings(
  files: readonly ConfigFile[],
  mistakes: readonly SettingsMistake[],
): readonly Finding[] {
  const found = new Map<string, Finding>();
  for (const { file, message, path } of mistakes) {
    const own = files.find((one) => one.path === file);
    // Reported with its line by checkSyntax().
    if (own !== undefined && !isObject(own.json?.value)) continue;
    const keys = path.split(".").filter((key) => key !== "");
    const place = own === undefined
      ? file ?? "settings"
      : `${own.path}:${own.json?.lineOf(keys)}`;
    if (found.has(place)) continue;
    const text = `${place} ${path}: ${cut(message)}`;
    const fix = "correct it; the CLI ignores the file or part of it until then";
    found.set(place, finding("configuration", "error", text, fix));
  }
  return [...found.values()];
}

/** MCP servers of the files that the CLI leaves out without a word, and variables that are not set. */
export function checkServers(
  files: readonly ConfigFile[],
  { cwd, disabled, env, used }: {
    readonly cwd: string;
    /** Names of servers that the CLI uses. */
    readonly used: readonly string[];
    /** Names of servers that settings switch off. */
    readonly disabled: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  },
): readonly Finding[] {
  return files.flatMap(({ json, kind, path }) => {
    if (kind === "settings" || !isObject(json?.value)) return [];
    const { lineOf, value } = json;
    if (kind === "mcp" && !isObject(value["mcpServers"])) {
      const other = isObject(value["servers"]) ? ' in place of "servers"' : "";
      const fix = `name them below "mcpServers": { ... }${other}`;
      const text = `${path}:1 has no "mcpServers"`;
      return [finding("mcp", "error", text, fix)];
    }
    const places = [["mcpServers"], ["projects", cwd, "mcpServers"]]
      .slice(0, kind === "mcp" ? 1 : 2);
    return places.flatMap((keys) => {
      const servers = valueAt(value, keys);
      return Object.entries(asObject(servers))
        .flatMap(([name, entry]) => {
          const line = lineOf([...keys, name]);
          const what = `${path}:${line} MCP server "${name}"`;
          if (used.includes(name)) return unsetIn(entry, env, what);
          if (!disabled.includes(name)) {
            const text = `${what} is ignored by the CLI`;
            return [finding("mcp", "error", text, SERVER_FIX)];
          }
          const text = `${what} is switched off by disabledMcpjsonServers`;
          return [finding("mcp", "note", text)];
        });
    });
  });
}

const SERVER_FIX =
  'write "command" and "args", or "type": "http" or "sse" and "url", with texts alone in args, env and headers; settings of your organization may exclude it too';

function unsetIn(
  entry: JsonValue | undefined,
  env: Readonly<Record<string, string>>,
  what: string,
): readonly Finding[] {
  const named = JSON.stringify(entry ?? null).matchAll(/\$\{([A-Za-z_]\w*)\}/g);
  const names = new Set([...named].map(([, name = ""]) => name));
  return [...names].filter((name) => env[name] === undefined).map((name) => {
    const text = `${what} needs ${name}, which is not set`;
    const fix = `set it, or write \${${name}:-default}`;
    return finding("mcp", "warning", text, fix);
  });
}

/** Agents, commands and skills in files that the CLI ignores or reads otherwise than meant. */
export async function checkDefinitions(
  host: Host,
  cwd: string,
  agents: readonly string[],
): Promise<readonly Finding[]> {
  const { files, platform } = host;
  const projects = upwards(cwd, platform)
    .map((one) => resolvePath(one, ".claude", platform));
  const found: Finding[] = [];
  const warn = (text: string, fix: string) =>
    found.push(finding("definition", "warning", text, fix));
  for (
    const folder of new Set([...projects, configFolder(host, host.env(), cwd)])
  ) {
    const at = (path: string) => resolvePath(folder, path, platform);
    for (const path of await markdownIn(host, at("agents"))) {
      const text = await files.readText(path).catch(() => undefined);
      if (text === undefined || /README\.md$/i.test(path)) continue;
      const head = frontmatterOf(text) ?? "";
      const [, , name] = /^name:\s*(["']?)(.+)\1/m.exec(head) ?? [];
      const isWhole = name !== undefined && /^description:\s*\S/m.test(head);
      if (isWhole || agents.includes(name ?? "")) continue;
      warn(
        `${path}:1 has no frontmatter with name and description: the CLI ignores this agent`,
        "begin the file with ---, name: ..., description: ..., ---",
      );
    }
    const prompts = [...await markdownIn(host, at("commands"))];
    for (const name of await namesIn(host, at("skills"))) {
      const path = at(`skills/${name}`);
      const inside = await namesIn(host, path);
      if (inside.includes("SKILL.md")) prompts.push(at(`${path}/SKILL.md`));
      else if (inside.length > 0 || /(?<!^README)\.md$/i.test(name)) {
        const fix = `make it ${
          path.replace(/\.md$/, "")
        }/SKILL.md, in capitals`;
        warn(`${path} is ignored: a skill is a folder with SKILL.md`, fix);
      }
    }
    for (const path of prompts) {
      const text = await files.readText(path).catch(() => "");
      const isOpen = /^\ufeff?---/.test(text) &&
        frontmatterOf(text) === undefined;
      if (!isOpen) continue;
      const fact = "has a frontmatter that does not end";
      const fix = "end the frontmatter by a line with --- alone";
      warn(`${path}:1 ${fact}: the CLI reads it as part of the prompt`, fix);
    }
  }
  return found;
}

function frontmatterOf(text: string): string | undefined {
  const [, head] = /^\ufeff?---[ \t\r]*\n([^]*?\n)??---[ \t\r]*(?:\n|$)/
    .exec(text) ?? [];
  return head;
}

async function namesIn(
  { files }: Host,
  folder: string,
): Promise<readonly string[]> {
  return (await files.list(folder).catch(() => []))
    .filter((name) => !name.startsWith(".")).toSorted();
}

async function markdownIn(
  host: Host,
  folder: string,
  levels = MOST_LEVELS,
): Promise<readonly string[]> {
  const all: string[] = [];
  for (const name of (await namesIn(host, folder)).slice(0, MOST_FILES)) {
    const path = resolvePath(folder, name, host.platform);
    if (name.endsWith(".md")) all.push(path);
    else if (levels > 0) all.push(...await markdownIn(host, path, levels - 1));
  }
  return all;
}
