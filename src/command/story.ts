import { changeFrom } from "../callbacks/change_view.ts";
import { redactKnownPatterns } from "../errors/secrets.ts";
import { asObject, cut } from "../errors/text.ts";
import { Costs } from "../observe/cost.ts";
import type { ResultMessage } from "../protocol/messages_turn.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import type {
  Step,
  StepKind,
  StoryData,
  StoryHead,
  Turn,
} from "./story_data.ts";
import { mainArgumentOf, textOfContent } from "./summaries.ts";

/** A longer text is cut, with a note of what is missing. */
const LONGEST_TEXT = 20_000;
/** After so much text the rest is cut shorter: a page is one string, and a browser has to hold it. */
const MOST_TEXT = 64_000_000;
const SHORT_TEXT = 500;
const LONGEST_TITLE = 160;

type Fact = "model" | "version" | "sessionId" | "cwd";

interface StepFacts {
  readonly text?: JsonValue | undefined;
  readonly change?: string | undefined;
  readonly isError?: boolean | undefined;
  /** The call of the subagent that did it. */
  readonly parent?: string | null | undefined;
  /** The call it is about, beside which it stands. */
  readonly about?: JsonValue | undefined;
  /** The name by which {@link Story.close} finds it. */
  readonly id?: string | undefined;
}

/** Puts a story together as its lines come. */
export class Story implements StoryData {
  readonly head: StoryHead;
  readonly turns: Turn[] = [];
  readonly steps: Step[] = [];
  readonly context: (readonly [step: number, tokens: number])[] = [];
  /** Time of the current line, in milliseconds since the start; `undefined` if the recording has no times. */
  t: number | undefined;
  /** Steps without an outcome, by the id of a call or request. */
  readonly #open = new Map<string, Step>();
  /** The calls of tools, by their ids. */
  readonly #calls = new Map<JsonValue, Step>();
  /** Steps about calls that come later: questions overtake messages. */
  readonly #early = new Map<JsonValue, Step[]>();
  /** Number of changes so far. */
  changes = 0;
  /** The number of each step's last change, in that order. */
  readonly #changed = new Map<Step, number>();
  readonly #costs = new Costs();
  #turn: Turn | undefined;
  /** The message whose tokens were counted last; each of its blocks repeats them. */
  #counted: string | undefined;
  #textLength = 0;

  constructor(name: string) {
    this.head = { name, form: undefined, warnings: [] };
  }

  /** The data for a page. */
  get data(): StoryData {
    const { context, head, steps, turns } = this;
    return { head, turns, steps, context };
  }

  /** The same with the steps alone that came or changed after that number of changes. */
  dataSince(changes: number): StoryData {
    const steps = [...this.#changed].filter(([, at]) => at > changes)
      .map(([step]) => step);
    return { ...this.data, steps };
  }

  /** Facts about the whole; what was learned first stands. */
  learn(facts: { readonly [Key in Fact]?: JsonValue | undefined }): void {
    for (const [key, value] of Object.entries(facts)) {
      if (typeof value === "string") this.head[key as Fact] ??= value;
    }
  }

  add(
    kind: StepKind,
    title: string,
    { about, change, id, isError, parent, text }: StepFacts = {},
  ): void {
    const call = this.#calls.get(about ?? "");
    const above = call === undefined
      ? this.#calls.get(parent ?? "")?.id
      : call.parent;
    const step: Step = {
      id: this.steps.length,
      kind,
      turn: this.steps[above ?? -1]?.turn ?? this.#turn?.number ??
        this.turns.length,
      title: oneLine(title),
      t: this.t,
      parent: above,
      isError: isError || undefined,
      text: text === undefined ? undefined : this.#shown(text),
      change: change === undefined ? undefined : this.#shown(change),
    };
    this.steps.push(step);
    this.#touch(step);
    if (id !== undefined) this.#open.set(id, step);
    if (id !== undefined && kind === "tool") {
      this.#calls.set(id, step);
      for (const early of this.#early.get(id) ?? []) {
        early.parent = step.parent;
        this.#touch(early);
      }
      this.#early.delete(id);
    }
    if (about !== undefined && call === undefined) {
      this.#early.set(about, [...this.#early.get(about) ?? [], step]);
    }
  }

  #touch(step: Step): void {
    this.#changed.delete(step);
    this.#changed.set(step, ++this.changes);
    const { head, t } = this;
    if (t !== undefined) head.ms = Math.max(head.ms ?? 0, t);
  }

  /** Sets the outcome of a step, if there is one. */
  close(
    id: string,
    answer: JsonValue | undefined,
    { isError, outcome }: { outcome?: string; isError?: boolean } = {},
  ): void {
    const step = this.#open.get(id);
    if (step === undefined) return;
    this.#open.delete(id);
    const { t } = this;
    if (t !== undefined && step.t !== undefined) step.ms = t - step.t;
    if (answer !== undefined) step.answer = this.#shown(answer);
    if (outcome !== undefined) {
      step.title = oneLine(`${step.title}: ${outcome}`);
    }
    if (isError === true) step.isError = true;
    this.#touch(step);
  }

  /** A prompt; it begins a turn, unless one runs. */
  prompt(content: JsonValue | undefined): void {
    const text = textOfContent(content);
    this.act(text);
    this.add("prompt", text, { text });
  }

  /** Ends a turn that has no result. */
  next(): void {
    this.#turn = undefined;
  }

  /** The turn that runs, or one that begins now: one without a prompt runs from the first act of the agent. */
  act(prompt = "(without a prompt)"): Turn {
    if (this.#turn !== undefined) return this.#turn;
    const number = this.turns.length + 1;
    const turn: Turn = { number, prompt: oneLine(prompt), t: this.t };
    this.turns.push(turn);
    return this.#turn = turn;
  }

  /** A result; it ends the turn. */
  result(message: JsonObject): void {
    const turn = this.act();
    const usage = asObject(message["usage"]);
    const isError = message["is_error"] === true;
    const { duration_ms: ms, total_cost_usd: total } = message;
    if (typeof ms === "number") turn.ms = ms;
    if (typeof total === "number") {
      // Its cost includes all before it in the session.
      this.#costs.add(message as unknown as ResultMessage);
      turn.usd = this.#costs.now?.lastTurnUsd ?? total;
      this.head.usd = total;
    }
    turn.read = readTokens(usage);
    turn.written = numberIn(usage["output_tokens"]);
    if (isError) turn.isError = true;
    const text = message["result"] ?? message["errors"] ?? "";
    const title = isError ? `Failed: ${textOfContent(text)}` : "The turn ended";
    this.add("result", title, { text, isError });
    this.#turn = undefined;
  }

  /** Blocks of a message of the model, or to it. */
  blocks(
    content: JsonValue | undefined,
    parent: string | null | undefined,
    speech: "text" | "prompt" = "text",
  ): void {
    for (const one of Array.isArray(content) ? content : []) {
      const block = asObject(one);
      switch (block["type"]) {
        case "text": {
          const text = String(block["text"] ?? "");
          this.add(speech, text, { text, parent });
          break;
        }
        case "thinking": {
          const text = String(block["thinking"] ?? "");
          this.add("thinking", text || "(not shown)", { text, parent });
          break;
        }
        case "tool_use":
        case "server_tool_use":
        case "mcp_tool_use": {
          const { id, input = {}, name = "tool" } = block;
          const argument = mainArgumentOf(asObject(input));
          const title = argument === undefined ? name : `${name}: ${argument}`;
          const shown = changeIn(`${name}`, asObject(input));
          this.add("tool", `${title}`, { parent, id: `${id}`, ...shown });
          break;
        }
        case "tool_result":
        case "mcp_tool_result": {
          const { content, is_error, tool_use_id: id } = block;
          const isError = is_error === true;
          this.close(`${id}`, textOfContent(content), { isError });
        }
      }
    }
  }

  /** Context size after an answer of the main conversation. */
  used({ id, usage }: JsonObject): void {
    const tokens = readTokens(asObject(usage));
    const last = this.steps.at(-1);
    if (`${id}` === this.#counted || tokens === 0 || !last) return;
    this.#counted = `${id}`;
    this.context.push([last.id, tokens]);
    const turn = this.#turn;
    if (turn === undefined || this.head.form !== "session") return;
    // Such a file has no results with these numbers.
    const written = numberIn(asObject(usage)["output_tokens"]);
    turn.read = (turn.read ?? 0) + tokens;
    turn.written = (turn.written ?? 0) + written;
    if (last.t !== undefined && turn.t !== undefined) turn.ms = last.t - turn.t;
  }

  #shown(value: JsonValue): string {
    const text = typeof value === "string"
      ? redactKnownPatterns(value)
      : JSON.stringify(value, redactText, 2);
    const longest = this.#textLength < MOST_TEXT ? LONGEST_TEXT : SHORT_TEXT;
    this.#textLength += Math.min(text.length, longest);
    const more = text.length - longest;
    return more > 0 ? `${cut(text, longest)}\n(${more} more characters)` : text;
  }
}

/** The input of a call, and the change that it makes to a file, which stands apart. */
function changeIn(
  tool: string,
  input: JsonObject,
): { readonly text: JsonValue; readonly change?: string } {
  const change = changeFrom(tool, input, { why: "not there" });
  if (change?.isComparison !== true) return { text: input };
  const rest = Object.entries(input)
    .filter(([name]) => !change.uses.includes(name));
  return {
    text: Object.fromEntries(rest),
    change: change.parts.flatMap(({ lines }) => lines).join("\n"),
  };
}

function redactText(_name: string, value: unknown): unknown {
  return typeof value === "string" ? redactKnownPatterns(value) : value;
}

function readTokens(usage: JsonObject): number {
  return numberIn(usage["input_tokens"]) +
    numberIn(usage["cache_read_input_tokens"]) +
    numberIn(usage["cache_creation_input_tokens"]);
}

function numberIn(value: JsonValue | undefined): number {
  return typeof value === "number" ? value : 0;
}

function oneLine(text: string): string {
  // Only the first line is shown.
  const line = redactKnownPatterns(text.slice(0, 2 * LONGEST_TITLE))
    .replace(/\s+/g, " ").trim();
  return cut(line, LONGEST_TITLE);
}
