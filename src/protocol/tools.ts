// Made from protocol/ by `npm run generate`; edit that.
import type { JsonObject } from "../types/json.ts";
import type { PermissionMode } from "./permissions.ts";

/** One question of the tool `AskUserQuestion`. */
export interface AskedQuestion {
  /** The question. */
  readonly question: string;
  /** A very short title. */
  readonly header: string;
  /** Choices. */
  readonly options: readonly ({
    /** Text to show. */
    readonly label: string;
    /** Meaning. */
    readonly description: string;
    /** Preview beside the option when it has the focus. */
    readonly preview?: string;
  })[];
  /** Whether several can be chosen. */
  readonly multiSelect?: boolean;
}

/**
 * Inputs of built-in tools of the CLI, by name; see `isToolUse()`.
 *
 * Tools whose input is not published, or that few sessions have, are not among them. Source: published types of the CLI
 * 2.1.328.
 */
export interface BuiltinToolInputs {
  /** Delegates work to a subagent. */
  readonly Agent: {
    /** Subject, in three to five words. */
    readonly description: string;
    /** The task, as a prompt. */
    readonly prompt: string;
    /** Kind of the subagent. */
    readonly subagent_type?: string;
    /** The model it runs on, such as `sonnet` or `opus`. */
    readonly model?: string;
    /** Effort of the subagent. */
    readonly effort?: "low" | "medium" | "high" | "xhigh" | "max";
    /** Whether the turn continues without waiting for it. */
    readonly run_in_background?: boolean;
    /** A name to reach it by while it runs. */
    readonly name?: string;
    /** Permission mode for its tool calls. */
    readonly mode?: PermissionMode;
    /** Kind of isolation. */
    readonly isolation?: "worktree" | "remote";
  };
  /** Asks the user to choose. */
  readonly AskUserQuestion: {
    /** One to four questions. */
    readonly questions: readonly AskedQuestion[];
  };
  /** Runs a shell command. */
  readonly Bash: {
    /** The command. */
    readonly command: string;
    /** Timeout, in milliseconds. */
    readonly timeout?: number;
    /** Description of its action. */
    readonly description?: string;
    /** Whether the turn continues without waiting for it. */
    readonly run_in_background?: boolean;
    /** Whether it runs outside of the sandbox. */
    readonly dangerouslyDisableSandbox?: boolean;
  };
  /** Schedules a prompt. */
  readonly CronCreate: {
    /** Schedule, in five fields of cron, local time. */
    readonly cron: string;
    /** The prompt. */
    readonly prompt: string;
    /** Whether it recurs. */
    readonly recurring?: boolean;
    /** Whether it outlives the session. */
    readonly durable?: boolean;
  };
  /** Cancels a scheduled prompt. */
  readonly CronDelete: {
    /** Id. */
    readonly id: string;
  };
  /** Replaces text in a file. */
  readonly Edit: {
    /** Absolute path of the file. */
    readonly file_path: string;
    /** The text to replace. */
    readonly old_string: string;
    /** Replacement. */
    readonly new_string: string;
    /** Whether each occurrence is replaced; default: false. */
    readonly replace_all?: boolean;
  };
  /** Continues the session in a worktree. */
  readonly EnterWorktree: {
    /** Name of a new worktree. */
    readonly name?: string;
    /** Path of an existing worktree. */
    readonly path?: string;
  };
  /** Asks the user to approve a plan. */
  readonly ExitPlanMode: {
    /** Permissions that the plan requests. */
    readonly allowedPrompts?: readonly ({
      /** The tool. */
      readonly tool: "Bash";
      /** Description of the action. */
      readonly prompt: string;
    })[];
  };
  /** Leaves a worktree. */
  readonly ExitWorktree: {
    /** Outcome. */
    readonly action: "keep" | "remove";
    /** Whether changes in it are lost. */
    readonly discard_changes?: boolean;
  };
  /** Finds files by name. */
  readonly Glob: {
    /** The pattern. */
    readonly pattern: string;
    /** The directory; default: the working directory. */
    readonly path?: string;
  };
  /** Searches in files. */
  readonly Grep: {
    /** A regular expression. */
    readonly pattern: string;
    /** File or directory; default: the working directory. */
    readonly path?: string;
    /** Pattern of the files. */
    readonly glob?: string;
    /** Form of the output; default: `files_with_matches`. */
    readonly output_mode?: "content" | "files_with_matches" | "count";
    /** Lines before each match. */
    readonly "-B"?: number;
    /** Lines after each match. */
    readonly "-A"?: number;
    /** Lines around each match. */
    readonly "-C"?: number;
    /** The same as `-C`. */
    readonly context?: number;
    /** Whether lines have numbers. */
    readonly "-n"?: boolean;
    /** Whether case is ignored. */
    readonly "-i"?: boolean;
    /** Whether only the matching parts are shown. */
    readonly "-o"?: boolean;
    /** Type of the files, such as `js`. */
    readonly type?: string;
    /** Maximum number of lines or entries. */
    readonly head_limit?: number;
    /** Number of them to skip first. */
    readonly offset?: number;
    /** Whether a match may span lines. */
    readonly multiline?: boolean;
  };
  /** Lists resources of MCP servers. */
  readonly ListMcpResourcesTool: {
    /** Name of the server; default: all servers. */
    readonly server?: string;
  };
  /** Watches something in the background. */
  readonly Monitor: {
    /** Watched target. */
    readonly description: string;
    /** Timeout, in milliseconds. */
    readonly timeout_ms: number;
    /** A command whose output is watched. */
    readonly command?: string;
    /** A web socket that is watched. */
    readonly ws?: {
      /** Address of the socket. */
      readonly url: string;
      /** Subprotocols to offer. */
      readonly protocols?: readonly string[];
    };
  };
  /** Changes a cell of a notebook. */
  readonly NotebookEdit: {
    /** Absolute path of the notebook. */
    readonly notebook_path: string;
    /** The cell; with `insert`, the new cell follows it. */
    readonly cell_id?: string;
    /** Its new text. */
    readonly new_source: string;
    /** Kind of the cell. */
    readonly cell_type?: "code" | "markdown";
    /** Action; default: `replace`. */
    readonly edit_mode?: "replace" | "insert" | "delete";
  };
  /** Reads a file. */
  readonly Read: {
    /** Absolute path of the file. */
    readonly file_path: string;
    /** The first line. */
    readonly offset?: number;
    /** Number of lines. */
    readonly limit?: number;
    /** Pages of a PDF, such as `1-5`. */
    readonly pages?: string;
    /** Whether a large file is read whole. */
    readonly allow_large?: boolean;
  };
  /** Lists the children of a resource of an MCP server. */
  readonly ReadMcpResourceDirTool: {
    /** The server. */
    readonly server: string;
    /** The resource. */
    readonly uri: string;
  };
  /** Reads a resource of an MCP server. */
  readonly ReadMcpResourceTool: {
    /** The server. */
    readonly server: string;
    /** The resource. */
    readonly uri: string;
  };
  /** Schedules the next run of a loop. */
  readonly ScheduleWakeup: {
    /** Delay, in seconds. */
    readonly delaySeconds?: number;
    /** Reason for that time. */
    readonly reason?: string;
    /** The prompt of that run. */
    readonly prompt?: string;
    /** Whether the loop ends instead. */
    readonly stop?: boolean;
    /** Whether there was nothing to do. */
    readonly noop?: boolean;
  };
  /** Adds a task to the list. */
  readonly TaskCreate: {
    /** Its title. */
    readonly subject: string;
    /** Description of the work. */
    readonly description: string;
    /** The title while it is being done. */
    readonly activeForm?: string;
    /** Further facts. */
    readonly metadata?: JsonObject;
  };
  /** Reads a task of the list. */
  readonly TaskGet: {
    /** Id. */
    readonly taskId: string;
  };
  /** Stops a background task. */
  readonly TaskStop: {
    /** Id. */
    readonly task_id?: string;
    /** Older name of `task_id`. */
    readonly shell_id?: string;
  };
  /** Changes a task of the list. */
  readonly TaskUpdate: {
    /** Id. */
    readonly taskId: string;
    /** Its new title. */
    readonly subject?: string;
    /** Description of the work. */
    readonly description?: string;
    /** The title while it is being done. */
    readonly activeForm?: string;
    /** State. */
    readonly status?: "pending" | "in_progress" | "completed" | "deleted";
    /** Tasks that it blocks. */
    readonly addBlocks?: readonly string[];
    /** Tasks that block it. */
    readonly addBlockedBy?: readonly string[];
    /** Owner of the task. */
    readonly owner?: string;
    /** Further facts. */
    readonly metadata?: JsonObject;
  };
  /** Writes the list of things to do. */
  readonly TodoWrite: {
    /** The whole list. */
    readonly todos: readonly ({
      /** The task. */
      readonly content: string;
      /** State. */
      readonly status: "pending" | "in_progress" | "completed";
      /** The same while it is being done. */
      readonly activeForm: string;
    })[];
  };
  /** Reads a web page. */
  readonly WebFetch: {
    /** Address of the page. */
    readonly url: string;
    /** Question about the page. */
    readonly prompt: string;
    /** Offset to start at. */
    readonly offset?: number;
  };
  /** Searches the web. */
  readonly WebSearch: {
    /** The search query. */
    readonly query: string;
    /** The only domains to search. */
    readonly allowed_domains?: readonly string[];
    /** Domains to leave out. */
    readonly blocked_domains?: readonly string[];
  };
  /** Runs a workflow. */
  readonly Workflow: {
    /** Its text. */
    readonly script?: string;
    /** Its file. */
    readonly scriptPath?: string;
    /** Name of a known workflow. */
    readonly name?: string;
    /** Title to show. */
    readonly title?: string;
    /** Subject. */
    readonly description?: string;
    /** Input. */
    readonly args?: JsonObject;
    /** The run to resume. */
    readonly resumeFromRunId?: string;
  };
  /** Writes a file. */
  readonly Write: {
    /** Absolute path of the file. */
    readonly file_path: string;
    /** All of its content. */
    readonly content: string;
  };
}
