import { Deferred } from "../async/deferred.ts";
import { fullClock, systemClock } from "../async/system_clock.ts";
import { printable, printableLines } from "../errors/printable.ts";
import { cut, LOG_IN } from "../errors/text.ts";
import type { Clock } from "../ports/clock.ts";
import { textOf, toolResultsOf, toolUsesOf } from "../parse/read.ts";
import type { ToolResultBlock } from "../protocol/content.ts";
import type { Cost } from "../types/activity.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { Message } from "../protocol/messages_other.ts";
import type {
  AssistantMessage,
  StreamEventMessage,
} from "../protocol/messages_turn.ts";
import type { Screen } from "./command_line.ts";
import {
  aboutSystem,
  mainArgumentOf,
  seconds,
  summary,
  textOfContent,
} from "./summaries.ts";

/** Tells a person what an agent does, as it happens. */
export interface Printer {
  /** Tells one message; what the conversation has cost tells the turn from the session, whose cost a result counts on. */
  print(message: Message, cost?: Cost): Promise<void>;
  /** Writes a line about it, on a line of its own. */
  note(text: string): Promise<void>;
  /** Shows the current activity in a temporary line until the returned function is called; only at a terminal. */
  showActivity(): () => void;
  /**
   * Asks a person about a tool call, without that line in the way; the wait is no time of the tool. From the first call
   * of `hold` until the answer nothing else is printed: output would push the question off the screen.
   */
  quietly<T>(
    ask: (hold: () => void) => Promise<T>,
    toolUseId?: string,
  ): Promise<T>;
}

/** Interval of redrawing the activity line, in milliseconds. */
const REDRAW_MS = 1_000;

/**
 * Writes the answer to stdout, and everything about it to stderr; or each message as a line of JSON.
 *
 * @param on Where
 * @param settings Whether output is JSON; whether to print the answer; the clock for drawing lines; whether another program asks
 */
export function printer(
  on: Screen,
  { json, showsText = true, clock = systemClock, isQuestionOpen }: {
    readonly json?: boolean | undefined;
    readonly showsText?: boolean;
    readonly clock?: Clock;
    readonly isQuestionOpen?: () => Promise<boolean>;
  } = {},
): Printer {
  const { err } = on;
  const timer = fullClock(clock);
  /** Calls that have no result yet: name and beginning. */
  const running = new Map<string, readonly [name: string, since: number]>();
  /** The API message that comes, and the one whose text came in pieces. */
  let coming: string | undefined;
  let streamed: string | undefined;
  let isInLine = false;
  let isDrawn = false;
  /** After a result the CLI only ends, or waits. */
  let isOver = false;
  let asked = 0;
  /** Settled when the question on the screen is answered. */
  let answered: Deferred<void> | undefined;
  /** Text of the CLI for a failed request; a result mostly repeats it. */
  let failure = "";

  async function clear(): Promise<void> {
    if (!isDrawn) return;
    isDrawn = false;
    await on.program.writeError("\r\x1b[2K");
  }

  async function draw(since: number, signal: AbortSignal): Promise<void> {
    const isOpen = await isQuestionOpen?.();
    // The row belongs to the question.
    if (isOpen) isDrawn = false;
    if (isOpen || isInLine || isOver || asked > 0 || signal.aborted) return;
    const now = timer.monotonic();
    const calls = [...running.values()].map(([name, began]) =>
      `${printable(name)} ${seconds(now - began)}`
    );
    const what = calls.length > 0
      ? calls.join(", ")
      : `thinking ${seconds(now - since)}`;
    isDrawn = true;
    const text = cut(`… ${what} · Ctrl-C interrupts`, on.width - 1);
    await on.program.writeError(`\r\x1b[2K${err.dim(text)}`);
  }

  async function say(text: string): Promise<void> {
    if (text === "" || !showsText) return;
    await clear();
    isInLine = !text.endsWith("\n");
    await on.write(printableLines(text));
  }

  /** Waits while a question is on the screen. */
  async function free(): Promise<void> {
    while (answered !== undefined) await answered.promise;
  }

  async function note(text: string): Promise<void> {
    await free();
    await clear();
    if (isInLine) await on.write("\n");
    isInLine = false;
    await on.note(text);
  }

  async function printEvent({ event }: StreamEventMessage): Promise<void> {
    if (event.type === "message_start") coming = event.message.id;
    const isText = event.type === "content_block_start" &&
      event.content_block.type === "text";
    // Two blocks of text are two paragraphs.
    if (isText && isInLine) await say("\n\n");
    if (event.type !== "content_block_delta") return;
    if (event.delta.type !== "text_delta") return;
    streamed = coming;
    await say(event.delta.text);
  }

  async function printAssistant(message: AssistantMessage): Promise<void> {
    const isMain = message.parent_tool_use_id === null;
    if (isMain && message.error !== undefined) {
      failure = textOf(message);
    } else if (isMain && message.message.id !== streamed) {
      if (isInLine) await say("\n\n");
      await say(textOf(message));
    }
    // The CLI asks to type /login, which is possible in a CLI at a terminal alone.
    if (message.error === "authentication_failed") {
      await note(`${err.dim("fix:")} ${LOG_IN}`);
    }
    for (const { id, input, name } of toolUsesOf(message)) {
      running.set(id, [name, timer.monotonic()]);
      const text = mainArgumentOf(input as JsonObject) ?? JSON.stringify(input);
      const gist = printable(cut(text, Math.max(on.width - 20, 20)));
      const depth = isMain ? "" : "  ";
      await note(`${depth}${err.cyan("→")} ${printable(name)} ${gist}`);
    }
  }

  async function printResult(
    { content, is_error: isError, tool_use_id: id }: ToolResultBlock,
    depth: string,
  ): Promise<void> {
    const [name, since] = running.get(id) ?? [];
    if (name === undefined || since === undefined) return;
    running.delete(id);
    const sign = isError ? err.red("✖") : err.green("✔");
    const time = err.dim(seconds(timer.monotonic() - since));
    const said = isError
      ? ` ${printable(cut(textOfContent(content as JsonValue), 200))}`
      : "";
    await note(`${depth}${sign} ${printable(name)} ${time}${said}`);
  }

  return {
    note,
    showActivity() {
      const { stderr, stdout } = on.program.terminals;
      const isShown = stderr && stdout && !json;
      const over = new AbortController();
      const since = timer.monotonic();
      isOver = false;
      void (async () => {
        while (isShown && !over.signal.aborted) {
          await timer.sleep(REDRAW_MS, over.signal);
          await draw(since, over.signal);
        }
      })().catch(() => {});
      return () => {
        over.abort();
        void clear();
      };
    },
    async quietly(ask, toolUseId = "") {
      const began = timer.monotonic();
      let own: Deferred<void> | undefined;
      const hold = () => answered = own ??= new Deferred();
      asked++;
      try {
        await clear();
        return await ask(hold);
      } finally {
        asked--;
        if (own !== undefined && answered === own) answered = undefined;
        own?.resolve();
        const [name, since] = running.get(toolUseId) ?? [];
        if (name !== undefined && since !== undefined) {
          running.set(toolUseId, [name, since + timer.monotonic() - began]);
        }
      }
    },
    async print(message, cost) {
      await free();
      if (json) return await on.json(message);
      if (message.type === "stream_event" || message.type === "assistant") {
        isOver = false;
      }
      switch (message.type) {
        case "stream_event":
          return await printEvent(message);
        case "assistant":
          return await printAssistant(message);
        case "user": {
          const depth = message.parent_tool_use_id === null ? "" : "  ";
          for (const block of toolResultsOf(message)) {
            await printResult(block, depth);
          }
          return;
        }
        case "system":
          for (const text of aboutSystem(message)) await note(err.yellow(text));
          return;
        case "result":
          isOver = true;
          if (!message.is_error || !textOf(message).includes(failure)) {
            await say(failure);
          }
          failure = "";
          return await note(summary(message, on, cost));
      }
    },
  };
}
