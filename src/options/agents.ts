import type { AgentDefinition, PluginConfig } from "../protocol/session.ts";
import { EFFORTS, PERMISSION_MODES } from "../protocol/values.ts";
import {
  type Check,
  either,
  fitting,
  flag,
  integer,
  isText,
  list,
  object,
  oneOf,
  record,
  string,
  text,
} from "./fields.ts";
import { json } from "./plain_object.ts";
import { refuse } from "./refuse.ts";

const size = integer({ min: 1 });

export const agents: Check = record(
  object<AgentDefinition>({
    description: string,
    prompt: string,
    tools: list(text),
    disallowedTools: list(text),
    model: text,
    mcpServers: list(either(isText, text, json)),
    skills: list(text),
    initialPrompt: string,
    maxTurns: size,
    autoCompactWindow: size,
    background: flag,
    omitClaudeMd: flag,
    memory: oneOf("user", "project", "local"),
    effort: either(
      (value) => typeof value === "number",
      integer({ min: 0 }),
      oneOf(...EFFORTS),
    ),
    permissionMode: oneOf(...PERMISSION_MODES),
    observer: text,
    observerMessage: string,
    criticalSystemReminder_EXPERIMENTAL: string,
  }, ["description", "prompt"]),
  text,
);

export const plugins: Check = list(
  object<PluginConfig>(
    { type: oneOf("local"), path: text, skipMcpDiscovery: flag },
    ["type", "path"],
  ),
);

export const skills: Check = either(
  (value) => value === "all",
  string,
  fitting('"all" or a list of names', Array.isArray, list(skillName)),
);

/** Names become rules of the CLI, where these characters mean something else. */
function skillName(name: unknown, key: string): void {
  text(name, key);
  if (/[(),*]|^\//.test(String(name))) {
    refuse(key, name, 'a name without "(", ")", ",", "*" and a leading "/"');
  }
}
