import { withLimit } from "../async/deadline.ts";
import { cut, textOfError } from "../errors/text.ts";
import { safeLogger } from "../observe/log.ts";
import type { Clock } from "../ports/clock.ts";
import type { Host } from "../ports/host.ts";
import { type Child, startChild } from "../process/child.ts";
import type { StderrOptions } from "../process/stderr.ts";
import type { Program } from "./program.ts";
import { explainStart } from "./report.ts";

/** How long `--version` may take, in milliseconds. Source: specification, 3.1.1. */
const VERSION_LIMIT_MS = 5_000;
/** More than any version; what comes after it is not read. */
const LONGEST_ANSWER_BYTES = 4_096;

const VERSION = /\b\d+\.\d+\.\d+(?:-[\w.]+)?/;

/** A line of it stands in the reason. */
const STDERR: StderrOptions = {
  tailBytes: LONGEST_ANSWER_BYTES,
  linesPerSecond: Infinity,
  warnBytes: Infinity,
};

/** What a program said to `--version`. */
type VersionAnswer =
  | { readonly outcome: "found"; readonly version: string }
  | { readonly outcome: "failed" | "timeout"; readonly reason: string };

/** Runs `--version` with a limit; rejects only with the signal's reason, and leaves no process behind. */
export async function askVersion(
  host: Host,
  { args, cliPath, command }: Program,
  { clock, cwd, env, signal }: {
    readonly env: Readonly<Record<string, string>>;
    readonly cwd: string;
    readonly clock: Clock;
    /** Ends it with its reason. */
    readonly signal?: AbortSignal | undefined;
  },
): Promise<VersionAnswer> {
  signal?.throwIfAborted();
  let child: Child;
  try {
    child = await startChild(
      host,
      { command, args: [...args, "--version"], cwd, env },
      { stderr: STDERR, forwardSignals: false, clock, log: safeLogger() },
    );
  } catch (error) {
    return { outcome: "failed", reason: explainStart(host, error, cliPath) };
  }
  const reader = child.stdout.getReader();
  const late = new Error(`no answer to --version in ${VERSION_LIMIT_MS} ms`);
  try {
    return await withLimit(() => readAnswer(child, reader), {
      clock,
      signal,
      ms: VERSION_LIMIT_MS,
      onLimit: () => late,
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    const outcome = error === late ? "timeout" : "failed";
    return { outcome, reason: textOfError(error) };
  } finally {
    // It has nothing to save. A SIGTERM first would hide what it started from the SIGKILL.
    await child.stop({ reason: "finished", graceMs: Infinity, killMs: 0 });
    await reader.cancel().catch(() => {});
  }
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

async function readAnswer(
  child: Child,
  reader: Reader,
): Promise<VersionAnswer> {
  await child.stdin.end();
  const text = await readStart(reader);
  const { code, signal } = await child.exited;
  const [version] = VERSION.exec(text) ?? [];
  if (code !== 0) {
    const end = signal === null ? `exit code ${code}` : `killed by ${signal}`;
    await child.stderr.ended;
    const said = child.stderr.text().trim();
    const shown = said === "" ? end : `${end}, stderr "${cut(said)}"`;
    return { outcome: "failed", reason: `--version failed: ${shown}` };
  }
  return version === undefined
    ? {
      outcome: "failed",
      reason: `no Claude CLI: its --version says "${cut(text.trim())}"`,
    }
    : { outcome: "found", version };
}

/** Up to the line with the version: somebody else may keep the pipe open behind it. */
async function readStart(reader: Reader): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  const isEnough = () =>
    text.length >= LONGEST_ANSWER_BYTES ||
    (text.endsWith("\n") && VERSION.test(text));
  while (!isEnough()) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
  }
  return text;
}
