/** The lines that either side writes. */
import { CLI_CONTROLS } from "./control_cli.ts";
import { HOST_CONTROLS } from "./control_host.ts";
import {
  anything,
  byName,
  flag,
  list,
  literal,
  maybe,
  object,
  orNull,
  ref,
  seen,
  shape,
  tag,
  text,
  type Topic,
  topic,
  union,
} from "./words.ts";

const PENDING = {
  pending_permission_requests: maybe(
    list(ref("CliControlRequest"), "Pending permission requests"),
  ),
  pending_user_dialog_requests: maybe(
    list(ref("CliControlRequest"), "Dialogs that are still open"),
  ),
  pending_elicitation_requests: maybe(
    list(
      ref("CliControlRequest"),
      "Questions of MCP servers that are still open",
    ),
  ),
};

const OF_BOTH = ["ControlResponse", "ControlCancelRequest", "KeepAlive"].map((
  name,
) => ref(name));

export const LINES: Topic = topic("lines", "Envelopes", {
  CliControlRequest: shape("Line with a control request of the CLI", {
    type: tag("control_request"),
    request_id: text("Id of the request; unique among those of the CLI"),
    request: ref("ControlRequestOfCli", "The request"),
  }),
  HostControlRequest: shape("Line with a control request of the host", {
    type: tag("control_request"),
    request_id: text("Id of the request; unique among those of the host"),
    request: ref("ControlRequestOfHost", "The request"),
  }),
  ControlRequestOfCli: union(
    CLI_CONTROLS.map(({ request }) => ref(request)),
    "Requests of the CLI, distinguished by `subtype`",
  ),
  ControlRequestOfHost: union(
    [
      ...HOST_CONTROLS,
      ...CLI_CONTROLS.filter(({ direction }) => direction === "both"),
    ].map(({ request }) => ref(request)),
    "Requests of the host, distinguished by `subtype`",
  ),
  ControlResponse: shape(
    "Line with the response to a request of the other side",
    {
      type: tag("control_response"),
      response: union(
        [ref("ControlSuccess"), ref("ControlFailure")],
        "The answer",
      ),
    },
  ),
  ControlSuccess: shape("Response to a request that succeeded", {
    subtype: tag("success"),
    request_id: text("Id of the request"),
    response: maybe(
      object("Body of the reply; absent if it has none"),
    ),
    ...PENDING,
  }),
  ControlFailure: shape("Response to a request that failed", {
    subtype: tag("error"),
    request_id: text("Id of the request"),
    error: text("Reason, in words"),
    error_code: seen(text("Reason, as a code such as `unsupported_request`")),
    model: seen(text("Model concerned")),
    ...PENDING,
  }),
  ControlCancelRequest: shape(
    "Line that cancels a request; it has no reply",
    {
      type: tag("control_cancel_request"),
      request_id: text("Id of the request"),
      takes_late_allow: seen(
        literal(true, "Whether a late permission still counts"),
      ),
      tool_use_id: seen(text("Tool call concerned")),
    },
  ),
  KeepAlive: shape("Line without content, as a sign of life", {
    type: tag("keep_alive"),
    startup_mark: seen(anything("Phase of the start")),
  }),
  TranscriptMirror: shape(
    "Entries that the CLI appended to the session file; with `--session-mirror`",
    {
      type: tag("transcript_mirror"),
      filePath: text("The file"),
      entries: list(object(), "The entries, in order"),
    },
    { source: "Session mirror", published: false },
  ),
  UserMessageInput: shape(
    "A prompt on the wire; only `type` and `message` are required",
    {
      type: tag("user"),
      message: shape(
        "The prompt itself",
        {
          role: literal(
            "user",
            "For any other role the CLI ends with exit code 1",
          ),
          content: union(
            [text(), list(ref("ContentBlockInput"))],
            "Text or blocks",
          ),
        },
      ),
      parent_tool_use_id: maybe(
        orNull(text("The tool call this belongs to; null for a prompt")),
      ),
      session_id: maybe(text("Session id; the CLI also accepts an empty one")),
      uuid: maybe(
        text(
          "The host's id of this prompt: handle for `cancelQueued()` and `rewindFiles()`, comes back in `user_message_uuids`",
        ),
      ),
      priority: maybe(
        ref("QueuePriority", "Place in the queue while a turn runs"),
      ),
      shouldQuery: maybe(
        flag("False adds to the conversation without starting a turn"),
      ),
      isSynthetic: maybe(
        flag(
          "Whether a program, not a person, wrote this text",
        ),
      ),
      origin: maybe(ref("MessageOrigin", "Origin of the message")),
      timestamp: maybe(text("Time of writing, ISO 8601")),
      tool_use_result: maybe(
        anything(
          "Structured result of the tool whose result this line carries",
        ),
      ),
      agent_id: maybe(text("The subagent it belongs to")),
      subagent_type: maybe(text("Kind of that subagent")),
      task_description: maybe(text("Task of that subagent")),
      client_composed: maybe(
        literal(true, "A program wrote the text; the CLI takes it literally"),
      ),
      pasted_content: maybe(list(ref("ContentBlockInput"), "Pasted blocks")),
      inline_pastes: maybe(list(text(), "Pasted texts")),
    },
    { source: "The user line", given: true },
  ),
  UpdateEnvironmentVariables: shape("Sets variables of the CLI", {
    type: tag("update_environment_variables"),
    variables: byName(text(), "Values by name"),
    request_id: maybe(text("Id of the request")),
  }, { source: "Lines to stdin", published: false, given: true }),
  StdoutLine: union([
    ref("Message"),
    ref("CliControlRequest"),
    ...OF_BOTH,
    ref("TranscriptMirror"),
  ], "A line that the CLI writes"),
  StdinLine: union([
    ref("UserMessageInput"),
    ref("HostControlRequest"),
    ...OF_BOTH,
    ref("UpdateEnvironmentVariables"),
  ], "A line that the host writes"),
});
