import { isObject, textOfError } from "../errors/text.ts";
import { checkVersion, type RecordedLine } from "../testing/recording.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { Story } from "./story.ts";
import { objectIn, textOfContent } from "./story_text.ts";

const MOST_NAMED = 5;
/** More than a browser can show. */
const MOST_STEPS = 100_000;

/** Reads the lines of a cassette or of a session of the CLI into a story. */
export class StoryReader {
  readonly story: Story;
  #count = 0;
  #broken = 0;
  #isLastBroken = false;
  #left = 0;
  #first: number | undefined;
  /** The calls that began subagents, by the subagent; those have files of their own. */
  readonly #agents = new Map<string, string>();

  constructor(name: string) {
    this.story = new Story(name);
  }

  /**
   * Takes one line.
   *
   * @throws {Error} If it is of a cassette that is newer than this package
   */
  add(line: string): void {
    if (line.trim() === "") return;
    this.#count++;
    if (this.story.steps.length >= MOST_STEPS) {
      this.#left++;
      return;
    }
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      this.#noteBroken();
      return;
    }
    this.#isLastBroken = false;
    if (!isObject(value)) return this.#noteBroken();
    if ("dir" in value) {
      this.story.head.form ??= "cassette";
      this.#addCassette(value as unknown as RecordedLine);
    } else if ("type" in value) {
      this.story.head.form ??= "session";
      this.#addEntry(value as JsonObject);
    } else this.#noteBroken();
  }

  /** Notes a line that is too long to be read. */
  skip(bytes: number): void {
    this.#count++;
    const megabytes = Math.round(bytes / 1e6);
    const text = `A line of ${megabytes} MB is not shown`;
    const { warnings } = this.story.head;
    if (!warnings.includes(text)) warnings.push(text);
  }

  /** Says what is missing when there are no more lines; throws where there was nothing to tell. */
  end(): Story {
    const { head, steps } = this.story;
    if (head.form === undefined) {
      throw new Error(
        this.#count === 0
          ? `${head.name} is empty: nothing was recorded`
          : `${head.name} is neither a cassette nor a session of the CLI: none of its ${this.#count} lines is one of theirs`,
      );
    }
    if (this.#isLastBroken) {
      head.warnings.push("The recording breaks off in its last line");
    }
    const more = this.#broken - MOST_NAMED;
    if (more > 0) head.warnings.push(`${more} more lines could not be read`);
    if (this.#left > 0) {
      head.warnings.push(
        `${this.#left} more lines are not shown: a page holds ${MOST_STEPS} steps`,
      );
    }
    if (steps.length === 0) head.warnings.push("There is nothing in it yet");
    return this.story;
  }

  #noteBroken(): void {
    this.#isLastBroken = true;
    this.#broken++;
    if (this.#broken > MOST_NAMED) return;
    this.story.head.warnings.push(`Line ${this.#count} could not be read`);
  }

  #addCassette(line: RecordedLine): void {
    const { story } = this;
    story.t = line.t;
    switch (line.dir) {
      case "meta": {
        try {
          checkVersion(line);
        } catch (error) {
          throw new Error(
            `${story.head.name}: ${textOfError(error)}; update this package`,
          );
        }
        const { event } = line;
        if (event === "spawn") {
          if (typeof line["cwd"] === "string") story.head.cwd = line["cwd"];
          story.add("system", "The CLI was started", { text: line["argv"] });
        }
        if (event === "exit") {
          const { code, signal } = line;
          const how = signal ? `by ${signal}` : `with ${code}`;
          story.add("system", `The CLI ended ${how}`, { isError: code !== 0 });
        }
        return;
      }
      case "err":
        story.add("system", "stderr", { text: line.text });
        return;
      default: {
        if (!("msg" in line)) {
          story.add("error", "A line that is no JSON", {
            text: String(line.raw),
            isError: true,
          });
          return;
        }
        const message = objectIn(line.msg);
        if (line.dir === "in") this.#fromHost(message);
        else this.#fromCli(message);
      }
    }
  }

  #fromHost(message: JsonObject): void {
    const { story } = this;
    switch (message["type"]) {
      case "user":
        return story.prompt(objectIn(message["message"])["content"]);
      case "control_request": {
        const { subtype, ...text } = objectIn(message["request"]);
        const id = `host ${message["request_id"]}`;
        return story.add("control", String(subtype), { text, id });
      }
      case "control_response":
        this.#answer("cli", objectIn(message["response"]));
    }
  }

  /** Whose question an answer is to stands in front of its id: both count their own. */
  #answer(asker: "host" | "cli", response: JsonObject): void {
    const id = `${asker} ${response["request_id"]}`;
    const body = objectIn(response["response"]);
    const error = response["error"];
    const title = this.story.titleOf(id);
    if (title === undefined) return;
    if (typeof error === "string") {
      return this.story.close(id, error, { isError: true });
    }
    const behavior = body["behavior"];
    this.story.close(id, body, {
      ...typeof behavior === "string" && {
        title: `${title}: ${behavior === "allow" ? "allowed" : "denied"}`,
      },
    });
  }

  #fromCli(message: JsonObject): void {
    const { story } = this;
    switch (message["type"]) {
      case "control_request":
        return this.#question(message);
      case "control_response":
        return this.#answer("host", objectIn(message["response"]));
      case "control_cancel_request": {
        const id = `cli ${message["request_id"]}`;
        const title = `${story.titleOf(id)}: taken back`;
        return story.close(id, undefined, { title });
      }
      default:
        this.#message(message);
    }
  }

  #question(message: JsonObject): void {
    const request = objectIn(message["request"]);
    const id = `cli ${message["request_id"]}`;
    const add = (
      kind: "permission" | "hook" | "mcp" | "control",
      title: string,
      text: JsonValue | undefined,
      about?: JsonValue,
    ) =>
      this.story.add(kind, title, {
        text,
        id,
        about: typeof about === "string" ? about : undefined,
      });
    switch (request["subtype"]) {
      case "can_use_tool":
        return add(
          "permission",
          `${request["tool_name"]}?`,
          request["input"],
          request["tool_use_id"],
        );
      case "hook_callback": {
        const input = objectIn(request["input"]);
        const about = input["tool_name"];
        const event = String(input["hook_event_name"] ?? "hook");
        return add(
          "hook",
          about ? `${event} of ${about}` : event,
          input,
          request["tool_use_id"] ?? input["tool_use_id"],
        );
      }
      case "mcp_message": {
        const inner = objectIn(request["message"]);
        const what = objectIn(inner["params"])["name"];
        const method = String(inner["method"] ?? "answer");
        const title = `${request["server_name"]}: ${method}`;
        return add("mcp", what ? `${title} ${what}` : title, inner);
      }
      case "elicitation":
        return add("permission", String(request["message"]), request);
      default:
        return add("control", String(request["subtype"]), request);
    }
  }

  /** A message as the CLI writes it, to a host or to the file of the session. */
  #message(message: JsonObject): void {
    const { story } = this;
    const { head } = story;
    const parent = message["parent_tool_use_id"] as string | null | undefined;
    // Of a session, whose call began a subagent may be unknown.
    const isMain = parent === null || parent === undefined;
    const inner = objectIn(message["message"]);
    switch (message["type"]) {
      case "assistant":
        story.act();
        if (typeof inner["model"] === "string" && isMain) {
          head.model ??= inner["model"];
        }
        story.blocks(inner["content"], parent);
        if (typeof message["error"] === "string") {
          story.add("error", message["error"], {
            parent,
            isError: true,
            text: textOfContent(inner["content"]),
          });
        }
        if (isMain) story.used(inner);
        return;
      case "user": {
        const { content } = inner;
        story.blocks(content, parent, parent ? "prompt" : "text");
        if (typeof content === "string" && !parent && !message["isReplay"]) {
          story.add("system", content, { text: content });
        }
        return;
      }
      case "result":
        return story.result(message);
      case "system":
        return this.#system(message, parent);
      case "auth_status":
      case "rate_limit_event":
        story.add("system", String(message["type"]), { text: message });
    }
  }

  #system(message: JsonObject, parent: string | null | undefined): void {
    const { story } = this;
    const { head } = story;
    const subtype = String(message["subtype"]);
    switch (subtype) {
      case "init": {
        const { claude_code_version: version, cwd, model } = message;
        if (typeof model === "string") head.model = model;
        if (typeof version === "string") head.version = version;
        if (typeof cwd === "string") head.cwd ??= cwd;
        const id = message["session_id"];
        if (typeof id === "string") head.sessionId = id;
        story.act();
        return;
      }
      case "session_state_changed":
      case "thinking_tokens":
      case "status":
      case "hook_progress":
      case "task_progress":
      case "commands_changed":
        return;
      case "hook_started":
        return story.add("hook", String(message["hook_name"]), {
          id: `hook ${message["hook_id"]}`,
          text: message["hook_event"],
        });
      case "hook_response":
        return story.close(
          `hook ${message["hook_id"]}`,
          message["output"] ?? message["stdout"],
          { isError: message["outcome"] === "error" },
        );
      case "api_retry":
        return story.add("error", `${message["error"]}: another try`, {
          parent,
          isError: true,
          text: message,
        });
      default: {
        const description = message["description"] ?? message["summary"] ??
          message["content"] ?? message["message"];
        const title = typeof description === "string"
          ? `${subtype}: ${description}`
          : subtype;
        const call = message["tool_use_id"];
        story.add("system", title, {
          // Messages of a task stand under the call that began it.
          parent: typeof call === "string" ? call : parent,
          text: message,
        });
      }
    }
  }

  /** An entry of the CLI's own file. */
  #addEntry(entry: JsonObject): void {
    const { story } = this;
    const { head } = story;
    const at = Date.parse(String(entry["timestamp"]));
    story.t = Number.isNaN(at) ? undefined : at - (this.#first ??= at);
    if (this.#first !== undefined) head.startedAt ??= this.#first;
    for (const name of ["sessionId", "cwd", "version"] as const) {
      const value = entry[name];
      if (typeof value === "string") head[name] ??= value;
    }
    const { type } = entry;
    const parent = entry["isSidechain"] === true
      ? this.#agents.get(String(entry["agentId"])) ?? ""
      : null;
    if (type === "user") {
      const { content } = objectIn(entry["message"]);
      const result = (Array.isArray(content) ? content : [])
        .map((block: JsonValue) => objectIn(block))
        .find((block) => block["type"] === "tool_result");
      const agent = objectIn(entry["toolUseResult"])["agentId"];
      if (result !== undefined && typeof agent === "string") {
        this.#agents.set(agent, String(result["tool_use_id"]));
      }
      if (result === undefined && parent !== null) {
        const text = textOfContent(content);
        return story.add("prompt", text, { text, parent });
      }
      if (result === undefined && entry["isMeta"] !== true) {
        // There are no results in such a file: the next prompt ends the turn.
        story.next();
        return story.prompt(content);
      }
    }
    if (type === "user" || type === "assistant") {
      this.#message({ ...entry, parent_tool_use_id: parent });
    } else if (type === "system") this.#message(entry);
    else if (type === "attachment") {
      const { type: kind, prompt, isMeta } = objectIn(entry["attachment"]);
      if (kind !== "queued_command" || isMeta === true) return;
      const text = textOfContent(prompt);
      story.add("prompt", text, { text, parent });
    }
  }
}
