import { isObject } from "../../errors/text.ts";
import { TESTED_VERSION } from "../../options/versions.ts";
import { LineFramer } from "../../stream/line_framer.ts";
import type { JsonObject } from "../../types/json.ts";
import type { FakeAnswer, FakeRefusal, McpStep } from "../fake_cli_script.ts";
import { Watch } from "../watch.ts";
import { fieldOf, parseLine } from "../lines.ts";
import { type CliProcess, type FakeContext, readContext } from "./context.ts";

/** The host's answer, or the error in its place. */
export interface HostAnswer {
  readonly response?: JsonObject | undefined;
  readonly error?: string;
}

/** Receives what comes in on stdin. */
interface FakeListener {
  onPrompt(line: JsonObject): void;
  onRequest(id: string, request: JsonObject): void;
  onEnd(): void;
}

const STREAM_CLOSED = { error: "Stream closed before response received" };

const encoder = new TextEncoder();

/** The pipes of a fake CLI: its lines, its requests, and its end. */
export class FakeWire {
  readonly context: FakeContext;
  readonly events: FakeEvents = new FakeEvents();
  /** Aborts at the exit where that ends nothing by itself. */
  readonly gone: AbortSignal;
  /** Prompts without a turn yet. */
  waitingPrompts = 0;
  hasInputEnded = false;

  readonly #self: CliProcess;
  readonly #note: (entry: JsonObject) => void;
  readonly #open = new Map<string, (answer: HostAnswer) => void>();
  readonly #rpcIds = new Map<string, number>();
  #state = "idle";
  #written: Promise<void> = Promise.resolve();

  constructor(self: CliProcess, note: (entry: JsonObject) => void) {
    this.#self = self;
    this.context = readContext(self);
    this.gone = self.gone ?? new AbortController().signal;
    this.#note = note;
  }

  get isWaitingForHost(): boolean {
    return this.#open.size > 0;
  }

  /** Writes a message; a missing `uuid` and `session_id` is filled in. */
  send(message: JsonObject): Promise<void> {
    return this.#writeLine({
      ...message,
      session_id: message["session_id"] ?? this.context.sessionId,
      uuid: message["uuid"] ?? crypto.randomUUID(),
    });
  }

  /** Writes text or bytes as they are, after everything written before. */
  write(data: string | Uint8Array): Promise<void> {
    const bytes = typeof data === "string" ? encoder.encode(data) : data;
    this.#written = this.#written.then(() => this.#self.write(bytes));
    return this.#written;
  }

  writeError(text: string): Promise<void> {
    return this.#self.writeError(text);
  }

  /** Reports a new state of the session to a host that reads it. */
  setState(state: string): void {
    if (!this.context.reportsState || state === this.#state) return;
    this.#state = state;
    const subtype = "session_state_changed";
    void this.send({ type: "system", subtype, state, sdk_host_only: true });
  }

  /** Sends a control request; resolves with an error when no answer can come. */
  request(
    request: JsonObject,
    id: string = crypto.randomUUID(),
  ): Promise<HostAnswer> {
    this.#note({ event: "asked", id, request });
    void this.#writeLine({ type: "control_request", request_id: id, request })
      .then(() => this.#note({ event: "written", id }));
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
    const head = isNotification ? {} : { id };
    return this.request({
      subtype: "mcp_message",
      server_name: server,
      message: { jsonrpc: "2.0", method, params, ...head },
    }, requestId);
  }

  /** Introduces itself to an in-process server, as the CLI does before it answers `initialize`. */
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

  /** Counts the handshake with a server as done: `initialize` and `tools/list` had ids. */
  skipHandshake(server: string): void {
    this.#rpcIds.set(server, 2);
  }

  /** Cancels the request of that id, or all open ones. */
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
    const response = { ...body, ...extra };
    void this.#writeLine({ type: "control_response", response });
  }

  /** Reads stdin as strictly as the CLI does. */
  read(listener: FakeListener): void {
    const framer = new LineFramer({ maxLineBytes: Infinity });
    this.#self.readInput((bytes) => {
      for (const line of framer.push(bytes)) this.#receive(line, listener);
    }, () => {
      this.#note({ event: "stdin-end" });
      this.hasInputEnded = true;
      // Open requests can no longer be answered: they fail, and the turn continues.
      for (const id of [...this.#open.keys()]) this.#settle(id, STREAM_CLOSED);
      this.events.happened("stdin-end", Infinity);
      listener.onEnd();
    });
  }

  /** Records signals, and exits on them if it should. */
  watchSignals(doesExit: boolean): void {
    for (const [name, code] of [["SIGTERM", 143], ["SIGINT", 0]] as const) {
      this.#self.onSignal(name, () => {
        this.#note({ event: "signal", name });
        this.events.happened(name.toLowerCase(), Infinity);
        if (doesExit) this.#exitNow(code);
      });
    }
  }

  /** Ends the process when everything is written; never resolves. */
  async exit(code: number): Promise<never> {
    await this.#written;
    this.#exitNow(code);
    return await new Promise<never>(() => {});
  }

  /** Ends the process with a reason on stderr. */
  async fail(text: string): Promise<never> {
    await this.writeError(`${text}\n`);
    return await this.exit(1);
  }

  #exitNow(code: number): void {
    if (this.gone.aborted) return;
    this.#note({ event: "exit", code });
    this.#self.exit(code);
  }

  #writeLine(value: JsonObject): Promise<void> {
    return this.write(`${JSON.stringify(value)}\n`);
  }

  #receive(text: string, listener: FakeListener): void {
    this.#note({ event: "line", text });
    const line = parseLine(text);
    const { type, message, request, request_id, response } = line;
    if (line["raw"] === text) {
      void this.fail(
        `Error parsing streaming input line (type=unknown, ${text.length} chars)`,
      );
    } else if (type === "user") {
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

/** Events of a fake CLI, for steps that wait for them. */
class FakeEvents extends Watch {
  readonly #counts = new Map<string, number>();

  happened(event: string, times: number = 1): void {
    this.#counts.set(event, (this.#counts.get(event) ?? 0) + times);
    this.stir();
  }

  /** Waits for an event, and uses up one occurrence. */
  take(event: string, signal: AbortSignal): Promise<unknown> {
    return this.until(() => {
      const count = this.#counts.get(event) ?? 0;
      if (count === 0) return undefined;
      this.#counts.set(event, count - 1);
      return event;
    }, signal);
  }
}

function toAnswer({ subtype, response, error }: JsonObject): HostAnswer {
  return subtype === "success"
    ? { response: isObject(response) ? response : undefined }
    : { error: String(error) };
}

export function isRefusal(answer: FakeAnswer): answer is FakeRefusal {
  return typeof answer === "object" && typeof answer["error"] === "string";
}
