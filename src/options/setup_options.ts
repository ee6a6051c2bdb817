import type { AgentDefinition, PluginConfig } from "../protocol/session.ts";
import type { CliSandboxSettings, CliSettings } from "../types/cli_settings.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { AgentOptions } from "../types/options.ts";
import { agents, plugins, skills } from "./agents.ts";
import { flag, isText, list, oneOf, text } from "./fields.ts";
import { option, type OptionRows, type Target } from "./option.ts";
import { json } from "./plain_object.ts";
import { refuse } from "./refuse.ts";
import { optionsByHooks, startsByHooks } from "./required_hooks.ts";
import { checkSettings, flagLayer, parseSettings } from "./settings_layer.ts";

const IN_INITIALIZE =
  'leave it out; Sluice sends plugins in the "initialize" request';

/** Agents, plugins, settings. */
export const SETUP_OPTIONS: OptionRows = {
  /** Name of the agent that answers the prompts. */
  agent: option<string>({ check: text, flag: "agent" }),
  /** Subagents by name. */
  agents: option<Readonly<Record<string, AgentDefinition>>>({
    check: agents,
    // Checked to be JSON; its type says more than JSON does.
    fields: { agents: (agents) => agents as unknown as JsonValue | undefined },
    replaces: ["agents"],
  }),
  /** Skills that the model can load; default: all found. With a list, the model can load only the listed skills, and these skip the permission prompt. With `"all"`, all skills skip the prompt. */
  skills: option<readonly string[] | "all">({
    check: skills,
    fields: { skills: (skills) => skills === "all" ? undefined : skills },
    travels: "init, argv",
  }),
  /** Plugins to load, each with the path of its folder. */
  plugins: option<readonly PluginConfig[]>({
    check: plugins,
    fields: {
      plugins: (plugins) =>
        plugins?.length ? plugins as unknown as JsonValue : undefined,
    },
    confirmedBy: "plugins_applied",
    replaces: ["plugin-dir", "plugin-dir-no-mcp"],
    hints: { pluginDelivery: IN_INITIALIZE },
  }),
  /** Settings: an object, JSON text, or a file path. Overrides user, project and local settings. */
  settings: option<string | CliSettings>({
    check: checkSettings,
    flags: {
      // Not published, and the only way for settings that leaves no file behind and does not show them to everybody.
      "initialize-fields": (_settings, { settings: { options }, knows }) =>
        launchLayer(options) !== undefined && knows("settings") && "settings",
      settings(value, { files }) {
        const path = parseSettings(value);
        return isText(path) ? path : files.settings;
      },
    },
    fields: {
      settings: (_settings, { settings: { options } }) => launchLayer(options),
    },
    confirmedBy: "settings_applied",
    travels: "init; a path: argv",
    since: {
      release: "2.1.327",
      instead: "--settings, as a private file",
      isUsed: (options) =>
        options.sandbox !== undefined ||
        typeof parseSettings(options.settings) === "object" ||
        launchLayer(options) !== undefined && optionsByHooks(options)[0],
    },
  }),
  /** Settings that override `settings` and all settings files. Deny rules of `managedSettings` cannot be overridden. Allow rules of `managedSettings` skip the permission prompt. If the machine has an administrator's settings, these must allow `managedSettings`. If they do not, the CLI ignores this option. */
  managedSettings: option<CliSettings>({
    check: json,
    flags: {
      "managed-settings-in-initialize": (managed) => managed !== undefined,
    },
    fields: { managedSettings: (managed) => managed as JsonValue | undefined },
    confirmedBy: "managed_settings_applied",
    travels: "init",
    replaces: ["managed-settings"],
    since: { release: "2.1.326" },
  }),
  /** Settings files to read; default: all. `[]` = none. */
  settingSources: option<readonly ("user" | "project" | "local")[]>({
    check: list(oneOf("user", "project", "local")),
    // An empty list is a value.
    flags: { "setting-sources": (sources) => sources?.join(",") },
  }),
  /** Sandbox settings, merged into `settings`. Deny lists of `sandbox` and `settings` are joined. If a key of `settings` would switch off a restriction of `sandbox`, Sluice drops this key. Cannot be combined with `settings` as a path. */
  sandbox: option<CliSandboxSettings>({
    check: json,
    travels: "init",
    conflict: ({ sandbox, settings }) =>
      sandbox !== undefined && isText(parseSettings(settings)) &&
      'cannot be joined with "settings" in a file, write it into that file',
  }),
  /** Folder of the project's settings, if `cwd` is a worktree; default: `cwd`. The CLI reads settings, `.mcp.json` and `.claude` from this folder. The path must be absolute and exist. */
  projectConfigRoot: option<string>({
    check(value, key) {
      text(value, key);
      // Of this system or of another: a transport may run the CLI elsewhere.
      if (!/^(?:[\\/]|[a-z]:[\\/])/i.test(String(value))) {
        refuse(key, value, "an absolute path");
      }
    },
    flags: {
      "project-config-root": (path, to) => path && slashed(path, to),
    },
    since: { release: "2.1.300" },
  }),
  /** Further directories in which tools may work. */
  additionalDirectories: option<readonly string[]>({
    check: list(text),
    flags: {
      "add-dir": (paths, to) => paths?.map((path) => slashed(path, to)),
    },
  }),
  /** Whether to use only the servers in `mcpServers`; default: false. */
  strictMcpConfig: option<boolean>({ check: flag, flag: "strict-mcp-config" }),
};

/** The settings of `initialize`. A CLI that waits for them ends when its input does: it runs no deferred call without hooks. */
function launchLayer(options: AgentOptions): JsonObject | undefined {
  const { settings } = options;
  const isEmpty = settings === undefined && startsByHooks(options);
  return flagLayer(options) ?? (isEmpty ? {} : undefined);
}

function slashed(path: string, { platform }: Target): string {
  return platform === "win32" ? path.replaceAll("\\", "/") : path;
}
