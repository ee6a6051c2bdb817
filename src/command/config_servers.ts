import { isObject } from "../errors/text.ts";
import { nearest } from "../errors/nearest.ts";
import type { McpServerStatus } from "../protocol/control_host.ts";
import type { JsonValue } from "../types/json.ts";
import { type Finding, finding } from "./finding.ts";
import { at, type ConfigFile } from "./config_files.ts";

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
