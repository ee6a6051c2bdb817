import { oneAtATime } from "../async/one_at_a_time.ts";
import { localTransport } from "../local_cli.ts";
import { printable } from "../errors/printable.ts";
import { isObject, textOfError } from "../errors/text.ts";
import { resolvePath } from "../process/paths.ts";
import type { Files } from "../ports/files.ts";
import type { Terminal } from "../ports/terminal.ts";
import { host } from "../runtime/host.ts";
import { terminal } from "../runtime/terminal.ts";
import { writeText } from "../session/files.ts";
import { record } from "../testing/record.ts";
import type { JsonObject } from "../types/json.ts";
import type { AgentOptions } from "../types/options.ts";
import type { CanUseTool } from "../types/permissions.ts";
import type { Printer } from "./printer.ts";
import type { Conversation } from "../types/conversation.ts";
import {
  type AgentFlags,
  type Recording,
  type Screen,
  type Turn,
  UsageError,
} from "./command_line.ts";
import { promptPerson } from "../prompt_person.ts";

const GRACE_MS = 3_000;
const KILL_MS = 5_000;
const WITHDRAWN = "no answer was sent: the CLI no longer waits for one";

/** The options of an agent as the flags set them. */
export async function agentOptions(
  { options: given, record: recording }: AgentFlags,
  on: Screen,
  { canUseTool, signal }: {
    /** Asks a person; without one the CLI decides by its own rules. */
    readonly canUseTool: CanUseTool | undefined;
    readonly signal: AbortSignal;
  },
): Promise<AgentOptions> {
  const { mcpServers: servers, permissions } = given;
  const options: AgentOptions = {
    ...given,
    // The flag names a file.
    ...typeof servers === "string" && {
      mcpServers: await serversIn(servers),
    },
    permissions: {
      ...permissions,
      allowBypass: permissions?.mode === "bypassPermissions",
      canUseTool,
    },
    // This program passes Ctrl-C on to the CLI.
    shutdown: {
      forwardSignals: false,
      ownProcessGroup: true,
      graceMs: GRACE_MS,
      killMs: KILL_MS,
    },
    signal,
  };
  return recording === undefined
    ? options
    : { ...options, transport: await recorded(recording, options, on) };
}

/**
 * Asks at a terminal about one call at a time, if there is a person; other output waits from the moment that the
 * question is on the screen. Ctrl-C denies what is asked, whether or not the CLI withdraws it. A question that the CLI withdraws gets a
 * line below it.
 */
export function askQuietly(
  quietly: Printer["quietly"],
  turn: Pick<Turn, "note" | "onInterrupt">,
  at: Terminal = terminal(),
): CanUseTool | undefined {
  if (!at.isPerson) return undefined;
  const { onInterrupt } = turn;
  const inTurn = oneAtATime();
  const asked: CanUseTool = async (tool, input, context) => {
    const { caughtUp, raw, requestId, toolUseId } = context;
    let isShown = false;
    const interrupted = new AbortController();
    const interrupt = () => interrupted.abort();
    const signal = AbortSignal.any([context.signal, interrupted.signal]);
    const ask = (hold: () => void) =>
      promptPerson({
        terminal: {
          ...at,
          ask(text, signal) {
            isShown = true;
            hold();
            return at.ask(text, signal);
          },
        },
        // Getters, which a copy leaves out.
      })(tool, input, { ...context, caughtUp, raw, requestId, signal });
    onInterrupt.add(interrupt);
    try {
      return await inTurn(() =>
        quietly(async (hold) => await ask(hold), toolUseId)
      );
    } catch (error) {
      if (!interrupted.signal.aborted) {
        if (isShown && context.signal.aborted) await turn.note(WITHDRAWN);
        throw error;
      }
      return { behavior: "deny", message: "The person interrupted the turn" };
    } finally {
      onInterrupt.delete(interrupt);
    }
  };
  return Object.assign(asked, { timeoutMs: Infinity });
}

/** Servers as `.mcp.json` has them; the check of options knows what is wrong with one. */
async function serversIn(
  file: string,
): Promise<NonNullable<AgentOptions["mcpServers"]>> {
  const { mcpServers: servers } = await readJson(file, "--mcp");
  if (isObject(servers)) return servers as never;
  throw new UsageError(`--mcp ${file} has no "mcpServers": { ... }`);
}

/** A JSON Schema as it stands on the command line, or in a file. */
export async function readSchema(given: string): Promise<JsonObject> {
  return given.trimStart().startsWith("{")
    ? parse(given, "--schema")
    : await readJson(given, "--schema");
}

async function readJson(file: string, flag: string): Promise<JsonObject> {
  const { files } = await host();
  const source = `${flag} ${file}`;
  const text = await files.readText(await pathOf(file)).catch((error) => {
    throw new UsageError(`${source}: ${textOfError(error)}`);
  });
  return parse(text, source);
}

async function pathOf(file: string): Promise<string> {
  const { cwd, platform } = await host();
  return resolvePath(cwd(), file, platform);
}

function parse(text: string, source: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value as JsonObject;
  } catch (error) {
    throw new UsageError(`${source} is not JSON: ${textOfError(error)}`);
  }
  throw new UsageError(`${source} is not a JSON object`);
}

/** Writes a file for this user alone, complete or not at all; replaces nothing that came to be there meanwhile. */
async function writeNew(
  files: Files,
  path: string,
  text: string,
): Promise<void> {
  const file = await files.open(path, "new");
  try {
    await writeText(file, text).finally(() => file.close());
  } catch (error) {
    await files.remove(path).catch(() => {});
    throw error;
  }
}

/** The local CLI, with all messages written to a file; it is made, or made anew, by the first line. */
async function recorded(
  recording: Recording,
  options: AgentOptions,
  on: Screen,
): Promise<NonNullable<AgentOptions["transport"]>> {
  const { files } = await host();
  const { file, isForced } = recording;
  const path = await pathOf(file);
  const isThere = await files.status(path) !== undefined;
  if (isThere && !isForced) {
    throw new UsageError(`${file} is there already: --force replaces it`);
  }
  try {
    await files.appendText(path, "");
    if (!isThere) await files.remove(path);
  } catch (error) {
    throw new UsageError(`Cannot write ${file}: ${textOfError(error)}`);
  }
  const write = async (line: string) => {
    if (recording.hasBegun) return await files.appendText(path, line);
    if (isThere) await files.writeText(path, line);
    else await writeNew(files, path, line);
    recording.hasBegun = true;
  };
  return record(localTransport(options), write, {
    onError(error) {
      const text = `Cannot write ${file}: ${textOfError(error)}`;
      recording.failure = new Error(text, { cause: error });
      void on.note(on.err.yellow(`warning: ${text}; the recording has ended`));
    },
  });
}

export async function warnOf(
  { errors }: Pick<Conversation, "errors">,
  note: (text: string) => Promise<void>,
  { err }: Screen,
): Promise<void> {
  for await (const error of errors) {
    if (error.fatal) continue;
    await note(err.yellow(`warning: ${printable(textOfError(error))}`));
  }
}
