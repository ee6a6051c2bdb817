import { quiet } from "../async/deferred.ts";
import { unlessAborted } from "../async/on_abort.ts";
import { isObject } from "../errors/is_object.ts";
import type { SDKMessage } from "../protocol/official.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { operationAborted } from "./errors.ts";
import type { SdkServers } from "./sdk_servers.ts";
import type { Session } from "./session.ts";
import type { Options, SDKUserMessage } from "./types_options.ts";
import type { Query, SDKControlInitializeResponse } from "./types_query.ts";
import type {
  McpSdkServerConfigWithInstance,
  McpServerConfig,
} from "./types_shared.ts";

/** What a query is made of. */
interface QueryParts {
  readonly session: Session;
  readonly servers: SdkServers;
  readonly options: Options;
  /** The answer to `initialize`. */
  readonly initialized: Promise<JsonObject>;
  /** Before it prompts may not leave; `undefined` = they need not wait. */
  readonly hold: Promise<JsonObject> | undefined;
  /** Says `initialize` again. */
  readonly reinitialize: () => Promise<JsonObject>;
}

/** What is in the answer to a request. */
export function valuesOf({ response }: JsonObject): JsonObject {
  return isObject(response) ? response as JsonObject : {};
}

/** A running query: an asynchronous generator of messages, with what can be done meanwhile. */
export class CompatQuery implements Query {
  readonly #parts: QueryParts;
  #initialized: Promise<JsonObject>;
  #isOver = false;

  constructor(parts: QueryParts) {
    this.#parts = parts;
    this.#initialized = parts.initialized;
  }

  // The generator.

  next(): Promise<IteratorResult<SDKMessage, void>> {
    if (this.#isOver) return Promise.resolve({ done: true, value: undefined });
    const ready = this.#parts.session.inbox.take();
    return ready === undefined
      ? this.#later()
      : Promise.resolve(ready as unknown as IteratorYieldResult<SDKMessage>);
  }

  async #later(): Promise<IteratorResult<SDKMessage, void>> {
    try {
      const next = await this.#parts.session.inbox.next();
      // Whoever hears of the end may rely on it: the process is gone.
      if (next.done) await this.#leave();
      return next as unknown as IteratorResult<SDKMessage, void>;
    } catch (error) {
      await this.#leave();
      throw error;
    }
  }

  async return(
    value?: void | PromiseLike<void>,
  ): Promise<IteratorResult<SDKMessage, void>> {
    this.#isOver = true;
    await this.#leave();
    return { done: true, value: await value };
  }

  async throw(error?: unknown): Promise<IteratorResult<SDKMessage, void>> {
    this.#isOver = true;
    await this.#leave();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  close(): void {
    void this.#parts.session.close();
  }

  async #leave(): Promise<void> {
    const { session } = this.#parts;
    await session.close();
    await session.over;
  }

  // Input.

  /** Sends one prompt. */
  async say(line: object): Promise<void> {
    const { hold, session } = this.#parts;
    if (hold !== undefined) await hold;
    await session.prompt(line as JsonObject);
  }

  async streamInput(stream: AsyncIterable<SDKUserMessage>): Promise<void> {
    const { session, options, hold } = this.#parts;
    await session.begun;
    let count = 0;
    const sent: Promise<void>[] = [];
    const source = stream[Symbol.asyncIterator]();
    while (!session.signal.aborted) {
      const next = await promptOf(source, session.signal);
      if (next === undefined) break;
      count++;
      const line = options.verbatimPrompts
        ? { ...next, client_composed: true }
        : next;
      const sending = this.say(line);
      if (hold === undefined) await sending;
      else sent.push(quiet(sending));
    }
    await Promise.all(sent);
    if (count > 0 && session.isAsked) await session.run.ended();
    session.endInput();
  }

  // Controls.

  async interrupt(): ReturnType<Query["interrupt"]> {
    const { still_queued: queued, cancelled } = await this.#ask("interrupt");
    if (!Array.isArray(queued)) return undefined;
    return {
      still_queued: texts(queued),
      ...Array.isArray(cancelled) && { cancelled: texts(cancelled) },
    };
  }

  async setPermissionMode(
    mode: Parameters<Query["setPermissionMode"]>[0],
  ): Promise<void> {
    await this.#ask("set_permission_mode", { mode });
  }

  setMcpPermissionModeOverride(
    serverName: string,
    mode: "default" | "auto" | null,
  ): Promise<{ warning?: string }> {
    return this.#ask("set_mcp_permission_mode_override", { serverName, mode });
  }

  async setModel(model?: string): Promise<void> {
    await this.#ask("set_model", { model });
  }

  async setMaxThinkingTokens(
    tokens: number | null,
    display?: "summarized" | "omitted" | "highlights" | null,
  ): Promise<void> {
    await this.#ask("set_max_thinking_tokens", {
      max_thinking_tokens: tokens,
      thinking_display: display,
    });
  }

  async applyFlagSettings(settings: object): Promise<void> {
    await this.#ask("apply_flag_settings", { settings });
  }

  async updateSettings(
    source: "localSettings" | "userSettings",
    settings: Record<string, unknown>,
  ): Promise<void> {
    await this.#ask("update_settings", { source, settings });
  }

  initializationResult(): ReturnType<Query["initializationResult"]> {
    return this.#initialized as Promise<SDKControlInitializeResponse>;
  }

  reinitialize(): ReturnType<Query["reinitialize"]> {
    return this.#parts.reinitialize() as Promise<SDKControlInitializeResponse>;
  }

  async supportedCommands(): ReturnType<Query["supportedCommands"]> {
    const { commands } = await this.#initialized;
    return (this.#parts.session.commands ?? commands) as never;
  }

  async supportedModels(): ReturnType<Query["supportedModels"]> {
    return (await this.#initialized).models as never;
  }

  async supportedAgents(): ReturnType<Query["supportedAgents"]> {
    return (await this.#initialized).agents as never;
  }

  async accountInfo(): ReturnType<Query["accountInfo"]> {
    return (await this.#initialized).account as never;
  }

  async mcpServerStatus(): ReturnType<Query["mcpServerStatus"]> {
    return (await this.#ask("mcp_status")).mcpServers as never;
  }

  getContextUsage(
    options?: Parameters<Query["getContextUsage"]>[0],
  ): ReturnType<Query["getContextUsage"]> {
    return this.#ask("get_context_usage", options);
  }

  usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET(
    options: { skipBehaviors?: boolean } = {},
  ): ReturnType<
    Query["usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET"]
  > {
    return this.#ask("get_usage", {
      ...options.skipBehaviors && { skip_behaviors: true },
    });
  }

  async readFile(
    path: string,
    options?: { maxBytes?: number; encoding?: "utf-8" | "base64" },
  ): ReturnType<Query["readFile"]> {
    try {
      return await this.#ask("read_file", {
        path,
        max_bytes: options?.maxBytes,
        encoding: options?.encoding,
      });
    } catch {
      // The official SDK tells no reason.
      return null;
    }
  }

  reloadPlugins(
    options: Parameters<Query["reloadPlugins"]>[0] = {},
  ): ReturnType<Query["reloadPlugins"]> {
    const { holdOnCacheImpact, addPlugins, refuseIfBusy } = options;
    return this.#ask("reload_plugins", {
      ...holdOnCacheImpact && { hold_on_cache_impact: true },
      ...addPlugins?.length && { add_plugins: addPlugins },
      ...refuseIfBusy && { refuse_if_busy: true },
    });
  }

  reloadSkills(): ReturnType<Query["reloadSkills"]> {
    return this.#ask("reload_skills");
  }

  reloadOutputStyles(): ReturnType<Query["reloadOutputStyles"]> {
    return this.#ask("reload_output_styles");
  }

  rewindFiles(
    userMessageId: string,
    options?: { dryRun?: boolean },
  ): ReturnType<Query["rewindFiles"]> {
    return this.#ask("rewind_files", {
      user_message_id: userMessageId,
      dry_run: options?.dryRun,
    });
  }

  async seedReadState(path: string, mtime: number): Promise<void> {
    await this.#ask("seed_read_state", { path, mtime });
  }

  async reconnectMcpServer(serverName: string): Promise<void> {
    await this.#ask("mcp_reconnect", { serverName });
  }

  async toggleMcpServer(serverName: string, enabled: boolean): Promise<void> {
    await this.#ask("mcp_toggle", { serverName, enabled });
  }

  readMcpResource(
    serverName: string,
    uri: string,
  ): ReturnType<Query["readMcpResource"]> {
    return this.#ask("mcp_read_resource", { serverName, uri });
  }

  async setMcpServers(
    servers: Record<string, McpServerConfig>,
  ): ReturnType<Query["setMcpServers"]> {
    const own = new Map<string, McpSdkServerConfigWithInstance>();
    const outer: Record<string, unknown> = {};
    for (const [name, config] of Object.entries(servers)) {
      if (config.type === "sdk" && "instance" in config) own.set(name, config);
      else outer[name] = config;
    }
    const told = await this.#parts.servers.replace(own);
    return await this.#ask("mcp_set_servers", {
      servers: { ...outer, ...told },
    });
  }

  async stopTask(taskId: string): Promise<void> {
    await this.#ask("stop_task", { task_id: taskId });
  }

  async backgroundTasks(toolUseId?: string): Promise<boolean> {
    const { backgrounded } = await this.#ask("background_tasks", {
      tool_use_id: toolUseId,
    });
    return backgrounded !== false;
  }

  // Not declared by the official package, and called by programs all the same.

  /** Lets claude.ai steer the session, which is for the CLI to allow. */
  enableRemoteControl(enabled: boolean, name?: string): Promise<JsonObject> {
    return this.#ask("remote_control", { enabled, name });
  }

  /** What the settings are, and what became of them. */
  getSettings(): Promise<JsonObject> {
    return this.#ask("get_settings");
  }

  /** Takes a prompt back that has not begun; whether it was there. */
  async cancelAsyncMessage(uuid: string): Promise<boolean> {
    const { cancelled } = await this.#ask("cancel_async_message", {
      message_uuid: uuid,
    });
    return cancelled;
  }

  /** Has the model find a title for the session. */
  async generateSessionTitle(
    description: string,
    options?: { persist?: boolean },
  ): Promise<string | null> {
    const { title } = await this.#ask("generate_session_title", {
      description,
      persist: options?.persist,
    });
    return title;
  }

  /** Gives the session a title. */
  async renameSession(title: string, sessionId?: string): Promise<void> {
    await this.#ask("rename_session", {
      title,
      source: "host",
      session_id: sessionId,
    });
  }

  /** Begins to sign in at an MCP server. */
  mcpAuthenticate(
    serverName: string,
    redirectUri?: string,
    options?: { redirectUriOnly?: boolean },
  ): Promise<JsonObject> {
    return this.#ask("mcp_authenticate", {
      serverName,
      redirectUri,
      redirectUriOnly: options?.redirectUriOnly,
    });
  }

  /** Any other request. */
  ask(subtype: string, fields?: object): Promise<JsonObject> {
    return this.#ask(subtype, fields);
  }

  /** A session begins in a process that was parked: what it says of itself counts from now on. */
  claimed(reply: Promise<JsonObject>): void {
    const before = this.#initialized;
    this.#initialized = reply.then(async ({ initialize }) => ({
      ...await before,
      ...isObject(initialize) ? initialize : {},
    }), () => before);
    this.#initialized.catch(() => {});
  }

  // The CLI's answers are handed over as they are; each method says what its own holds.
  // deno-lint-ignore no-explicit-any -- as the official declarations have it
  async #ask(subtype: string, fields: object = {}): Promise<any> {
    const { session, options } = this.#parts;
    if (options.abortController?.signal.aborted && !session.isClosed) {
      throw operationAborted();
    }
    return valuesOf(await session.request({ ...fields, subtype }));
  }
}

/** The next prompt; `undefined` at the end, and when the session ends first: then the source is told. */
async function promptOf(
  source: AsyncIterator<SDKUserMessage>,
  signal: AbortSignal,
): Promise<SDKUserMessage | undefined> {
  const next = source.next();
  try {
    const { done, value } = await unlessAborted(next, signal);
    return done ? undefined : value;
  } catch (error) {
    if (!signal.aborted) throw error;
    // One that is at its prompt hears of it when it comes back; nobody waits for that.
    void quiet(Promise.resolve(source.return?.()));
    return undefined;
  }
}

function texts(list: readonly JsonValue[]): string[] {
  return list.filter((one) => typeof one === "string");
}
