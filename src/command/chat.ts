import { Client } from "../client.ts";
import { printable } from "../errors/text.ts";
import { nearest } from "../errors/nearest.ts";
import {
  type LineEditor,
  lineEditor,
  type Typed,
} from "../runtime/line_editor.ts";
import { terminal } from "../runtime/terminal.ts";
import type { SessionInfo } from "../protocol/session.ts";
import { agentOptions, warnOf } from "./agent.ts";
import { printer } from "./printer.ts";
import type { Program } from "../runtime/program.ts";
import { LineFramer } from "../stream/line_framer.ts";
import {
  type ChatFlags,
  DONE,
  INTERRUPTED,
  type Screen,
  untilEnded,
} from "./command_line.ts";

/** Commands that end the chat; the CLI has others. */
const LEAVE: ReadonlySet<string> = new Set(["/exit", "/quit"]);

/** Talks with an agent turn by turn: at the terminal with a line that can be edited, else a prompt for each line of stdin. */
export async function chat(flags: ChatFlags, on: Screen): Promise<number> {
  const printed = printer(on, flags);
  const editor = on.program.terminals.stdin ? lineEditor() : undefined;
  let client: Client | undefined;
  let interrupted: "not" | "asked" | undefined;
  return await untilEnded(on.program, async (signal) => {
    try {
      return await talk(signal);
    } catch (error) {
      if (error instanceof Left) return INTERRUPTED;
      throw error;
    } finally {
      await client?.close();
      editor?.close();
    }
  }, () => {
    // Between two turns, and for the second time in one, it ends everything.
    if (client === undefined || interrupted !== "not") return false;
    interrupted = "asked";
    client.interrupt().catch(() => {});
    void printed.note(on.err.dim("interrupting; Ctrl-C again ends everything"));
    return true;
  });

  async function talk(signal: AbortSignal): Promise<number> {
    const at = editor && { ...terminal(), ask: editor.ask };
    const options = await agentOptions(flags, on, { ...printed, at, signal });
    client = new Client({ ...options, includePartialMessages: !flags.json });
    const info = await client.connect();
    const warned = warnOf(client.receiveMessages(), printed.note, on);
    if (on.program.terminals.stdin) {
      const version = info.claude_code_version ?? "the CLI";
      const text =
        `${version} · /help lists ${info.commands.length} commands · Ctrl-C interrupts · Ctrl-D ends`;
      await printed.note(on.err.dim(text));
    }
    for await (const words of promptsOf(editor, on, signal)) {
      if (LEAVE.has(words)) break;
      const answer = ownAnswer(words, info);
      if (answer !== undefined) {
        await printed.note(answer);
        continue;
      }
      interrupted = "not";
      const hideActivity = printed.showActivity();
      try {
        await client.sendMessage(words);
        for await (const message of client.receiveResponse()) {
          await printed.print(message, client.cost());
        }
      } finally {
        hideActivity();
      }
      interrupted = undefined;
    }
    await client.close();
    await warned;
    return DONE;
  }
}

/** Ctrl-C twice at an empty prompt. */
class Left extends Error {}

/** Lines from the keyboard or a pipe, without empty ones. */
async function* promptsOf(
  editor: LineEditor | undefined,
  on: Screen,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const lines = editor === undefined
    ? inputLines(on.program, signal)
    : typedLines(editor, on, signal);
  for await (const line of lines) {
    const words = line.trim();
    if (words !== "") yield words;
  }
}

/** The lines of stdin, as they come. */
async function* inputLines(
  program: Program,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const framer = new LineFramer({ maxLineBytes: Infinity });
  const lines: string[] = [];
  let isOver = false;
  let wake = () => {};
  program.readInput((bytes) => {
    lines.push(...framer.push(bytes));
    wake();
  }, () => {
    lines.push(...framer.end());
    isOver = true;
    wake();
  });
  const stop = () => wake();
  signal.addEventListener("abort", stop);
  try {
    for (;;) {
      signal.throwIfAborted();
      const line = lines.shift();
      if (line !== undefined) yield line;
      else if (isOver) return;
      else await new Promise<void>((resolve) => wake = resolve);
    }
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

async function* typedLines(
  editor: LineEditor,
  on: Screen,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const prompt = `${on.err.cyan("›")} `;
  for (let last: Typed["kind"] = "line";;) {
    const typed = await editor.line(prompt, signal);
    if (typed.kind === "end") return;
    if (typed.kind === "line") yield typed.text;
    else if (last === "interrupt") throw new Left();
    else await on.note(on.err.dim("Ctrl-C again, or Ctrl-D, ends the chat"));
    last = typed.kind;
  }
}

/** The chat's own answer to a command; `undefined` for input to the CLI. */
function ownAnswer(
  words: string,
  { commands }: SessionInfo,
): string | undefined {
  if (words === "/help") {
    return commands
      .map(({ description, name }) =>
        `/${printable(name)}  ${printable(description.split("\n")[0] ?? "")}`
      )
      .concat("/exit  ends the chat").join("\n");
  }
  const name = /^\/([\w:-]+)$/.exec(words)?.[1];
  if (name === undefined) return undefined;
  const names = commands.map((one) => one.name);
  if (names.length === 0 || names.includes(name)) return undefined;
  const meant = nearest(name, [...names, "exit", "help"]);
  // A newer CLI may know more than it lists.
  return meant === undefined
    ? undefined
    : `There is no command /${name}; did you mean /${printable(meant)}?`;
}
