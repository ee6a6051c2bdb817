import { isObject } from "../../errors/text.ts";
import type { Program } from "../../runtime/program.ts";
import { LineFramer } from "../../stream/line_framer.ts";
import type { JsonObject } from "../../types/json.ts";
import { Watch } from "../watch.ts";
import type {
  FakeAnswer,
  FakeRefusal,
  McpStep,
  SavedPlan,
} from "../fake_cli_script.ts";
import { TESTED_VERSION } from "../../options/versions.ts";
import { fieldOf } from "../wire_lines.ts";

const MODEL = "claude-opus-5-5";

/** Callbacks that the host registered for one event. */
export interface HookRegistration {
  readonly matcher?: string;
  readonly hookCallbackIds: readonly string[];
  readonly onFailure?: string;
}

/** What is known of the session, from the arguments, the environment, and `initialize`. */
export interface FakeContext {
  readonly sessionId: string;
  /** Working directory. */
  readonly cwd: string;
  /** Process id. */
  readonly pid: number;
  /** Whether permissions are asked of the host. */
  readonly isAsking: boolean;
  /** Whether the stream's events are sent. */
  readonly isPartial: boolean;
  /** Whether prompts are sent back. */
  readonly isReplaying: boolean;
  /** Whether the state of the session is told. */
  readonly reportsState: boolean;
  /** Callbacks by event. */
  readonly hooks: Map<string, readonly HookRegistration[]>;
  /** In-process MCP servers. */
  readonly servers: string[];
  model: string;
  permissionMode: string;
}

/** Reads what a CLI reads when it starts. */
function readContext(
  { args, env, cwd, pid }: Program,
  plan: SavedPlan,
): FakeContext {
  const resumed = args.includes("--fork-session")
    ? undefined
    : optionOf(args, "resume");
  return {
    sessionId: optionOf(args, "session-id") ?? resumed ?? crypto.randomUUID(),
    cwd,
    pid,
    isAsking: optionOf(args, "permission-prompt-tool") === "stdio",
    isPartial: args.includes("--include-partial-messages"),
    isReplaying: args.includes("--replay-user-messages"),
    reportsState: plan.sessionState ??
      env["CLAUDE_CODE_SDK_READS_SESSION_STATE"] === "1",
    hooks: new Map(),
    servers: [],
    model: modelOf(optionOf(args, "model")),
    permissionMode: optionOf(args, "permission-mode") ?? "default",
  };
}

/** The model of that name, or the usual one. */
export function modelOf(name: string | undefined): string {
  return name === undefined || name === "default" ? MODEL : name;
}

/** The value of `--name=value` or `--name value`. */
function optionOf(args: readonly string[], name: string): string | undefined {
  const at = args.findIndex((arg) =>
    arg === `--${name}` || arg.startsWith(`--${name}=`)
  );
  const arg = args[at];
  if (arg === undefined) return undefined;
  return arg.includes("=") ? arg.slice(name.length + 3) : args[at + 1];
}

/** What the host answered, or why it did not. */
export interface HostAnswer {
  readonly response?: JsonObject | undefined;
  readonly error?: string;
}

/** Who hears what comes in on stdin. */
interface FakeListener {
  onPrompt(line: JsonObject): void;
  onRequest(id: string, request: JsonObject): void;
  onEnd(): void;
}

const STREAM_CLOSED = { error: "Stream closed before response received" };

const encoder = new TextEncoder();

/** What has happened to a fake CLI, for steps that wait for it. */
class FakeEvents extends Watch {
  readonly #counts = new Map<string, number>();

  /** Something happened so often; one wait takes one. */
  happened(event: string, times: number = 1): void {
    this.#counts.set(event, (this.#counts.get(event) ?? 0) + times);
    this.stir();
  }

  /** Waits for an event, and takes one occurrence. */
  take(event: string, signal: AbortSignal): Promise<unknown> {
    return this.until(() => {
      const count = this.#counts.get(event) ?? 0;
      if (count === 0) return undefined;
      this.#counts.set(event, count - 1);
      return event;
    }, signal);
  }
}

/** The pipes of a fake CLI: what it says, what it asks, and how it ends. */
export class FakeWire {
  readonly context: FakeContext;
  readonly events: FakeEvents = new FakeEvents();
  /** Prompts that wait for their turn. */
  waitingPrompts = 0;
  /** Whether there will be no more input. */
  hasInputEnded = false;

  readonly #program: Program;
  readonly #note: (entry: JsonObject) => void;
  readonly #open = new Map<string, (answer: HostAnswer) => void>();
  readonly #rpcIds = new Map<string, number>();
  #state = "idle";
  #written: Promise<void> = Promise.resolve();

  constructor(
    program: Program,
    plan: SavedPlan,
    note: (entry: JsonObject) => void,
  ) {
    this.#program = program;
    this.context = readContext(program, plan);
    this.#note = note;
  }

  /** Whether requests of ours wait for an answer. */
  get isWaitingForHost(): boolean {
    return this.#open.size > 0;
  }

  /** Writes a message, its `uuid` and `session_id` filled in where missing. */
  send(message: JsonObject): Promise<void> {
    return this.#writeLine({
      ...message,
      session_id: message["session_id"] ?? this.context.sessionId,
      uuid: message["uuid"] ?? crypto.randomUUID(),
    });
  }

  /** Writes text or bytes as they stand, after everything written before. */
  write(data: string | Uint8Array): Promise<void> {
    const bytes = typeof data === "string" ? encoder.encode(data) : data;
    this.#written = this.#written.then(() => this.#program.write(bytes));
    return this.#written;
  }

  writeError(text: string): Promise<void> {
    return this.#program.writeError(text);
  }

  /** Says what the session does, if the host reads it and it is news. */
  setState(state: string): void {
    if (!this.context.reportsState || state === this.#state) return;
    this.#state = state;
    void this.send({
      type: "system",
      subtype: "session_state_changed",
      state,
      sdk_host_only: true,
    });
  }

  /** Sends a control request; resolves with the answer, also when that can never come. */
  request(
    request: JsonObject,
    id: string = crypto.randomUUID(),
  ): Promise<HostAnswer> {
    const { subtype } = request;
    if (subtype === "can_use_tool" || subtype === "hook_callback") {
      this.#note({ event: "asked", id, request });
    }
    void this.#writeLine({ type: "control_request", request_id: id, request })
      .then(() => this.#note({ event: "written", id, request }));
    if (this.hasInputEnded) return Promise.resolve(STREAM_CLOSED);
    return new Promise((resolve) => this.#open.set(id, resolve));
  }

  /** Sends a JSON-RPC message to an in-process server of the host. */
  rpc(
    { server, method, params, isNotification = false }: McpStep["mcp"],
    requestId?: string,
  ): Promise<HostAnswer> {
    const id = this.#rpcIds.get(server) ?? 0;
    if (!isNotification) this.#rpcIds.set(server, id + 1);
    return this.request({
      subtype: "mcp_message",
      server_name: server,
      message: {
        jsonrpc: "2.0",
        method,
        params,
        ...(isNotification ? {} : { id }),
      },
    }, requestId);
  }

  /** Does what the CLI does with an in-process server before it answers `initialize`. */
  async shakeHands(server: string): Promise<void> {
    await this.rpc({
      server,
      method: "initialize",
      params: {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "claude-code", version: TESTED_VERSION },
      },
    });
    const method = "notifications/initialized";
    await this.rpc({ server, method, isNotification: true });
    await this.rpc({ server, method: "tools/list", params: {} });
  }

  /** The handshake with a server counts as done: `initialize` and `tools/list` had ids. */
  skipHandshake(server: string): void {
    this.#rpcIds.set(server, 2);
  }

  /** Takes requests back: the one of that id, or all that are open. */
  cancel(which: string | true): void {
    for (const id of which === true ? [...this.#open.keys()] : [which]) {
      void this.#writeLine({ type: "control_cancel_request", request_id: id });
      this.#settle(id, { error: "Cancelled" });
    }
  }

  /** Answers a control request of the host. */
  answer(id: string, answer: FakeAnswer, extra: JsonObject = {}): void {
    if (answer === "silent") return;
    const body = answer === "void"
      ? { subtype: "success", request_id: id }
      : isRefusal(answer)
      ? { ...answer, subtype: "error", request_id: id }
      : { subtype: "success", request_id: id, response: answer };
    void this.#writeLine({
      type: "control_response",
      response: { ...body, ...extra },
    });
  }

  /** Reads stdin, as strictly as the CLI. Lines end at `\n` alone, whatever else they hold. */
  read(listener: FakeListener): void {
    const framer = new LineFramer({ maxLineBytes: Infinity });
    this.#program.readInput((bytes) => {
      for (const line of framer.push(bytes)) this.#receive(line, listener);
    }, () => {
      this.#note({ event: "stdin-end" });
      this.hasInputEnded = true;
      // What is still asked can no longer be answered: it fails closed, and the turn goes on.
      for (const id of [...this.#open.keys()]) this.#settle(id, STREAM_CLOSED);
      this.events.happened("stdin-end", Infinity);
      listener.onEnd();
    });
  }

  /** Notes signals instead of dying, and ends by them if it should. */
  watchSignals(doesExit: boolean): void {
    for (const [name, code] of [["SIGTERM", 143], ["SIGINT", 0]] as const) {
      this.#program.onSignal(name, () => {
        this.#note({ event: "signal", name });
        this.events.happened(name.toLowerCase(), Infinity);
        if (doesExit) this.#exitNow(code);
      });
    }
  }

  /** Ends the process when everything is written. */
  async exit(code: number): Promise<never> {
    await this.#written;
    return this.#exitNow(code);
  }

  /** Ends the process with a reason on stderr. */
  async fail(text: string): Promise<never> {
    await this.writeError(`${text}\n`);
    return await this.exit(1);
  }

  #exitNow(code: number): never {
    this.#note({ event: "exit", code });
    return this.#program.exit(code);
  }

  #writeLine(value: JsonObject): Promise<void> {
    return this.write(`${JSON.stringify(value)}\n`);
  }

  #receive(text: string, listener: FakeListener): void {
    this.#note({ event: "line", text });
    let line: unknown;
    try {
      line = JSON.parse(text);
    } catch (error) {
      void this.fail(
        `Error parsing streaming input line (type=unknown, ${text.length} chars): ${error}`,
      );
      return;
    }
    if (!isObject(line)) return;
    const { type, message, request, request_id, response } = line;
    if (type === "user") {
      const role = fieldOf(message, "role");
      if (role === "user") listener.onPrompt(line);
      else void this.fail(`Error: Expected message role 'user', got '${role}'`);
    } else if (type === "control_request") {
      if (isObject(request)) listener.onRequest(String(request_id), request);
      else void this.fail("Error: Missing request on control_request");
    } else if (type === "control_response" && isObject(response)) {
      this.#settle(String(response["request_id"]), toAnswer(response));
    }
  }

  #settle(id: string, answer: HostAnswer): void {
    const settle = this.#open.get(id);
    if (this.#open.delete(id)) this.#note({ event: "settled", id });
    settle?.(answer);
    this.events.stir();
  }
}

function toAnswer({ subtype, response, error }: JsonObject): HostAnswer {
  return subtype === "success"
    ? { response: isObject(response) ? response : undefined }
    : { error: String(error) };
}

/** Whether an answer says no. */
export function isRefusal(answer: FakeAnswer): answer is FakeRefusal {
  return typeof answer === "object" && typeof answer["error"] === "string";
}
