import { Client } from "../client.ts";
import { printable } from "../errors/printable.ts";
import { type LineEditor, lineEditor } from "../runtime/line_editor.ts";
import type { Typed } from "../runtime/prompt_line.ts";
import { isQuestionOpen } from "../runtime/terminal.ts";
import type { Message } from "../protocol/messages_other.ts";
import type { SessionInfo } from "../protocol/session.ts";
import { agentOptions, askQuietly, warnOf } from "./agent.ts";
import { besidePrompt, terminalOf } from "./beside_prompt.ts";
import { printer } from "./printer.ts";
import { aboutUnsent, pipedLines } from "./piped_lines.ts";
import {
  type AgentFlags,
  type Screen,
  type Turn,
  untilEnded,
} from "./command_line.ts";
import { DONE, INTERRUPTED } from "./exit_codes.ts";

/** Commands that end the chat; the CLI has others. */
const LEAVE: ReadonlySet<string> = new Set(["/exit", "/quit"]);

const GONE = "CLI has ended: sluice chat --continue continues the session";

/** Talks with an agent turn by turn: at the terminal with a line that can be edited, else a prompt for each line of stdin. */
export function chat(flags: AgentFlags, on: Screen): Promise<number> {
  return untilEnded(on, async (signal, turn) => {
    const editor = on.program.terminals.stdin ? lineEditor(signal) : undefined;
    try {
      return await talk(flags, on, editor, signal, turn);
    } finally {
      editor?.close();
    }
  });
}

async function talk(
  flags: AgentFlags,
  on: Screen,
  editor: LineEditor | undefined,
  signal: AbortSignal,
  turn: Turn,
): Promise<number> {
  const beside = editor === undefined ? on : besidePrompt(on, editor);
  const printed = printer(beside, { json: flags.json, isQuestionOpen });
  const options = await agentOptions(flags, on, {
    canUseTool: askQuietly(
      printed.quietly,
      turn,
      editor && terminalOf(editor),
    ),
    signal,
  });
  const client = new Client({
    ...options,
    includePartialMessages: !flags.json,
  });
  turn.note = printed.note;
  const ended = new AbortController();
  const unsent: string[] = [];
  try {
    const info = await client.connect();
    const warned = warnOf(client.receiveMessages(), printed.note, on);
    if (editor !== undefined) {
      const version = info.claude_code_version ?? "the CLI";
      const text =
        `${version} · /help lists ${info.commands.length} commands · Ctrl-C interrupts · Ctrl-D ends`;
      await printed.note(on.err.dim(text));
    }
    const stopped = AbortSignal.any([signal, ended.signal]);
    const lines = editor === undefined
      ? pipedLines(on, stopped, unsent)
      : typedLines(editor, beside, stopped);
    for (;;) {
      const next = await showUntil(lines.next());
      if (next.done) break;
      if (next.value === undefined) return INTERRUPTED;
      const words = next.value.trim();
      if (words === "") continue;
      if (LEAVE.has(words)) break;
      if (words === "/help") {
        await printed.note(helpOf(info));
        continue;
      }
      await show({ words });
    }
    await client.close();
    await warned;
    return DONE;
  } catch (error) {
    if (unsent.length > 0 && !signal.aborted) {
      await printed.note(on.err.yellow(aboutUnsent(unsent)));
    }
    throw error;
  } finally {
    ended.abort(new Error("The chat is over"));
    await client.close();
  }

  /** Takes the screen for a turn, which Ctrl-C interrupts. */
  async function beginTurn(): Promise<() => void> {
    const giveBack = await editor?.takeScreen();
    turn.running = { interrupt: () => client.interrupt() };
    const hideActivity = printed.showActivity();
    return () => {
      hideActivity();
      turn.running = undefined;
      giveBack?.();
    };
  }

  /** Shows messages up to the end of a turn: that of a prompt, or one that the CLI begins by itself. */
  async function show(
    { signal, words }: { signal?: AbortSignal; words?: string },
  ): Promise<void> {
    let endTurn = words === undefined ? undefined : await beginTurn();
    try {
      if (words !== undefined) await client.sendMessage(words);
      for await (const message of client.receiveResponse({ signal })) {
        if (isOfModel(message)) endTurn ??= await beginTurn();
        await printed.print(message, client.cost());
      }
    } finally {
      endTurn?.();
    }
  }

  /** Shows what the CLI does by itself while a line is awaited. */
  async function showUntil<T>(line: Promise<T>): Promise<T> {
    const typed = new AbortController();
    const stop = () => typed.abort();
    line.then(stop, stop);
    try {
      while (!typed.signal.aborted) {
        await show(typed);
        if (client.state !== "connected") throw new Error(GONE);
      }
    } catch (error) {
      if (!typed.signal.aborted) throw error;
    }
    return await line;
  }
}

/** Whether the model itself says it, so that a turn runs, and no agent in the background. */
function isOfModel(message: Message): boolean {
  return (message.type === "assistant" || message.type === "stream_event") &&
    message.parent_tool_use_id === null;
}

/** Lines from the keyboard; `undefined` after Ctrl-C twice at an empty prompt. */
async function* typedLines(
  editor: LineEditor,
  on: Screen,
  signal: AbortSignal,
): AsyncGenerator<string | undefined> {
  const prompt = `${on.err.cyan("›")} `;
  for (let last: Typed["kind"] = "line";;) {
    const typed = await editor.line(prompt, signal);
    if (typed.kind === "end") return;
    if (typed.kind === "line") yield typed.text;
    else if (last === "interrupt") return yield undefined;
    else await on.note(on.err.dim("Ctrl-C again, or Ctrl-D, ends the chat"));
    last = typed.kind;
  }
}

/** The commands of the CLI, and those of the chat. */
function helpOf({ commands }: SessionInfo): string {
  return commands
    .map(({ description, name }) =>
      `/${printable(name)}  ${printable(description.split("\n")[0] ?? "")}`
    )
    .concat("/exit  ends the chat").join("\n");
}
