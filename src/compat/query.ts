import { isObject } from "../errors/text.ts";
import { fromHere } from "../process/paths.ts";
import { activeTrace, traceVariables } from "../observe/trace_context.ts";
import { directoryNow, environmentNow } from "../runtime/host.ts";
import type { JsonObject } from "../types/json.ts";
import { handlersOf, hasBlockingHook, registerHooks } from "./answers.ts";
import { operationAborted, SDK_VERSION } from "./errors.ts";
import { plainJson } from "./flags.ts";
import { prepare, type Prepared } from "./launch.ts";
import { openChannel } from "./process.ts";
import { SdkServers } from "./sdk_servers.ts";
import { Session } from "./session.ts";
import type { Options } from "./generated/options.ts";
import type { Query, SDKUserMessage } from "./generated/types.ts";
import { acceptedOptions, warnOfShadow } from "./warnings.ts";
import type { Ask } from "./ask.ts";
import { RunningQuery, WrongPrompt } from "./running.ts";
import { mirrorOf } from "./store.ts";

/**
 * Starts a conversation, with the names and meanings of the official SDK.
 *
 * Messages arrive as the CLI wrote them. The CLI ends when the run is over, when the consumer leaves, and by `close()`,
 * `return()` and `abortController`: end of input, SIGTERM 2 s later, SIGKILL 5 s after that, with all that it started.
 *
 * @throws {Error} For options that contradict each other
 * @throws {TypeError} For anything but one object with a prompt
 *
 * @example Send a prompt
 * ```ts
 * import { query } from "@sluice/agent/compat";
 * import { fakeCli } from "@sluice/agent/testing";
 * import assert from "node:assert/strict";
 *
 * const { cliPath: [executable = "", ...executableArgs] } = fakeCli("Hello, Ada!");
 * const options = { pathToClaudeCodeExecutable: executable, executableArgs };
 * for await (const message of query({ prompt: "Say hello", options })) {
 *   if (message.type === "result" && message.subtype === "success") {
 *     assert.equal(message.result, "Hello, Ada!");
 *   }
 * }
 * ```
 */
export function query(params: {
  /** The prompt, or prompts as they come. */
  prompt: string | AsyncIterable<SDKUserMessage>;
  /** Options. */
  options?: Options;
}): Query {
  refuseOtherForms(params);
  const query = begin(params.options);
  feed(query, params.prompt);
  return query;
}

/** The root entry has a function of the same name that takes the prompt first. */
function refuseOtherForms(params: unknown): void {
  const prompt = isObject<unknown>(params) ? params["prompt"] : undefined;
  if (typeof prompt === "string") return;
  if (
    typeof prompt === "object" && prompt !== null &&
    (Symbol.asyncIterator in prompt || Symbol.iterator in prompt)
  ) return;
  throw new TypeError(
    'query() takes one object, query({ prompt, options }), whose prompt is text or an async iterable; query(prompt, options) is of "@sluice/agent"',
  );
}

/** Starts the CLI and sends `initialize`, before there is a prompt. */
export function begin(
  given?: Options | null,
  onMessage?: (message: JsonObject) => void,
): RunningQuery {
  const options = withOwnEnvironment(acceptedOptions(given ?? {}));
  const directory = directoryNow();
  const abort = controllerOf(options);
  warnOfShadow(options);
  const prepared = prepare(options);
  const hooks = registerHooks(options);
  const store = options.sessionStore || undefined;
  const mirror = store && mirrorOf(store, options, (message) => {
    session.put(message);
  });
  const servers = new SdkServers((name, message) => {
    session.input.send({
      type: "control_request",
      request_id: crypto.randomUUID(),
      request: { subtype: "mcp_message", server_name: name, message } as never,
    }).catch(() => {});
  });
  let cleanUp = () => Promise.resolve();
  const session: Session = new Session({
    handlers: handlersOf(options, hooks.callbacks, servers),
    isAsked: () =>
      servers.size > 0 || Object.keys(options.hooks ?? {}).length > 0 ||
      options.canUseTool !== undefined ||
      options.onElicitation !== undefined || options.onUserDialog !== undefined,
    abort: abort.signal,
    runLimitMs: runLimit(options),
    mirror,
    onMessage,
    cleanUp: () => cleanUp(),
    async open(host, signal) {
      const { platform } = host;
      const here = { cwd: () => directory ?? host.cwd(), platform };
      const cwd = () => fromHere(here, options.cwd ?? ".");
      let all = options;
      let { args } = prepared;
      if (store && (options.resume || options.continue)) {
        const { resumed } = await import("./resume.ts");
        const made = await resumed(host, store, { ...options, cwd: cwd() });
        cleanUp = made?.remove ?? cleanUp;
        all = { ...options, ...made?.options };
        ({ args } = prepare(all));
      }
      return await openChannel(all, args, cwd, host, signal);
    },
  });
  for (const [name, config] of prepared.servers) servers.add(name, config);
  const hello = async (isFirst: boolean) => {
    // The lists of tools ride on the first one alone.
    const own = await servers.fields(isFirst);
    const fields = plainJson({
      ...own,
      ...hooks.fields,
      ...prepared.initialize,
    });
    const answer = session.request("initialize", fields, isFirst);
    session.input.begin();
    return await answer;
  };
  const initialized = hello(true);
  initialized.catch((error) => {
    // Without it the prompt would run without hooks.
    if (!session.input.hasBegun) void session.close(error);
  });
  const confirmed = confirm(initialized, session, prepared, options);
  const ask: Ask = async (subtype, fields = {}) => {
    if (abort.signal.aborted && !session.isClosed) throw operationAborted();
    return await session.request(subtype, fields);
  };
  const say = async (line: object) => {
    if (confirmed !== undefined) {
      session.input.hold(confirmed);
      await confirmed;
    }
    await session.input.prompt(line as JsonObject);
  };
  session.over.then(() => servers.close());
  return new RunningQuery({
    ask,
    say,
    session,
    servers,
    options,
    abort,
    initialized: confirmed ?? initialized,
    reinitialize: () => hello(false),
    isHeld: confirmed !== undefined,
  });
}

/** The options with a copy of the environment: several queries may share it, and change it in between. It continues the active span. */
export function withOwnEnvironment(options: Options): Options {
  const all = environmentNow();
  // An inherited version is of an SDK around this program.
  const inherited = all && { ...all, CLAUDE_AGENT_SDK_VERSION: SDK_VERSION };
  const env = options.env ?? inherited;
  const span = traceVariables(activeTrace(), options.env ?? {});
  return { ...options, ...env && { env: { ...env, ...span } } };
}

function controllerOf(
  { abortController = new AbortController() }: Options,
): AbortController {
  const { signal, abort } = Object(abortController) as Partial<AbortController>;
  if (typeof signal?.addEventListener === "function" && abort !== undefined) {
    return abortController;
  }
  throw new TypeError(
    "abortController must be an AbortController, not its signal or anything else",
  );
}

/** Sends the prompt; an error of its source aborts the query, as in the official SDK. */
export function feed(
  query: RunningQuery,
  prompt: string | AsyncIterable<SDKUserMessage>,
): void {
  const { say, session, options, abort } = query.parts;
  session.run.isSingle = typeof prompt === "string";
  const fed = typeof prompt === "string"
    ? say({
      type: "user",
      session_id: "",
      message: { role: "user", content: [{ type: "text", text: prompt }] },
      parent_tool_use_id: null,
      ...options.verbatimPrompts && { client_composed: true },
    })
    : query.streamInput(prompt);
  fed.catch((error) => {
    // A query that has failed ends with its own error.
    if (session.isClosed) return;
    if (error instanceof WrongPrompt) void session.close(error);
    else abort.abort(error);
  });
}

/** Checks the answer to `initialize` where the first prompt must wait for it. */
function confirm(
  initialized: Promise<JsonObject>,
  session: Session,
  { sendsServers }: Prepared,
  options: Options,
): Promise<JsonObject> | undefined {
  const blocks = hasBlockingHook(options);
  if (!blocks && !sendsServers) return undefined;
  const confirmed = initialized.then((reply) => {
    const problem = blocks && reply.hook_on_failure_supported !== true
      ? 'This Claude Code does not know onFailure of hooks, so a hook that fails would not block. Update it, or remove onFailure: "block".'
      : sendsServers && typeof reply.mcp_servers_applied !== "boolean"
      ? "This Claude Code is too old to read MCP servers from the initialize request. Update it, or set mcpServersDelivery: 'argv'."
      : undefined;
    if (problem === undefined) return reply;
    throw new Error(problem);
  });
  confirmed.catch((error) => void session.close(error));
  return confirmed;
}

function runLimit({ env }: Options): number | undefined {
  const text = env?.CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS;
  const ms = text === undefined || text.trim() === "" ? NaN : Number(text);
  return Number.isFinite(ms) && ms >= 0 ? ms : undefined;
}
