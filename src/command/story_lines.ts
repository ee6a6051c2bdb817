import { asList, asObject, textOfError } from "../errors/text.ts";
import { checkVersion, type RecordedLine } from "../testing/recording.ts";
import type { JsonObject } from "../types/json.ts";
import { parseObject } from "../testing/lines.ts";
import { Story } from "./story.ts";
import { textOfContent } from "./summaries.ts";

/** More than a browser can show. */
const MOST_STEPS = 100_000;

/** Messages of the CLI that say nothing about the agent's work. */
const SILENT: ReadonlySet<string> = new Set([
  "session_state_changed",
  "thinking_tokens",
  "status",
  "hook_progress",
  "task_progress",
  "commands_changed",
]);

/** Reads the lines of a recording or of a session of the CLI into a story. */
export class StoryReader {
  readonly story: Story;
  #count = 0;
  /** Numbers of the lines that could not be read. */
  readonly #broken: number[] = [];
  #left = 0;
  #startedAt: number | undefined;
  /** The calls that began subagents, by the subagent; those have files of their own. */
  readonly #agents = new Map<string, string>();

  constructor(name: string) {
    this.story = new Story(name);
  }

  /**
   * Takes one line.
   *
   * @throws {Error} If it is of a recording that is newer than this package
   */
  add(line: string): void {
    if (line.trim() === "") return;
    this.#count++;
    const { head, steps } = this.story;
    if (steps.length >= MOST_STEPS) {
      this.#left++;
      return;
    }
    const value = parseObject(line);
    if (value === undefined || !("dir" in value || "type" in value)) {
      this.#broken.push(this.#count);
    } else if ("dir" in value) {
      this.take(value as unknown as RecordedLine);
    } else {
      head.form ??= "session";
      this.#addEntry(value);
    }
  }

  /**
   * Takes one line of a recording.
   *
   * @throws {Error} If it is of a recording that is newer than this package
   */
  take(line: RecordedLine): void {
    this.story.head.form ??= "cassette";
    this.#addRecorded(line);
  }

  /** Notes a line that is too long to be read. */
  skip(bytes: number): void {
    this.#count++;
    const megabytes = Math.round(bytes / 1e6);
    const text = `A line of ${megabytes} MB is not shown`;
    const { warnings } = this.story.head;
    if (!warnings.includes(text)) warnings.push(text);
  }

  /** Warns of missing parts when there are no more lines; throws where there was nothing to show. */
  end(): Story {
    const { head, steps } = this.story;
    const { name, warnings } = head;
    const [first] = this.#broken;
    if (head.form === undefined) {
      throw new Error(
        this.#count === 0
          ? `${name} is empty: nothing was recorded`
          : `${name} is neither a recording nor a session of the CLI: none of its ${this.#count} lines is one of theirs`,
      );
    }
    if (this.#broken.at(-1) === this.#count) {
      this.#broken.pop();
      warnings.push("The recording breaks off in its last line");
    }
    const { length } = this.#broken;
    if (length > 0) {
      warnings.push(`${length} lines could not be read, first line ${first}`);
    }
    const more = `${this.#left} more lines are not shown`;
    if (this.#left > 0) {
      warnings.push(`${more}: a page holds ${MOST_STEPS} steps`);
    }
    if (steps.length === 0) warnings.push("There is nothing in it yet");
    return this.story;
  }

  #addRecorded(line: RecordedLine): void {
    const { story } = this;
    story.t = line.t;
    if (line.dir === "meta") return this.#addMeta(line);
    if (line.dir === "err") {
      return story.add("system", "stderr", { text: line.text });
    }
    if (!("msg" in line)) {
      const facts = { text: String(line.raw), isError: true };
      return story.add("error", "A line that is not JSON", facts);
    }
    const message = asObject(line.msg);
    // Both sides count their requests: the side that asks stands before the id.
    const [side, other] = line.dir === "in" ? ["host", "cli"] : ["cli", "host"];
    const id = `${side} ${message["request_id"]}`;
    switch (message["type"]) {
      case "control_request":
        return this.#request(id, line.dir, asObject(message["request"]));
      case "control_response":
        return this.#answer(`${other}`, asObject(message["response"]));
      case "control_cancel_request":
        return story.close(id, undefined, { outcome: "taken back" });
      case "user":
        if (line.dir === "in") {
          return story.prompt(asObject(message["message"])["content"]);
        }
    }
    if (line.dir === "out") this.#message(message);
  }

  #addMeta(line: RecordedLine & { readonly dir: "meta" }): void {
    const { story } = this;
    try {
      checkVersion(line);
    } catch (error) {
      const text = textOfError(error);
      throw new Error(`${story.head.name}: ${text}; update this package`);
    }
    const { argv, code, cwd, event, signal } = line;
    if (event === "spawn") {
      story.learn({ cwd });
      story.add("system", "The CLI was started", { text: argv });
    }
    if (event === "exit") {
      const how = signal ? `by ${signal}` : `with ${code}`;
      story.add("system", `The CLI ended ${how}`, { isError: code !== 0 });
    }
  }

  /** A request as a step, beside the tool call that it is about. */
  #request(id: string, dir: string, request: JsonObject): void {
    const { story } = this;
    const { message, subtype, tool_use_id: call } = request;
    const input = asObject(request["input"]);
    if (dir === "out" && subtype === "can_use_tool") {
      const title = `${request["tool_name"]}?`;
      story.add("permission", title, { text: input, id, about: call });
    } else if (dir === "out" && subtype === "hook_callback") {
      const { hook_event_name: event = "hook", tool_name: tool } = input;
      const title = tool ? `${event} of ${tool}` : `${event}`;
      const about = call ?? input["tool_use_id"];
      story.add("hook", title, { text: input, id, about });
    } else if (dir === "out" && subtype === "mcp_message") {
      const inner = asObject(message);
      const { name = "" } = asObject(inner["params"]);
      const method = inner["method"] ?? "answer";
      const title = `${request["server_name"]}: ${method} ${name}`;
      story.add("mcp", title, { text: inner, id });
    } else if (dir === "out" && subtype === "elicitation") {
      story.add("permission", String(message), { text: request, id });
    } else story.add("control", String(subtype), { text: request, id });
  }

  #answer(asker: string, response: JsonObject): void {
    const { error, request_id, response: body } = response;
    const id = `${asker} ${request_id}`;
    if (typeof error === "string") {
      return this.story.close(id, error, { isError: true });
    }
    const { behavior } = asObject(body);
    const outcome = behavior === "allow" ? "allowed" : "denied";
    const isDecision = typeof behavior === "string";
    this.story.close(id, asObject(body), isDecision ? { outcome } : {});
  }

  /** A message as the CLI writes it, to a host or to the file of the session. */
  #message(message: JsonObject): void {
    const { story } = this;
    const parent = message["parent_tool_use_id"] as string | null | undefined;
    // In a session the call that began a subagent may be unknown: "".
    const isMain = parent === null || parent === undefined;
    const inner = asObject(message["message"]);
    const { content } = inner;
    switch (message["type"]) {
      case "assistant":
        story.act();
        if (isMain) story.learn({ model: inner["model"] });
        story.blocks(content, parent);
        if (typeof message["error"] === "string") {
          const text = textOfContent(content);
          story.add("error", message["error"], { parent, isError: true, text });
        }
        if (isMain) story.used(inner);
        return;
      case "user":
        story.blocks(content, parent, parent ? "prompt" : "text");
        if (typeof content === "string" && !parent && !message["isReplay"]) {
          story.add("system", content, { text: content });
        }
        return;
      case "result":
        return story.result(message);
      case "system":
        return this.#system(message, parent);
      case "auth_status":
      case "rate_limit_event":
        story.add("system", `${message["type"]}`, { text: message });
    }
  }

  #system(message: JsonObject, parent: string | null | undefined): void {
    const { story } = this;
    const subtype = String(message["subtype"]);
    const hook = `hook ${message["hook_id"]}`;
    if (SILENT.has(subtype)) return;
    switch (subtype) {
      case "init":
        story.learn({
          model: message["model"],
          version: message["claude_code_version"],
          sessionId: message["session_id"],
          cwd: message["cwd"],
        });
        story.act();
        return;
      case "hook_started":
        return story.add("hook", String(message["hook_name"]), {
          id: hook,
          text: message["hook_event"],
        });
      case "hook_response": {
        const isError = message["outcome"] === "error";
        const text = message["output"] ?? message["stdout"];
        return story.close(hook, text, { isError });
      }
      case "api_retry":
        return story.add("error", `${message["error"]}: another try`, {
          parent,
          isError: true,
          text: message,
        });
    }
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

  /** An entry of the CLI's own file. */
  #addEntry(entry: JsonObject): void {
    const { story } = this;
    const { head } = story;
    const at = Date.parse(String(entry["timestamp"]));
    story.t = Number.isNaN(at) ? undefined : at - (this.#startedAt ??= at);
    if (this.#startedAt !== undefined) head.startedAt ??= this.#startedAt;
    const { sessionId, cwd, version, type } = entry;
    story.learn({ sessionId, cwd, version });
    const parent = entry["isSidechain"] === true
      ? this.#agents.get(String(entry["agentId"])) ?? ""
      : null;
    if (type === "attachment") {
      const { type: kind, prompt, isMeta } = asObject(entry["attachment"]);
      if (kind !== "queued_command" || isMeta === true) return;
      const text = textOfContent(prompt);
      return story.add("prompt", text, { text, parent });
    }
    if (type === "user") {
      const { content } = asObject(entry["message"]);
      const result = asList(content)
        .map((block) => asObject(block))
        .find((block) => block["type"] === "tool_result");
      const agent = asObject(entry["toolUseResult"])["agentId"];
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
  }
}
