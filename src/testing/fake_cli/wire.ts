import { asObject, isObject } from "../../errors/text.ts";
import { TESTED_VERSION } from "../../options/versions.ts";
import { LineFramer } from "../../stream/line_framer.ts";
import type { JsonObject } from "../../types/json.ts";
import type { FakeAnswer, FakeRefusal } from "../fake_cli_script.ts";
import { parseLine } from "../lines.ts";
import { Watch } from "../watch.ts";
import { type CliProcess, type FakeContext, readContext } from "./context.ts";
import { decisionOn, type HostAnswer, type LogEntry } from "./record.ts";

interface FakeListener {
  onPrompt(line: JsonObject): void;
  onRequest(id: string, request: JsonObject): void;
}

interface OpenRequest {
  readonly request: JsonObject;
  settle(answer: HostAnswer): void;
}

const STREAM_CLOSED = { error: "Stream closed before response received" };

const encoder = new TextEncoder();

/** The pipes of a fake CLI: its lines, its requests, and its end. */
export class FakeWire {
  readonly context: FakeContext;
  /** Stirred whenever something came in. */
  readonly changes: Watch = new Watch();
  /** Aborts at the exit of an imitated process. */
  readonly gone: AbortSignal;
  /** Prompts without a turn yet. */
  readonly prompts: JsonObject[] = [];
  hasInputEnded = false;
  /** Subtypes of control requests of the host that no step waited for yet. */
  readonly #controls: string[] = [];
  readonly #self: CliProcess;
  readonly #note: (entry: LogEntry) => void;
  readonly #open = new Map<string, OpenRequest>();
  #rpcId = 0;
  #state = "idle";
  #written: Promise<void> = Promise.resolve();

  constructor(self: CliProcess, note: (entry: LogEntry) => void) {
    this.#self = self;
    this.context = readContext(self);
    this.gone = self.gone ?? new AbortController().signal;
    this.#note = note;
  }

  get isWaitingForHost(): boolean {
    return this.#open.size > 0;
  }

  /** Uses up a control request of the host, if there was one of that subtype. */
  takeControl(subtype: string): boolean {
    const at = this.#controls.indexOf(subtype);
    return at >= 0 && this.#controls.splice(at, 1).length > 0;
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
    const written = this.#writeLine({
      type: "control_request",
      request_id: id,
      request,
    });
    if (this.hasInputEnded) return Promise.resolve(STREAM_CLOSED);
    void written.then(() => {
      if (this.#open.has(id)) this.#note({ asked: { id, request } });
    });
    return new Promise((settle) => this.#open.set(id, { request, settle }));
  }

  /** Sends a JSON-RPC message to an in-process server of the host; a notification has no parameters. */
  rpc(
    server: string,
    method: string,
    params?: JsonObject,
  ): Promise<HostAnswer> {
    return this.request({
      subtype: "mcp_message",
      server_name: server,
      message: {
        jsonrpc: "2.0",
        method,
        ...params !== undefined && { id: this.#rpcId++, params },
      },
    });
  }

  /** Introduces itself to an in-process server, as the CLI does before it answers `initialize`. */
  async shakeHands(server: string): Promise<void> {
    await this.rpc(server, "initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "claude-code", version: TESTED_VERSION },
    });
    await this.rpc(server, "notifications/initialized");
    await this.rpc(server, "tools/list", {});
  }

  cancel(which: string | true): void {
    for (const id of which === true ? [...this.#open.keys()] : [which]) {
      void this.#writeLine({ type: "control_cancel_request", request_id: id });
      this.#settle(id, { error: "Cancelled" });
    }
  }

  answer(id: string, answer: FakeAnswer, extra: JsonObject = {}): void {
    if (answer === "silent") return;
    const body = isRefusal(answer)
      ? { ...answer, subtype: "error" }
      : { subtype: "success", ...answer !== "void" && { response: answer } };
    const response = { ...body, request_id: id, ...extra };
    void this.#writeLine({ type: "control_response", response });
  }

  /** Reads stdin as strictly as the CLI does. */
  read(listener: FakeListener): void {
    const framer = new LineFramer({ maxLineBytes: Infinity });
    this.#self.readInput((bytes) => {
      for (const line of framer.push(bytes)) this.#receive(line, listener);
    }, () => {
      this.#note({ stdinEnd: true });
      this.hasInputEnded = true;
      // Open requests can no longer be answered: they fail, and the turn continues.
      for (const id of [...this.#open.keys()]) this.#settle(id, STREAM_CLOSED);
      this.changes.stir();
    });
  }

  /** Records signals, and exits on them if it should. */
  watchSignals(doesExit: boolean): void {
    for (const [name, code] of [["SIGTERM", 143], ["SIGINT", 0]] as const) {
      this.#self.onSignal(name, () => {
        this.#note({ signal: name });
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

  #exitNow(code: number): void {
    if (this.gone.aborted) return;
    this.#note({ exit: code });
    this.#self.exit(code);
  }

  #writeLine(value: JsonObject): Promise<void> {
    return this.write(`${JSON.stringify(value)}\n`);
  }

  #receive(text: string, listener: FakeListener): void {
    const line = parseLine(text);
    this.#note({ line });
    const { type, message, request, request_id, response } = line;
    const { role } = asObject(message);
    if (line["raw"] === text) {
      this.#fail(
        `Error parsing streaming input line (type=unknown, ${text.length} chars)`,
      );
    } else if (type === "user") {
      if (role === "user") listener.onPrompt(line);
      else this.#fail(`Error: Expected message role 'user', got '${role}'`);
    } else if (type === "control_request") {
      if (!isObject(request)) {
        return this.#fail("Error: Missing request on control_request");
      }
      listener.onRequest(String(request_id), request);
      this.#controls.push(String(request["subtype"]));
      this.changes.stir();
    } else if (type === "control_response" && isObject(response)) {
      this.#receiveAnswer(response);
    }
  }

  #receiveAnswer(
    { request_id, subtype, response, error }: JsonObject,
  ): void {
    const id = String(request_id);
    const answer = subtype === "success"
      ? { response: isObject(response) ? response : undefined }
      : { error: String(error) };
    const { request } = this.#open.get(id) ?? {};
    const decision = request && decisionOn(request, answer);
    if (decision !== undefined) this.#note({ decision });
    this.#settle(id, answer);
  }

  #settle(id: string, answer: HostAnswer): void {
    const request = this.#open.get(id);
    if (this.#open.delete(id)) this.#note({ settled: id });
    request?.settle(answer);
    this.changes.stir();
  }

  #fail(text: string): void {
    void this.writeError(`${text}\n`).then(() => this.exit(1));
  }
}

export function isRefusal(answer: FakeAnswer): answer is FakeRefusal {
  return typeof answer === "object" && typeof answer["error"] === "string";
}
