import { settleWithin } from "../async/deadline.ts";
import { isObject } from "../errors/is_object.ts";
import { lastWords } from "../errors/last_words.ts";
import { showExit, textOfError } from "../errors/text.ts";
import type { Host } from "../ports/host.ts";
import type { ExitStatus, TextSink } from "../ports/process.ts";
import { planOf, type StopPlan } from "../ports/transport.ts";
import { type Child, startChild } from "../process/child.ts";
import { windowsCommand } from "../process/windows_command.ts";
import { ByteReader, DRAIN_MS } from "../stream/byte_reader.ts";
import { LineFramer } from "../stream/line_framer.ts";
import type { JsonObject } from "../types/json.ts";
import type { McpStdioConfig } from "../types/mcp.ts";
import type { ConnectOptions } from "./connect.ts";
import { McpFailure } from "./failure.ts";
import type { ClientTransport } from "./handshake.ts";
import { stdioEnvironment } from "./stdio_environment.ts";

/** A longer line ends the connection: its answer is lost, and nobody can tell whose it was. */
const LONGEST_LINE_BYTES = 64 * 1024 * 1024;

/** Input closed, SIGTERM, SIGKILL. Source: MCP reference, section 8. */
const CLOSING: StopPlan = { reason: "closed", graceMs: 2_000, killMs: 4_000 };

/** A server that never shook hands has nothing to finish. */
const GIVING_UP: StopPlan = planOf("aborted", CLOSING);

/** So much of what a server wrote to stderr is on its error. */
const STDERR_SHOWN = 4_096;

const STDERR = {
  tailBytes: 16 * 1024,
  linesPerSecond: 100,
  warnBytes: 10 * 1024 * 1024,
};

type StdioOptions = Pick<
  ConnectOptions,
  "clock" | "log" | "cwd" | "guardProcess"
>;

/** A server's stdin and stdout as a transport: one JSON-RPC message a line. */
export class StdioTransport implements ClientTransport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JsonObject) => void;
  readonly #name: string;
  readonly #config: McpStdioConfig;
  readonly #host: Host;
  readonly #options: StdioOptions;
  #starting: Promise<Child> | undefined;
  #ended: Promise<void> | undefined;
  #plan = GIVING_UP;
  #cause: unknown;
  #isClosed = false;
  #isNoisy = false;
  #writer: LineWriter | undefined;

  constructor(
    name: string,
    config: McpStdioConfig,
    host: Host,
    options: StdioOptions,
  ) {
    this.#name = name;
    this.#config = config;
    this.#host = host;
    this.#options = options;
  }

  /** Why it ended; `undefined` while it has not, and when it was closed by us. */
  get cause(): unknown {
    return this.#cause;
  }

  async start(): Promise<void> {
    this.#starting = this.#spawn();
    const child = await this.#starting;
    this.#writer = new LineWriter(child.stdin);
    this.#ended = this.#run(child);
  }

  /** The handshake is done: from now on its end is in good order. */
  keep(): void {
    this.#plan = CLOSING;
  }

  /** Resolves when the pipe took the message, with whatever else was waiting. */
  async send(message: JsonObject): Promise<void> {
    if (this.#writer === undefined || this.#isClosed) {
      throw new Error("Not connected");
    }
    return await this.#writer.write(JSON.stringify(message));
  }

  async close(): Promise<void> {
    // One that could not be started has nothing to stop.
    const child = await this.#starting?.catch(() => undefined);
    if (child !== undefined) {
      // Its own end is the story, not the pipe that broke with it.
      if (this.#writer?.isBroken) await this.#endsSoon(child);
      await child.stop(this.#plan);
      await this.#ended;
    }
    this.#close(undefined);
  }

  async #spawn(): Promise<Child> {
    const config = this.#config;
    const host = this.#host;
    const { clock, log, guardProcess = true } = this.#options;
    const { command, args = [], onStderr: onLine } = config;
    const request = await windowsCommand(host, {
      command,
      args,
      cwd: config.cwd ?? this.#options.cwd ?? host.cwd(),
      env: stdioEnvironment(config, host.env(), host.platform),
    });
    return await startChild(host, request, {
      stderr: { ...STDERR, onLine },
      forwardSignals: false,
      guardMs: guardProcess ? CLOSING.killMs - CLOSING.graceMs : undefined,
      clock,
      log,
    });
  }

  /** Reads until the server is gone, and closes the transport then. */
  async #run(child: Child): Promise<void> {
    const { reusesBuffer } = this.#host.tuning;
    const reader = new ByteReader(child.stdout, reusesBuffer);
    child.exited.then(() =>
      reader.endAfterSilence(DRAIN_MS, this.#options.clock)
    );
    let failure: unknown;
    try {
      await this.#read(reader);
    } catch (error) {
      failure = error;
    }
    await reader.cancel();
    if (failure === undefined && !await this.#endsSoon(child)) {
      failure = new Error("Server closed its stdout");
    }
    // It can answer nothing any more, so there is nothing to wait for.
    await child.stop(GIVING_UP);
    this.#close(failure ?? endOf(await child.exited, child));
  }

  /** Whether the process ends by itself within a short time. */
  async #endsSoon(child: Child): Promise<boolean> {
    const { clock } = this.#options;
    const gone = child.exited.then(() => true);
    return await settleWithin(gone, DRAIN_MS, clock) === true;
  }

  async #read(reader: ByteReader): Promise<void> {
    let tooLong: number | undefined;
    const framer = new LineFramer({
      maxLineBytes: LONGEST_LINE_BYTES,
      isReused: reader.isReused,
      isAscii: this.#host.isAscii,
      onTooLong: (bytes) => {
        tooLong = bytes;
      },
    });
    for (;;) {
      const chunk = await reader.read();
      const lines = chunk === undefined ? framer.end() : framer.push(chunk);
      for (const line of lines) this.#take(line);
      if (tooLong !== undefined) {
        throw new Error(
          `Line is longer than ${LONGEST_LINE_BYTES} bytes: ${tooLong}`,
        );
      }
      if (chunk === undefined) return;
    }
  }

  #take(line: string): void {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      return this.#noise(line);
    }
    // Up to revision 2025-03-26 several may come as one.
    for (const message of Array.isArray(value) ? value : [value]) {
      if (isObject(message) && message.jsonrpc === "2.0") {
        this.#hand(message);
      } else this.#noise(line);
    }
  }

  /** Who takes it wrongly must not cost the connection. */
  #hand(message: JsonObject): void {
    try {
      this.onmessage?.(message);
    } catch (cause) {
      this.onerror?.(new Error(textOfError(cause), { cause }));
    }
  }

  /** Many programs print a greeting. */
  #noise(line: string): void {
    const { log } = this.#options;
    const facts = { server: this.#name, bytes: line.length };
    if (this.#isNoisy) {
      return log.debug("MCP server wrote what is no message", facts);
    }
    this.#isNoisy = true;
    log.warn(
      "MCP server writes to stdout what is no message; it is skipped",
      facts,
    );
  }

  #close(cause: unknown): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cause = cause;
    this.onclose?.();
  }
}

function endOf(status: ExitStatus, child: Child): McpFailure | undefined {
  if (child.reason === "closed" || child.reason === "aborted") return undefined;
  const text = child.stderr.text();
  const said = lastWords(text);
  return new McpFailure(
    `Process ended: ${showExit(status)}${said === "" ? "" : ` (${said})`}`,
    {
      kind: "closed",
      ...text !== "" && { details: { stderrTail: text.slice(-STDERR_SHOWN) } },
    },
  );
}

/** Writes lines one after the other; those that come during a write leave with the next one. */
class LineWriter {
  readonly #sink: TextSink;
  #unsent = "";
  #writing: Promise<void> | undefined;
  #isBroken = false;

  constructor(sink: TextSink) {
    this.#sink = sink;
  }

  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Resolves when the pipe took the line, with whatever else was waiting. */
  write(line: string): Promise<void> {
    this.#unsent += `${line}\n`;
    return this.#writing ??= this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    // Lines of one turn leave in one write.
    await undefined;
    while (this.#unsent !== "") {
      const text = this.#unsent;
      this.#unsent = "";
      try {
        await this.#sink.write(text);
      } catch (error) {
        this.#isBroken = true;
        throw error;
      }
    }
    this.#writing = undefined;
  }
}
