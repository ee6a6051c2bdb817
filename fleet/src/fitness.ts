import {
  type AgentError,
  discoverCli,
  isAgentError,
  type Logger,
  ResultError,
  type ResultMessage,
} from "@sluice/agent";
import { textOfError } from "@sluice/agent/extend";
import { backoffDelay } from "@sluice/agent/mcp";
import type { JobAgentOptions, WorkOptions } from "./types.ts";

const PAUSE = { baseMs: 1_000, capMs: 60_000 };
/** The API's answers to a missing or wrong login. */
const NO_LOGIN: ReadonlySet<number> = new Set([401, 403]);
/** The CLI has no status where it did not ask the API. */
const NO_LOGIN_TEXT = /^(not logged in|invalid api key|please run \/login)/i;

/** Whether a worker can run agents: after a failure of its own it takes nothing for a while, then one job at a time until one succeeds. */
export interface Fitness {
  /** Milliseconds until it may take a job; 0 = now. */
  readonly pauseMs: number;
  /** Whether its next job is a trial. */
  readonly isOnTrial: boolean;
  /** Whether a CLI is there; looks once, and again after a pause. */
  hasCli(): Promise<boolean>;
  /** Its agent worked. */
  worked(): void;
  /** It failed by itself. */
  failed(why: string): void;
}

/** Judges a worker by its options, and by what becomes of its agents. */
export function fitnessOf(
  options: WorkOptions["options"],
  log: Logger,
): Fitness {
  let failures = 0;
  let pausedUntil = 0;
  let looking: Promise<boolean> | undefined;

  function failed(why: string): void {
    const ceiling = Math.min(PAUSE.capMs, PAUSE.baseMs * 2 ** failures++);
    // At least half of it, so that a worker that fails at once does not take job after job.
    const ms = ceiling / 2 +
      backoffDelay(0, { baseMs: ceiling / 2, capMs: ceiling / 2 });
    pausedUntil = performance.now() + ms;
    looking = undefined;
    log.warn(`Worker takes no jobs for ${Math.round(ms)} ms: ${why}`);
  }

  async function look(): Promise<boolean> {
    // The options of a function are known when a job begins.
    if (typeof options === "function") return true;
    const { cliPath, cwd, env, transport } = options ?? {};
    if (transport !== undefined) return true;
    const { path, attempts } = await discoverCli({
      ...cliPath !== undefined && { cliPath },
      ...cwd !== undefined && { cwd: String(cwd) },
      ...env !== undefined && { env },
    });
    if (path !== undefined) return true;
    const { reason = "none was found" } = attempts[0] ?? {};
    failed(`no Claude Code CLI works here: ${reason}`);
    return false;
  }

  return {
    get pauseMs() {
      return Math.max(0, pausedUntil - performance.now());
    },
    get isOnTrial() {
      return failures > 0;
    },
    hasCli: () =>
      looking ??= look().catch((error) => {
        failed(`cannot look for the CLI: ${textOfError(error)}`);
        return false;
      }),
    worked() {
      failures = 0;
    },
    failed,
  };
}

/** The failure of the API behind a result: the agent has not worked. Limits of turns and cost, and an interrupt, are ends of its work. */
export function failureIn(result: ResultMessage): ResultError | undefined {
  if (!result.is_error || result.subtype !== "success") return undefined;
  const status = result.api_error_status ?? undefined;
  const what = status === undefined ? "failed" : `got ${status} from the API`;
  return new ResultError({
    message: `Agent ${what}: ${result.result}`,
    result,
  });
}

/** Whether an attempt failed by its worker, so that another one may succeed: no CLI, or no login, where the job brought none. */
export function isOwnFailure(
  error: unknown,
  given: JobAgentOptions | undefined,
): boolean {
  if (!isAgentError(error) || given?.cliPath !== undefined) return false;
  if (error instanceof ResultError) {
    return given?.env === undefined && isLoginMissing(error);
  }
  return isNoCli(error) || isAgentError(error.cause) && isNoCli(error.cause);
}

function isNoCli({ code }: AgentError): boolean {
  return code === "cli_not_found";
}

function isLoginMissing({ result }: ResultError): boolean {
  if (result?.subtype !== "success") return false;
  return NO_LOGIN.has(result.api_error_status ?? 0) ||
    NO_LOGIN_TEXT.test(result.result);
}
