import { settleWithin } from "../async/deadline.ts";
import { isObject, parsedJson, showExit, textOfError } from "../errors/text.ts";
import { lastWords } from "../errors/last_words.ts";
import type { Host } from "../ports/host.ts";
import { type ExitStatus, planOf, type TextSink } from "../ports/process.ts";
import type { StopPlan } from "../ports/transport.ts";
import { type Child, startChild } from "../process/child.ts";
import { canGuard } from "../process/watchdog.ts";
import { windowsCommand } from "../process/windows_command.ts";
import { NEVER_INHERITED } from "../options/environment.ts";
import { ByteReader, DRAIN_MS } from "../stream/byte_reader.ts";
import { LineFramer } from "../stream/line_framer.ts";
import type { McpStdioConfig } from "../types/mcp.ts";
import type { ConnectOptions } from "./connect.ts";
import { McpFailure } from "./failure.ts";
import { LONGEST_MESSAGE_BYTES } from "./jsonrpc.ts";
import type { Transport, TransportEvents } from "./transport.ts";

/** Input closed, SIGTERM, SIGKILL. Source: MCP reference, section 8. */
const CLOSING: StopPlan = { reason: "closed", graceMs: 2_000, killMs: 4_000 };

/** A server that never shook hands has nothing to finish. */
const GIVING_UP: StopPlan = planOf("aborted", CLOSING);

const STDERR = {
  // So much of it is on the error of its server.
  tailBytes: 4_096,
  linesPerSecond: 100,
  warnBytes: 10 * 1024 * 1024,
};

type StdioOptions = Pick<
  ConnectOptions,
  "clock" | "log" | "cwd" | "guardProcess"
>;

/** A server's stdin and stdout as a transport: one JSON-RPC message a line. */
export function stdioTransport(
  name: string,
  config: McpStdioConfig,
  host: Host,
  { clock, log, cwd, guardProcess = true }: StdioOptions,
): Transport {
  let starting: Promise<Child> | undefined;
  let ended: Promise<void> | undefined;
  let plan = GIVING_UP;
  let events: TransportEvents | undefined;
  let isClosed = false;
  let isNoisy = false;
  let stdin: TextSink | undefined;
  /** Lines that leave with the next write. */
  let unsent = "";
  let writing: Promise<void> | undefined;
  let isBroken = false;

  return {
    async start(given) {
      events = given;
      starting = spawn();
      const child = await starting;
      stdin = child.stdin;
      ended = run(child);
    },
    async send(message) {
      if (stdin === undefined || isClosed) throw new Error("Not connected");
      unsent += `${JSON.stringify(message)}\n`;
      await (writing ??= writeAll(stdin));
    },
    // From now on its end is in good order.
    opened: () => void (plan = CLOSING),
    async close() {
      // One that could not be started has nothing to stop.
      const child = await starting?.catch(() => undefined);
      if (child !== undefined) {
        // Its own end is the story, not the pipe that broke with it.
        if (isBroken) await endsSoon(child);
        await child.stop(plan);
        await ended;
      }
      end(undefined);
    },
  };

  async function spawn(): Promise<Child> {
    const { command, args = [], onStderr: onLine } = config;
    const request = await windowsCommand(host, {
      command,
      args,
      cwd: config.cwd ?? cwd ?? host.cwd(),
      env: stdioEnvironment(config, host.env(), host.platform),
      // Away from the terminal of the person; without a watchdog Ctrl-C would leave it behind.
      isDetached: guardProcess && canGuard(host),
    });
    return await startChild(host, request, {
      stderr: { ...STDERR, onLine },
      forwardSignals: false,
      watchdogMs: guardProcess ? CLOSING.killMs - CLOSING.graceMs : undefined,
      clock,
      log,
    });
  }

  /** Writes one text after the other; what comes during a write leaves with the next one. */
  async function writeAll(sink: TextSink): Promise<void> {
    // Lines of one turn leave in one write.
    await undefined;
    while (unsent !== "") {
      const text = unsent;
      unsent = "";
      try {
        await sink.write(text);
      } catch (error) {
        isBroken = true;
        const text = `Cannot write to MCP server "${name}": ${
          textOfError(error)
        }`;
        throw new McpFailure(text, { kind: "closed", cause: error });
      }
    }
    writing = undefined;
  }

  async function run(child: Child): Promise<void> {
    const reader = new ByteReader(child.stdout, host.tuning.reusesBuffer);
    child.exited.then(() => reader.endAfterSilence(DRAIN_MS, clock));
    let failure: unknown;
    try {
      await read(reader);
    } catch (error) {
      failure = error;
    }
    await reader.cancel();
    // One that we stop may close it long before its end.
    const isAlive = failure === undefined && !await endsSoon(child);
    if (isAlive && child.reason === undefined) {
      failure = new Error("Server closed its stdout");
    }
    // It can answer nothing any more, so there is nothing to wait for.
    await child.stop(GIVING_UP);
    end(failure ?? endOf(await child.exited, child));
  }

  async function endsSoon(child: Child): Promise<boolean> {
    const gone = child.exited.then(() => true);
    return await settleWithin(gone, DRAIN_MS, clock) === true;
  }

  async function read(reader: ByteReader): Promise<void> {
    let tooLong: number | undefined;
    const framer = new LineFramer({
      maxLineBytes: LONGEST_MESSAGE_BYTES,
      isReused: reader.isReused,
      isAscii: host.isAscii,
      onTooLong: (bytes) => void (tooLong = bytes),
    });
    for (;;) {
      const chunk = await reader.read();
      const lines = chunk === undefined ? framer.end() : framer.push(chunk);
      for (const line of lines) take(line);
      if (tooLong !== undefined) {
        throw new Error(
          `Line is longer than ${LONGEST_MESSAGE_BYTES} bytes: ${tooLong}`,
        );
      }
      if (chunk === undefined) return;
    }
  }

  function take(line: string): void {
    const value = parsedJson(line);
    if (value === undefined) return noise(line);
    // Up to revision 2025-03-26 several may come as one.
    for (const message of Array.isArray(value) ? value : [value]) {
      if (isObject(message) && message.jsonrpc === "2.0") {
        events?.message(message);
      } else noise(line);
    }
  }

  /** Many programs print a greeting. */
  function noise(line: string): void {
    if (isNoisy) return;
    isNoisy = true;
    const text =
      "MCP server writes to stdout what is no message; it is skipped";
    log.warn(text, { server: name, bytes: line.length });
  }

  function end(reason: unknown): void {
    if (isClosed) return;
    isClosed = true;
    events?.end(reason);
  }
}

function endOf(status: ExitStatus, child: Child): McpFailure | undefined {
  if (child.reason === "closed" || child.reason === "aborted") return undefined;
  const text = child.stderr.text();
  const said = lastWords(text);
  const words = said === "" ? "" : ` (${said})`;
  return new McpFailure(`Process ended: ${showExit(status)}${words}`, {
    kind: "closed",
    ...text !== "" && { details: { stderrTail: text } },
  });
}

const OF_THE_AGENT = /^(ANTHROPIC_.*|CLAUDE_.*|AWS_BEARER_TOKEN_BEDROCK)$/;

/** Variables that a process needs to start. Source: MCP reference, section 7. */
const NEEDED = "HOME LOGNAME PATH SHELL TERM USER".split(" ");
const NEEDED_ON_WINDOWS =
  "APPDATA HOMEDRIVE HOMEPATH LOCALAPPDATA PATH PROCESSOR_ARCHITECTURE PROGRAMFILES SYSTEMDRIVE SYSTEMROOT TEMP USERNAME USERPROFILE"
    .split(" ");

/** The whole environment of a stdio server: what it inherits, and what its configuration gives it over that. */
function stdioEnvironment(
  { env = {}, inheritEnv = true }: McpStdioConfig,
  parent: Readonly<Record<string, string>>,
  platform: string,
): Record<string, string> {
  const isWindows = platform === "win32";
  const nameOf = (key: string) => isWindows ? key.toUpperCase() : key;
  const needed = isWindows ? NEEDED_ON_WINDOWS : NEEDED;
  const names = inheritEnv === false ? needed : inheritEnv;
  const wanted = names === true ? undefined : new Set(names.map(nameOf));
  // There two names that differ in case alone are one variable.
  const given = new Set(Object.keys(env).map(nameOf));
  const inherited = Object.entries(parent).filter(([key, value]) => {
    const name = nameOf(key);
    // Shells export functions so; they are code, not data.
    return !value.startsWith("()") &&
      !NEVER_INHERITED.test(name) && !OF_THE_AGENT.test(name) &&
      (wanted === undefined || wanted.has(name)) && !given.has(name);
  });
  return { ...Object.fromEntries(inherited), ...env };
}
