import { withLimit } from "../async/deadline.ts";
import { type CliContext, CliError } from "../errors/cli.ts";
import { cut, textOfError } from "../errors/text.ts";
import { safeLogger } from "../observe/log.ts";
import {
  isOlder,
  MINIMUM_VERSION,
  named,
  UPDATE,
} from "../options/versions.ts";
import type { Clock } from "../ports/clock.ts";
import type { Host } from "../ports/host.ts";
import { type Child, startChild } from "../process/child.ts";
import { parentOf, resolvePath } from "../process/paths.ts";
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

/** What is said of a CLI that is too old. */
export function oldCli(path: string | undefined, version: string): string {
  return `CLI is too old: ${
    named(path)
  } is ${version}, the oldest that works is ${MINIMUM_VERSION}; ${UPDATE}`;
}

/** The error of a conversation with a CLI that is too old. */
export function tooOld(
  path: string | undefined,
  version: string,
  context: CliContext,
): CliError {
  const message = oldCli(path, version);
  return new CliError({ stage: "connect", message, context });
}

/** Whether no conversation works with a CLI of this version. */
export function isTooOld(version: string | undefined): version is string {
  return isOlder(version, MINIMUM_VERSION);
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

const PACKAGES = /^@anthropic-ai\/claude-code(?:-|$)/;
/** How native installers and casks call a folder or a file: `versions/2.1.330`. */
const NUMBERS = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/;

/** The version of a CLI by what lies around it: its path, or its `package.json`; starts nothing, and never rejects. */
export async function installedVersion(
  host: Host,
  { args, command }: Program,
): Promise<string | undefined> {
  const script = args.find((one) => /\.[cm]?js$/.test(one)) ?? command;
  try {
    const real = await host.files.realPath(script);
    const folder = parentOf(real, host.platform);
    const names = real.split(/[\\/]/).slice(-2).reverse();
    const inPath = names.find((name) => NUMBERS.test(name));
    if (inPath !== undefined) return inPath;
    for (const place of [folder, parentOf(folder, host.platform)]) {
      const version = await packageVersion(host, place);
      if (version !== undefined) return version;
    }
  } catch {
    // Then it is a current one, until it says something else.
  }
  return undefined;
}

async function packageVersion(
  { files, platform }: Host,
  folder: string,
): Promise<string | undefined> {
  const path = resolvePath(folder, "package.json", platform);
  const text = await files.readText(path).catch(() => undefined);
  if (text === undefined) return undefined;
  const { name, version } = JSON.parse(text) ?? {};
  return typeof version === "string" && PACKAGES.test(name)
    ? version
    : undefined;
}
