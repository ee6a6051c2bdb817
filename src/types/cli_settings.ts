import type { HookEvent } from "../protocol/hooks.ts";
import type { PermissionMode } from "../protocol/permissions.ts";

/**
 * Keys with their types, and any others.
 *
 * The first half takes values of an `interface`, which has no index; the second takes keys that it does not name.
 *
 * @internal
 */
type Open<T> = T | (T & { readonly [key: string]: unknown });

/** MCP server of a rule in {@link CliSettings}, by one of these. */
export interface McpServerRule {
  /** Its name. */
  readonly serverName?: string | undefined;
  /** Its command and arguments. */
  readonly serverCommand?: readonly string[] | undefined;
  /** A pattern of its address. */
  readonly serverUrl?: string | undefined;
}

/** Command hooks for one matcher, as settings files have them. */
export interface CommandHookMatcher {
  /** Names of tools, or a pattern; all by default. */
  readonly matcher?: string | undefined;
  /** Its kind. */
  readonly hooks: readonly Open<{
    /** Kind of the hook. */
    readonly type: "command" | "prompt" | "agent" | "http" | "mcp_tool";
    /** The command of a `command` hook. */
    readonly command?: string | undefined;
    /** The prompt of a `prompt` or `agent` hook. */
    readonly prompt?: string | undefined;
    /** The address of an `http` hook. */
    readonly url?: string | undefined;
    /** Its limit, in seconds. */
    readonly timeout?: number | undefined;
  }>[];
}

/** Permission rules of the CLI's settings; further keys pass as they are. */
export type CliPermissionSettings = Open<{
  /** Rules that run unasked. */
  readonly allow?: readonly string[] | undefined;
  /** Rules that are asked about. */
  readonly ask?: readonly string[] | undefined;
  /** Rules that never run. */
  readonly deny?: readonly string[] | undefined;
  /** The mode to start in. */
  readonly defaultMode?: PermissionMode | undefined;
  /** Further directories that tools may touch. */
  readonly additionalDirectories?: readonly string[] | undefined;
  /** Refuses `bypassPermissions`. */
  readonly disableBypassPermissionsMode?: "disable" | undefined;
  /** Whether nothing outside of the working directories is read. */
  readonly blockReadsOutsideWorkingDirectories?: boolean | undefined;
  /** Whether nothing outside of the working directories is written. */
  readonly blockWritesOutsideWorkingDirectories?: boolean | undefined;
}>;

/** The sandbox of the CLI's settings; further keys pass as they are. */
export type CliSandboxSettings = Open<{
  /** Whether commands run in a sandbox. */
  readonly enabled?: boolean | undefined;
  /** Whether the start fails without one. */
  readonly failIfUnavailable?: boolean | undefined;
  /** Whether commands in it run unasked. */
  readonly autoAllowBashIfSandboxed?: boolean | undefined;
  /** Whether a command may ask to run outside of it. */
  readonly allowUnsandboxedCommands?: boolean | undefined;
  /** Commands that always run outside of it. */
  readonly excludedCommands?: readonly string[] | undefined;
  /** Violations that are not told: paths by command, `*` for all. */
  readonly ignoreViolations?:
    | Readonly<Record<string, readonly string[]>>
    | undefined;
  /** Whether a weaker one will do inside a container. */
  readonly enableWeakerNestedSandbox?: boolean | undefined;
  /** Network access. */
  readonly network?:
    | Open<{
      /** Domains that may be reached; `*.` for those below. */
      readonly allowedDomains?: readonly string[] | undefined;
      /** Domains that may not. */
      readonly deniedDomains?: readonly string[] | undefined;
      /** Whether other domains are refused without asking. */
      readonly strictAllowlist?: boolean | undefined;
      /** Sockets that may be reached; macOS. */
      readonly allowUnixSockets?: readonly string[] | undefined;
      /** Whether all of them may be. */
      readonly allowAllUnixSockets?: boolean | undefined;
      /** Whether ports of this machine may be opened; macOS. */
      readonly allowLocalBinding?: boolean | undefined;
      /** Port of an HTTP proxy of one's own. */
      readonly httpProxyPort?: number | undefined;
      /** Port of a SOCKS proxy of one's own. */
      readonly socksProxyPort?: number | undefined;
    }>
    | undefined;
  /** File access, beside the permission rules. */
  readonly filesystem?:
    | Open<{
      /** Paths that may be written. */
      readonly allowWrite?: readonly string[] | undefined;
      /** Paths that may not. */
      readonly denyWrite?: readonly string[] | undefined;
      /** Paths that may be read although they are denied. */
      readonly allowRead?: readonly string[] | undefined;
      /** Paths that may not be read. */
      readonly denyRead?: readonly string[] | undefined;
      /** Whether files are not guarded; macOS and Linux. */
      readonly disabled?: boolean | undefined;
    }>
    | undefined;
}>;

/**
 * Settings of the CLI that a program may want to set, by name.
 *
 * Source: published types of the CLI 2.1.328.
 */
export interface CliSettingsFields {
  /** The agent of the main thread. */
  readonly agent?: string | undefined;
  /** The only MCP servers that may be used. */
  readonly allowedMcpServers?: readonly McpServerRule[] | undefined;
  /** Whether the model thinks first. */
  readonly alwaysThinkingEnabled?: boolean | undefined;
  /** A program that prints the API key. */
  readonly apiKeyHelper?: string | undefined;
  /** Attribution in commits and pull requests. */
  readonly attribution?:
    | boolean
    | Open<{
      /** Added to commits; empty = nothing. */
      readonly commit?: string | undefined;
      /** Added to pull requests; empty = nothing. */
      readonly pr?: string | undefined;
      /** Whether the address of the session is named. */
      readonly sessionUrl?: boolean | undefined;
    }>
    | undefined;
  /** Whether a full context is compacted automatically. */
  readonly autoCompactEnabled?: boolean | undefined;
  /** Tokens at which it is compacted. */
  readonly autoCompactWindow?: number | undefined;
  /** Whether the CLI keeps memories automatically. */
  readonly autoMemoryEnabled?: boolean | undefined;
  /** The only models that can be chosen. */
  readonly availableModels?: readonly string[] | undefined;
  /** Maximum number of characters of a command's output that the model reads. */
  readonly bashOutputMaxChars?: number | undefined;
  /** CLAUDE.md files that are left out; patterns. */
  readonly claudeMdExcludes?: readonly string[] | undefined;
  /** Days that transcripts are kept. */
  readonly cleanupPeriodDays?: number | undefined;
  /** The shell of commands. */
  readonly defaultShell?: "bash" | "powershell" | undefined;
  /** MCP servers that may not be used. */
  readonly deniedMcpServers?: readonly McpServerRule[] | undefined;
  /** Whether no command hook runs. */
  readonly disableAllHooks?: boolean | undefined;
  /** Whether the CLI's own skills are left out. */
  readonly disableBundledSkills?: boolean | undefined;
  /** Servers of `.mcp.json` that are refused. */
  readonly disabledMcpjsonServers?: readonly string[] | undefined;
  /** Whether shell lines in skills are left alone. */
  readonly disableSkillShellExecution?: boolean | undefined;
  /** Effort level of the model. */
  readonly effortLevel?: "low" | "medium" | "high" | "xhigh" | undefined;
  /** Whether all servers of `.mcp.json` are enabled. */
  readonly enableAllProjectMcpServers?: boolean | undefined;
  /** Enabled servers of `.mcp.json`. */
  readonly enabledMcpjsonServers?: readonly string[] | undefined;
  /** Enabled plugins, by `name@marketplace`. */
  readonly enabledPlugins?: Readonly<Record<string, unknown>> | undefined;
  /** Environment variables of the CLI and its child processes. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Models to fall back to, in order. */
  readonly fallbackModel?: readonly string[] | undefined;
  /** Hooks that the CLI runs itself, by event; for callbacks see the option `hooks`. */
  readonly hooks?:
    | Readonly<Partial<Record<HookEvent, readonly CommandHookMatcher[]>>>
    | undefined;
  /** Whether the model gets instructions for Git. */
  readonly includeGitInstructions?: boolean | undefined;
  /** The language of answers. */
  readonly language?: string | undefined;
  /** The model. */
  readonly model?: string | undefined;
  /** Name of the output style. */
  readonly outputStyle?: string | undefined;
  /** Permission rules. */
  readonly permissions?: CliPermissionSettings | undefined;
  /** Directory of plans. */
  readonly plansDirectory?: string | undefined;
  /** Lifetime of cached prompts. */
  readonly promptCacheTtl?: "5m" | "1h" | undefined;
  /** Whether ignored files are not suggested. */
  readonly respectGitignore?: boolean | undefined;
  /** The sandbox of commands. */
  readonly sandbox?: CliSandboxSettings | undefined;
  /** Whether summaries of the thinking are delivered. */
  readonly showThinkingSummaries?: boolean | undefined;
  /** Availability of skills, by name. */
  readonly skillOverrides?:
    | Readonly<
      Record<string, "on" | "name-only" | "user-invocable-only" | "off">
    >
    | undefined;
}

/** The settings of the CLI, as its files have them; further keys pass as they are. */
export type CliSettings = Open<CliSettingsFields>;

/** A change to the settings of a session; `null` removes a key, further keys are passed unchanged. */
export type CliSettingsChange = Open<
  {
    readonly [Key in keyof CliSettingsFields]?:
      | CliSettingsFields[Key]
      | (Key extends "effortLevel" ? "max" : never)
      | null;
  }
>;
