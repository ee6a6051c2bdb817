import type { AgentDefinition, PluginConfig } from "../types/session_info.ts";
import {
  type Check,
  type Fields,
  flag,
  integer,
  list,
  object,
  oneOf,
  record,
  refuse,
  text,
  words,
} from "./fields.ts";
import { json } from "./json.ts";

/** How hard a model may think. */
export const EFFORTS = ["low", "medium", "high", "xhigh", "max"] as const;

/** The permission modes that the CLI may start in. */
export const PERMISSION_MODES = [
  "default",
  "acceptEdits",
  "bypassPermissions",
  "plan",
  "dontAsk",
  "auto",
] as const;

const effortLevel = oneOf(...EFFORTS);

const DEFINITION: Fields<AgentDefinition> = {
  description: words,
  prompt: words,
  tools: list(text),
  disallowedTools: list(text),
  model: text,
  mcpServers: list((value, key) => {
    if (typeof value === "string") text(value, key);
    else json(value, key);
  }),
  skills: list(text),
  initialPrompt: words,
  maxTurns: integer({ min: 1 }),
  autoCompactWindow: integer({ min: 1 }),
  background: flag,
  omitClaudeMd: flag,
  memory: oneOf("user", "project", "local"),
  effort: (value, key) => {
    if (typeof value === "number") integer({ min: 0 })(value, key);
    else effortLevel(value, key);
  },
  permissionMode: oneOf(...PERMISSION_MODES),
  observer: text,
  observerMessage: words,
  criticalSystemReminder_EXPERIMENTAL: words,
};

const definition = object(DEFINITION, ["description", "prompt"]);

/** Agents by name. */
export const agents: Check = record(definition, text);

/** Plugins on this disk. */
export const plugins: Check = list(
  object<PluginConfig>(
    { type: oneOf("local"), path: text, skipMcpDiscovery: flag },
    ["type", "path"],
  ),
);

/** Skills by name, or all. The names become rules of the CLI, where these characters mean something else. */
export function skills(value: unknown, key: string): void {
  if (value === "all") return;
  if (!Array.isArray(value)) refuse(key, value, '"all" or a list of names');
  list((name, at) => {
    text(name, at);
    if (/[(),*]|^\//.test(String(name))) {
      refuse(at, name, 'a name without "(", ")", ",", "*" and a leading "/"');
    }
  })(value, key);
}
