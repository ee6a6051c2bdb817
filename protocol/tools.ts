/** Inputs of built-in tools. */
import {
  flag,
  list,
  literal,
  maybe,
  number,
  object,
  oneOf,
  part,
  ref,
  shape,
  text,
  type Topic,
  topic,
} from "./words.ts";

export const TOOLS: Topic = topic("tools", "published types", {
  AskedQuestion: shape("One question of the tool `AskUserQuestion`", {
    question: text("The question"),
    header: text("A very short title"),
    options: list(
      part({
        label: text("Text to show"),
        description: text("Meaning"),
        preview: maybe(text("Preview beside the option when it has the focus")),
      }),
      "Choices",
    ),
    multiSelect: maybe(flag("Whether several can be chosen")),
  }),
  BuiltinToolInputs: shape(
    "Inputs of built-in tools of the CLI, by name; see `isToolUse()`.\n\nTools whose input is not published, or that few sessions have, are not among them. Source: published types of the CLI 2.1.328",
    {
      Agent: shape("Delegates work to a subagent", {
        description: text("Subject, in three to five words"),
        prompt: text("The task, as a prompt"),
        subagent_type: maybe(text("Kind of the subagent")),
        model: maybe(text("The model it runs on, such as `sonnet` or `opus`")),
        effort: maybe(
          oneOf(
            ["low", "medium", "high", "xhigh", "max"],
            "Effort of the subagent",
          ),
        ),
        run_in_background: maybe(
          flag("Whether the turn continues without waiting for it"),
        ),
        name: maybe(text("A name to reach it by while it runs")),
        mode: maybe(
          ref("PermissionMode", "Permission mode for its tool calls"),
        ),
        isolation: maybe(oneOf(["worktree", "remote"], "Kind of isolation")),
      }),
      AskUserQuestion: shape("Asks the user to choose", {
        questions: list(ref("AskedQuestion"), "One to four questions"),
      }),
      Bash: shape("Runs a shell command", {
        command: text("The command"),
        timeout: maybe(number("Timeout, in milliseconds")),
        description: maybe(text("Description of its action")),
        run_in_background: maybe(
          flag("Whether the turn continues without waiting for it"),
        ),
        dangerouslyDisableSandbox: maybe(
          flag("Whether it runs outside of the sandbox"),
        ),
      }),
      CronCreate: shape("Schedules a prompt", {
        cron: text("Schedule, in five fields of cron, local time"),
        prompt: text("The prompt"),
        recurring: maybe(flag("Whether it recurs")),
        durable: maybe(flag("Whether it outlives the session")),
      }),
      CronDelete: shape("Cancels a scheduled prompt", {
        id: text("Id"),
      }),
      Edit: shape("Replaces text in a file", {
        file_path: text("Absolute path of the file"),
        old_string: text("The text to replace"),
        new_string: text("Replacement"),
        replace_all: maybe(
          flag("Whether each occurrence is replaced; default: false"),
        ),
      }),
      EnterWorktree: shape("Continues the session in a worktree", {
        name: maybe(text("Name of a new worktree")),
        path: maybe(text("Path of an existing worktree")),
      }),
      ExitPlanMode: shape("Asks the user to approve a plan", {
        allowedPrompts: maybe(
          list(
            part({
              tool: literal("Bash", "The tool"),
              prompt: text("Description of the action"),
            }),
            "Permissions that the plan requests",
          ),
        ),
      }),
      ExitWorktree: shape("Leaves a worktree", {
        action: oneOf(["keep", "remove"], "Outcome"),
        discard_changes: maybe(flag("Whether changes in it are lost")),
      }),
      Glob: shape("Finds files by name", {
        pattern: text("The pattern"),
        path: maybe(text("The directory; default: the working directory")),
      }),
      Grep: shape("Searches in files", {
        pattern: text("A regular expression"),
        path: maybe(text("File or directory; default: the working directory")),
        glob: maybe(text("Pattern of the files")),
        output_mode: maybe(
          oneOf(
            ["content", "files_with_matches", "count"],
            "Form of the output; default: `files_with_matches`",
          ),
        ),
        "-B": maybe(number("Lines before each match")),
        "-A": maybe(number("Lines after each match")),
        "-C": maybe(number("Lines around each match")),
        context: maybe(number("The same as `-C`")),
        "-n": maybe(flag("Whether lines have numbers")),
        "-i": maybe(flag("Whether case is ignored")),
        "-o": maybe(flag("Whether only the matching parts are shown")),
        type: maybe(text("Type of the files, such as `js`")),
        head_limit: maybe(number("Maximum number of lines or entries")),
        offset: maybe(number("Number of them to skip first")),
        multiline: maybe(flag("Whether a match may span lines")),
      }),
      ListMcpResourcesTool: shape("Lists resources of MCP servers", {
        server: maybe(text("Name of the server; default: all servers")),
      }),
      Monitor: shape("Watches something in the background", {
        description: text("Watched target"),
        timeout_ms: number("Timeout, in milliseconds"),
        command: maybe(text("A command whose output is watched")),
        ws: maybe(
          shape("A web socket that is watched", {
            url: text("Address of the socket"),
            protocols: maybe(list(text(), "Subprotocols to offer")),
          }),
        ),
      }),
      NotebookEdit: shape("Changes a cell of a notebook", {
        notebook_path: text("Absolute path of the notebook"),
        cell_id: maybe(
          text("The cell; with `insert`, the new cell follows it"),
        ),
        new_source: text("Its new text"),
        cell_type: maybe(oneOf(["code", "markdown"], "Kind of the cell")),
        edit_mode: maybe(
          oneOf(["replace", "insert", "delete"], "Action; default: `replace`"),
        ),
      }),
      Read: shape("Reads a file", {
        file_path: text("Absolute path of the file"),
        offset: maybe(number("The first line")),
        limit: maybe(number("Number of lines")),
        pages: maybe(text("Pages of a PDF, such as `1-5`")),
        allow_large: maybe(flag("Whether a large file is read whole")),
      }),
      ReadMcpResourceDirTool: shape(
        "Lists the children of a resource of an MCP server",
        { server: text("The server"), uri: text("The resource") },
      ),
      ReadMcpResourceTool: shape("Reads a resource of an MCP server", {
        server: text("The server"),
        uri: text("The resource"),
      }),
      ScheduleWakeup: shape("Schedules the next run of a loop", {
        delaySeconds: maybe(number("Delay, in seconds")),
        reason: maybe(text("Reason for that time")),
        prompt: maybe(text("The prompt of that run")),
        stop: maybe(flag("Whether the loop ends instead")),
        noop: maybe(flag("Whether there was nothing to do")),
      }),
      TaskCreate: shape("Adds a task to the list", {
        subject: text("Its title"),
        description: text("Description of the work"),
        activeForm: maybe(text("The title while it is being done")),
        metadata: maybe(object("Further facts")),
      }),
      TaskGet: shape("Reads a task of the list", { taskId: text("Id") }),
      TaskStop: shape("Stops a background task", {
        task_id: maybe(text("Id")),
        shell_id: maybe(text("Older name of `task_id`")),
      }),
      TaskUpdate: shape("Changes a task of the list", {
        taskId: text("Id"),
        subject: maybe(text("Its new title")),
        description: maybe(text("Description of the work")),
        activeForm: maybe(text("The title while it is being done")),
        status: maybe(
          oneOf(
            ["pending", "in_progress", "completed", "deleted"],
            "State",
          ),
        ),
        addBlocks: maybe(list(text(), "Tasks that it blocks")),
        addBlockedBy: maybe(list(text(), "Tasks that block it")),
        owner: maybe(text("Owner of the task")),
        metadata: maybe(object("Further facts")),
      }),
      TodoWrite: shape("Writes the list of things to do", {
        todos: list(
          part({
            content: text("The task"),
            status: oneOf(
              ["pending", "in_progress", "completed"],
              "State",
            ),
            activeForm: text("The same while it is being done"),
          }),
          "The whole list",
        ),
      }),
      WebFetch: shape("Reads a web page", {
        url: text("Address of the page"),
        prompt: text("Question about the page"),
        offset: maybe(number("Offset to start at")),
      }),
      WebSearch: shape("Searches the web", {
        query: text("The search query"),
        allowed_domains: maybe(list(text(), "The only domains to search")),
        blocked_domains: maybe(list(text(), "Domains to leave out")),
      }),
      Workflow: shape("Runs a workflow", {
        script: maybe(text("Its text")),
        scriptPath: maybe(text("Its file")),
        name: maybe(text("Name of a known workflow")),
        title: maybe(text("Title to show")),
        description: maybe(text("Subject")),
        args: maybe(object("Input")),
        resumeFromRunId: maybe(text("The run to resume")),
      }),
      Write: shape("Writes a file", {
        file_path: text("Absolute path of the file"),
        content: text("All of its content"),
      }),
    },
  ),
});
