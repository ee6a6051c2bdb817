import type { Program } from "../runtime/program.ts";
import type { JsonObject } from "../types/json.ts";
import { usualAnswer } from "./fake_cli_controls.ts";
import {
  failureLine,
  type FakeContext,
  initializeReply,
  initLine,
  modelOf,
  successLine,
} from "./fake_cli_lines.ts";
import type {
  FakeAnswer,
  FakeCliPlan,
  FakeRefusal,
  FakeStep,
  FakeTurn,
} from "./fake_cli_script.ts";
import { shakeHands } from "./fake_cli_mcp.ts";
import { runSteps } from "./fake_cli_steps.ts";
import { Interrupted, Turn } from "./fake_cli_turn.ts";
import { isObject } from "./json_object.ts";

/** What the host answered to a request. */
export type HostAnswer =
  | { readonly ok: true; readonly response: JsonObject | undefined }
  | { readonly ok: false; readonly error: string };

/** Callbacks that the host registered for one event. */
export interface HookRegistration {
  readonly matcher?: string;
  readonly hookCallbackIds: readonly string[];
  readonly onFailure?: string;
}

interface Prompt {
  readonly uuid: string | undefined;
  readonly line: JsonObject;
}

const encoder = new TextEncoder();

/** One run of the fake CLI: what it reads, what it writes, and when it ends. */
export class FakeSession {
  readonly context: FakeContext;
  readonly hooks: Map<string, readonly HookRegistration[]> = new Map();
  readonly isPartial: boolean;

  readonly #program: Program;
  readonly #plan: FakeCliPlan;
  readonly #note: (entry: JsonObject) => void;
  readonly #reportsState: boolean;
  readonly #isReplaying: boolean;
  readonly #open = new Map<string, (answer: HostAnswer) => void>();
  readonly #rpcIds = new Map<string, number>();
  readonly #events = new Map<string, number>();
  readonly #lasting = new Set<string>();
  readonly #watchers = new Set<() => void>();
  readonly #queue: Prompt[] = [];

  #initialize: JsonObject | undefined;
  #isStarted = false;
  #isEnded = false;
  #turn: Turn | undefined;
  #turns = 0;
  #results = 0;
  #lastIsError = false;
  #state = "idle";
  #written: Promise<void> = Promise.resolve();

  constructor(
    program: Program,
    plan: FakeCliPlan,
    note: (entry: JsonObject) => void,
  ) {
    this.#program = program;
    this.#plan = plan;
    this.#note = note;
    const { args, env } = program;
    const asking = optionOf(args, "permission-prompt-tool");
    this.isPartial = args.includes("--include-partial-messages");
    this.#isReplaying = args.includes("--replay-user-messages");
    this.#reportsState = plan.sessionState ??
      env["CLAUDE_CODE_SDK_READS_SESSION_STATE"] === "1";
    const resumed = args.includes("--fork-session")
      ? undefined
      : optionOf(args, "resume");
    this.context = {
      sessionId: optionOf(args, "session-id") ?? resumed ?? crypto.randomUUID(),
      cwd: program.cwd,
      model: modelOf(optionOf(args, "model")),
      permissionMode: optionOf(args, "permission-mode") ?? "default",
      servers: [],
      isAsking: asking === "stdio",
      pid: program.pid,
    };
  }

  /** Runs the steps of the start, then whatever comes in. */
  async start(): Promise<void> {
    const { start = [], onSigterm = "exit" } = this.#plan;
    // Only exit() ends it, not the end of everything that keeps a program alive.
    setInterval(() => {}, 60_000);
    if (onSigterm !== "die") this.#watchSignals(onSigterm === "exit");
    if (this.#plan.readStdin !== false) this.#read();
    await this.#runLoose(start);
    this.#isStarted = true;
    if (this.#initialize !== undefined) await this.#answerInitialize();
    this.#goOn();
  }

  /** Writes a message, its `uuid` and `session_id` filled in where missing. */
  send(message: JsonObject): Promise<void> {
    return this.write(
      JSON.stringify({
        ...message,
        session_id: message["session_id"] ?? this.context.sessionId,
        uuid: message["uuid"] ?? crypto.randomUUID(),
      }) + "\n",
    );
  }

  /** Writes text or bytes as they stand, after everything written before. */
  write(data: string | Uint8Array): Promise<void> {
    const bytes = typeof data === "string" ? encoder.encode(data) : data;
    this.#written = this.#written.then(() => this.#program.write(bytes));
    return this.#written;
  }

  /** Writes to stderr. */
  writeError(text: string): Promise<void> {
    return this.#program.writeError(text);
  }

  /** Says what the session does, if the host reads it and it is news. */
  setState(state: string): void {
    if (!this.#reportsState || state === this.#state) return;
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
    void this.write(
      JSON.stringify({ type: "control_request", request_id: id, request }) +
        "\n",
    );
    if (this.#isEnded) return Promise.resolve(STREAM_CLOSED);
    return new Promise((resolve) => this.#open.set(id, resolve));
  }

  /** Sends a JSON-RPC message to an in-process server of the host. */
  rpc(
    server: string,
    method: string,
    params: JsonObject | undefined,
    { isNotification = false, id }: { isNotification?: boolean; id?: string },
  ): Promise<HostAnswer> {
    const rpcId = this.#rpcIds.get(server) ?? 0;
    if (!isNotification) this.#rpcIds.set(server, rpcId + 1);
    const message = {
      jsonrpc: "2.0",
      method,
      ...(params === undefined ? {} : { params }),
      ...(isNotification ? {} : { id: rpcId }),
    };
    return this.request({
      subtype: "mcp_message",
      server_name: server,
      message,
    }, id);
  }

  /** Takes requests back: the one of that id, or all that are open. */
  cancel(which: string | true): void {
    const ids = which === true ? [...this.#open.keys()] : [which];
    for (const id of ids) {
      void this.write(
        JSON.stringify({ type: "control_cancel_request", request_id: id }) +
          "\n",
      );
      this.#settle(id, { ok: false, error: "Cancelled" });
    }
  }

  /** Whether requests of ours wait for an answer. */
  get isWaitingForHost(): boolean {
    return this.#open.size > 0;
  }

  /** Whether a prompt waits for its turn. */
  get hasPrompt(): boolean {
    return this.#queue.length > 0;
  }

  /** Notes that something happened, for whoever waits for it; what is lasting stays so. */
  happened(event: string, isLasting: boolean = false): void {
    if (isLasting) this.#lasting.add(event);
    else this.#events.set(event, (this.#events.get(event) ?? 0) + 1);
    this.#stir();
  }

  /** Takes one occurrence of an event; false when there is none. */
  take(event: string): boolean {
    if (this.#lasting.has(event)) return true;
    const count = this.#events.get(event) ?? 0;
    if (count > 0) this.#events.set(event, count - 1);
    return count > 0;
  }

  /** Waits until a condition holds; looks whenever something happened. */
  until(condition: () => boolean, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = () => {
        if (!signal.aborted && !condition()) return;
        this.#watchers.delete(look);
        signal.removeEventListener("abort", look);
        if (signal.aborted) reject(signal.reason);
        else resolve();
      };
      this.#watchers.add(look);
      signal.addEventListener("abort", look);
      look();
    });
  }

  /** Closes a pipe. */
  async close(pipe: "stdin" | "stdout"): Promise<void> {
    await this.#written;
    if (pipe === "stdin") this.#program.closeInput();
    else this.#program.closeOutput();
  }

  /** Ends the process when everything is written. */
  async exit(code: number): Promise<never> {
    await this.#written;
    return this.#exitNow(code);
  }

  /** Ends the process by a signal. */
  async kill(signal: "SIGKILL" | "SIGTERM" | "SIGINT"): Promise<void> {
    await this.#written;
    this.#program.raise(signal);
  }

  #exitNow(code: number): never {
    this.#note({ event: "exit", code });
    return this.#program.exit(code);
  }

  #watchSignals(doesExit: boolean): void {
    this.#program.onSignal("SIGTERM", () => {
      this.#note({ event: "signal", name: "SIGTERM" });
      this.happened("sigterm", true);
      if (doesExit) this.#exitNow(143);
    });
    this.#program.onSignal("SIGINT", () => {
      this.#note({ event: "signal", name: "SIGINT" });
      if (doesExit) this.#exitNow(0);
    });
  }

  /** Lines end at `\n` alone, whatever else a line holds. */
  #read(): void {
    const decoder = new TextDecoder();
    let rest: string[] = [];
    this.#program.readInput((bytes) => {
      const pieces = decoder.decode(bytes, { stream: true }).split("\n");
      for (const [index, piece] of pieces.entries()) {
        rest.push(piece);
        if (index === pieces.length - 1) break;
        this.#receive(rest.join(""));
        rest = [];
      }
    }, () => {
      this.#note({ event: "stdin-end" });
      this.#endOfInput();
    });
  }

  #receive(text: string): void {
    if (text.trim() === "") return;
    this.#note({ event: "line", text });
    let line: unknown;
    try {
      line = JSON.parse(text);
    } catch (error) {
      return this.#fail(
        `Error parsing streaming input line (type=unknown, ${text.length} chars): ${error}`,
      );
    }
    if (!isObject(line)) return;
    switch (line["type"]) {
      case "user":
        return this.#acceptPrompt(line);
      case "control_request":
        return this.#acceptRequest(line);
      case "control_response":
        return this.#acceptResponse(line);
    }
  }

  #fail(text: string): void {
    void this.writeError(`${text}\n`).then(() => this.exit(1));
  }

  #acceptPrompt(line: JsonObject): void {
    const { message, uuid } = line;
    const role = isObject(message) ? message["role"] : undefined;
    if (role !== "user") {
      return this.#fail(`Error: Expected message role 'user', got '${role}'`);
    }
    const id = typeof uuid === "string" ? uuid : undefined;
    this.#queue.push({ uuid: id, line });
    if (id !== undefined) {
      this.setState("running");
      this.#lifecycle("queued", [id]);
    }
    this.#stir();
    this.#goOn();
  }

  #acceptRequest(line: JsonObject): void {
    const { request, request_id } = line;
    if (!isObject(request) || typeof request_id !== "string") {
      return this.#fail("Error: Missing request on control_request");
    }
    const { subtype } = request;
    if (subtype === "initialize") {
      this.#initialize = line;
      this.happened("initialize", true);
      if (this.#isStarted) void this.#answerInitialize();
      return;
    }
    const scripted = typeof subtype === "string"
      ? this.#plan.controls?.[subtype]
      : undefined;
    if (subtype === "set_permission_mode") {
      this.context.permissionMode = String(request["mode"]);
    } else if (subtype === "set_model") {
      this.context.model = modelOf(
        request["model"] == null ? undefined : String(request["model"]),
      );
    }
    this.#answer(request_id, scripted ?? usualAnswer(request));
    this.happened(`control:${subtype}`);
    if (subtype === "interrupt") this.#interrupt();
    else if (subtype === "end_session") void this.exit(0);
  }

  #interrupt(): void {
    this.happened("interrupt");
    if (this.#plan.onInterrupt !== "ignore") this.#turn?.interrupt();
  }

  #acceptResponse(line: JsonObject): void {
    const { response } = line;
    if (!isObject(response)) return;
    const body = response["response"];
    this.#settle(
      String(response["request_id"]),
      response["subtype"] === "success"
        ? { ok: true, response: isObject(body) ? body : undefined }
        : { ok: false, error: String(response["error"]) },
    );
  }

  #settle(id: string, answer: HostAnswer): void {
    const settle = this.#open.get(id);
    this.#open.delete(id);
    settle?.(answer);
    this.#stir();
  }

  #answer(id: string, answer: FakeAnswer, extra: JsonObject = {}): void {
    if (answer === "silent") return;
    const body = answer === "void"
      ? { subtype: "success", request_id: id }
      : isRefusal(answer)
      ? { ...answer, subtype: "error", request_id: id }
      : { subtype: "success", request_id: id, response: answer };
    void this.write(
      JSON.stringify({
        type: "control_response",
        response: { ...body, ...extra },
      }) + "\n",
    );
  }

  async #answerInitialize(): Promise<void> {
    const line = this.#initialize;
    if (line === undefined) return;
    const request = line["request"];
    if (isObject(request)) await this.#takeInitialize(request);
    const { initialize = {}, ready = [] } = this.#plan;
    const isPlain = typeof initialize === "object" && !isRefusal(initialize);
    this.#answer(
      String(line["request_id"]),
      isPlain
        ? { ...initializeReply(this.context), ...initialize }
        : initialize,
      isPlain
        ? { pending_permission_requests: [], pending_user_dialog_requests: [] }
        : {},
    );
    await this.#runLoose(ready);
  }

  async #takeInitialize(request: JsonObject): Promise<void> {
    for (const [event, list] of Object.entries(request["hooks"] ?? {})) {
      this.hooks.set(event, list as unknown as readonly HookRegistration[]);
    }
    const servers = request["sdkMcpServers"];
    if (!Array.isArray(servers)) return;
    const manifests = request["sdkMcpServerManifests"];
    const parked = isObject(manifests) ? manifests : {};
    for (const server of servers) {
      if (this.context.servers.includes(server)) continue;
      this.context.servers.push(server);
      // With a manifest the handshake counts as done: initialize and tools/list had ids.
      if (server in parked) this.#rpcIds.set(server, 2);
      else if (this.#plan.mcpHandshake !== false) {
        await shakeHands(this, server);
      }
    }
  }

  /** Steps outside of any turn. */
  async #runLoose(steps: readonly FakeStep[]): Promise<void> {
    await runSteps(this, steps, new Turn([]));
  }

  #endOfInput(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    // What is still asked can no longer be answered: it fails closed, and the turn goes on.
    for (const id of [...this.#open.keys()]) this.#settle(id, STREAM_CLOSED);
    this.happened("stdin-end", true);
    this.#goOn();
  }

  /** Begins the next turn, or ends when there is nothing left to do. */
  #goOn(): void {
    if (!this.#isStarted || this.#turn !== undefined) return;
    const count = this.#plan.mergePrompts ? this.#queue.length : 1;
    const prompts = this.#queue.splice(0, count);
    if (prompts.length > 0) {
      void this.#run(prompts);
    } else if (this.#isEnded && this.#plan.onStdinEnd !== "ignore") {
      void this.exit(this.#plan.exitCode ?? (this.#lastIsError ? 1 : 0));
    }
  }

  async #run(prompts: readonly Prompt[]): Promise<void> {
    const uuids = prompts.flatMap(({ uuid }) => uuid === undefined ? [] : uuid);
    const turn = new Turn(uuids);
    this.#turn = turn;
    this.setState("running");
    this.#lifecycle("started", uuids);
    const { init = {} } = this.#plan;
    if (init !== false) {
      void this.send({ ...initLine(this.context, uuids), ...init });
    }
    if (this.#isReplaying) this.#replay(prompts);
    const steps = this.#stepsOf(this.#turns);
    this.#turns++;
    try {
      await runSteps(this, steps, turn);
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      this.#abort(turn, error);
    }
    if (turn.result !== false) await this.#sendResult(turn);
    this.#lifecycle("completed", uuids);
    this.#turn = undefined;
    if (this.#queue.length === 0) this.setState("idle");
    this.#goOn();
  }

  #stepsOf(index: number): readonly FakeStep[] {
    const { turns = "ok" } = this.#plan;
    if (typeof turns === "string" || !("length" in turns)) return [turns];
    const turn: FakeTurn = turns[index] ?? {
      result: {
        is_error: true,
        result: `Fake CLI has no turn for prompt ${
          index + 1
        }: its script has ${turns.length}`,
      },
    };
    return typeof turn === "string" || !("length" in turn) ? [turn] : turn;
  }

  #abort(turn: Turn, { forTool }: Interrupted): void {
    this.cancel(true);
    turn.failure = forTool ? "aborted_tools" : "aborted_streaming";
    const text = `[Request interrupted by user${
      forTool ? " for tool use" : ""
    }]`;
    void this.send({
      type: "user",
      message: { role: "user", content: [{ type: "text", text }] },
      parent_tool_use_id: null,
    });
  }

  async #sendResult(turn: Turn): Promise<void> {
    const outcome = turn.outcome(this.#results++);
    const usual = turn.failure === undefined
      ? successLine(this.context, outcome)
      : failureLine(this.context, outcome, turn.failure);
    const line = { ...usual, ...this.#plan.result, ...turn.result };
    this.#lastIsError = line["is_error"] === true;
    await this.send(line);
  }

  #lifecycle(state: string, uuids: readonly string[]): void {
    for (const command_uuid of uuids) {
      void this.send({ type: "command_lifecycle", command_uuid, state });
    }
  }

  #replay(prompts: readonly Prompt[]): void {
    for (const { line, uuid } of prompts) {
      void this.send({
        type: "user",
        message: line["message"],
        parent_tool_use_id: null,
        timestamp: new Date().toISOString(),
        isReplay: true,
        ...(uuid === undefined ? {} : { uuid }),
      });
    }
  }

  #stir(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }
}

const STREAM_CLOSED: HostAnswer = {
  ok: false,
  error: "Stream closed before response received",
};

/** The value of `--name=value` or `--name value`. */
function optionOf(
  args: readonly string[],
  name: string,
): string | undefined {
  const at = args.findIndex((arg) =>
    arg === `--${name}` || arg.startsWith(`--${name}=`)
  );
  const arg = args[at];
  if (arg === undefined) return undefined;
  return arg.includes("=") ? arg.slice(name.length + 3) : args[at + 1];
}

function isRefusal(answer: FakeAnswer): answer is FakeRefusal {
  return typeof answer === "object" && typeof answer["error"] === "string";
}
