import { CliNotFoundError } from "../errors/cli.ts";
import { isScript } from "./launch.ts";
import { ENDED } from "./errors.ts";
import type { Options } from "./generated/options.ts";

/** A failed start in the words that programs match on; `isThere` = the file of the CLI exists. */
export function startFailure(
  error: unknown,
  { pathToClaudeCodeExecutable: path, executable }: Options = {},
  isThere = false,
): unknown {
  if (!(error instanceof Error) || error.name === "AbortError") return error;
  if (error instanceof CliNotFoundError) {
    const { discovery, message } = error;
    // Without any CLI, the text says what helps, and `cause` lists the places; else it says what is wrong with the one found.
    const isNowhere = (discovery?.attempts ?? []).every((
      { outcome, source },
    ) => outcome === "missing" && source !== "environment");
    const text = path === undefined
      ? isNowhere ? ENDED.nothingFound : message
      : isThere
      ? isScript(path)
        ? `${ENDED.script} ${path} ${ENDED.notLaunched}: ${
          executable ?? "its runtime"
        } was not found`
        : `${ENDED.binary} ${path} ${ENDED.notLaunched}: it is not executable`
      : isScript(path)
      ? `${ENDED.noScript} ${path}. Is options.pathToClaudeCodeExecutable set?`
      : `${ENDED.noBinary} ${path}. Set options.pathToClaudeCodeExecutable to a CLI that is installed.`;
    return coded(new ReferenceError(text, { cause: error }));
  }
  return spawnFailure(error);
}

/** The error of a process that could not be started, or reported an error itself. */
export function spawnFailure(error: Error): Error {
  return coded(
    new Error(`${ENDED.notStarted} ${error.message}`, { cause: error }),
  );
}

/** Gives an error the system's code of its cause, such as `ENOENT`. */
function coded(error: Error): Error {
  const code = codeOf(error.cause);
  return code === undefined ? error : Object.assign(error, { code });
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof CliNotFoundError) {
    const { attempts } = error.discovery;
    return attempts.some(({ outcome }) => outcome === "not-executable")
      ? "EACCES"
      : "ENOENT";
  }
  const { code } = error as { readonly code?: unknown };
  return typeof code === "string" && /^(?:E[A-Z]+|ABORT_ERR)$/.test(code)
    ? code
    : codeOf(error.cause);
}
