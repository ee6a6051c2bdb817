import { redactKnownPatterns } from "../errors/secrets.ts";
import { cut, isObject } from "../errors/text.ts";
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
import {
  callTitle,
  numberIn,
  objectIn,
  oneLine,
  readTokens,
  redactText,
  textOfContent,
} from "./story_text.ts";

/** A longer text is cut, and says so. */
const LONGEST_TEXT = 20_000;
/** When so much text is there, what comes is cut shorter: a page is one string, and a browser has to hold it. */
const MOST_TEXT = 64_000_000;
const SHORT_TEXT = 500;

/** Puts a story together as its lines come; forms of recordings tell it what they hold. */
export class Story implements StoryData {
  readonly head: StoryHead;
  readonly turns: Turn[] = [];
  readonly steps: Step[] = [];
  readonly context: (readonly [step: number, tokens: number])[] = [];
  /** Steps that wait for what comes of them, by the id of a call or request. */
  readonly #open = new Map<string, Step>();
  /** Calls that subagents belong to. */
  readonly #calls = new Map<string, number>();
  /** Steps about calls that the CLI told later: questions overtake messages. */
  readonly #early = new Map<string, Step[]>();
  readonly #changed = new Set<Step>();
  /** Time of the current step, in milliseconds since the start; `undefined` if the recording has no times. */
  t: number | undefined;
  #turn: Turn | undefined;
  readonly #costs = new Costs();
  #counted: string | undefined;
  #textLength = 0;

  constructor(name: string) {
    this.head = { name, form: undefined, warnings: [] };
  }

  /** Steps that came or changed since this was asked last. */
  takeChanged(): readonly Step[] {
    const changed = [...this.#changed];
    this.#changed.clear();
    return changed;
  }

  add(
    kind: StepKind,
    title: string,
    facts: {
      readonly text?: JsonValue | undefined;
      readonly isError?: boolean | undefined;
      /** The call of the subagent that did it. */
      readonly parent?: string | null | undefined;
      /** The call it is about: it stands beside that. */
      readonly about?: string | undefined;
      /** By what {@link close} finds it. */
      readonly id?: string | undefined;
    } = {},
  ): void {
    const { id, isError, text } = facts;
    const { t } = this;
    const about = this.#calls.get(facts.about ?? "");
    const parent = about === undefined
      ? this.#calls.get(facts.parent ?? "")
      : this.steps[about]?.parent;
    const step: Step = {
      id: this.steps.length,
      kind,
      turn: this.steps[parent ?? -1]?.turn ?? this.#turn?.number ??
        this.turns.length,
      title: oneLine(title),
      ...t !== undefined && { t },
      ...parent !== undefined && { parent },
      ...isError === true && { isError },
      ...text !== undefined && { text: this.#shown(text) },
    };
    this.steps.push(step);
    this.#touch(step);
    if (id !== undefined) {
      this.#open.set(id, step);
      if (kind === "tool") this.#called(id, step);
    }
    if (facts.about !== undefined && about === undefined) {
      const early = this.#early.get(facts.about) ?? [];
      this.#early.set(facts.about, [...early, step]);
    }
  }

  /** A step came or changed now. */
  #touch(step: Step): void {
    this.#changed.add(step);
    const { head, t } = this;
    if (t !== undefined) head.ms = Math.max(head.ms ?? 0, t);
  }

  /** Steps that came before their call are moved below it. */
  #called(id: string, { id: number, parent }: Step): void {
    this.#calls.set(id, number);
    for (const early of this.#early.get(id) ?? []) {
      if (parent === undefined) continue;
      early.parent = parent;
      this.#changed.add(early);
    }
    this.#early.delete(id);
  }

  /** Sets the outcome of a step, if there is one. */
  close(
    id: string,
    answer: JsonValue | undefined,
    change: { readonly title?: string; readonly isError?: boolean } = {},
  ): void {
    const step = this.#open.get(id);
    if (step === undefined) return;
    this.#open.delete(id);
    const { t } = this;
    if (t !== undefined && step.t !== undefined) step.ms = t - step.t;
    if (answer !== undefined) step.answer = this.#shown(answer);
    if (change.title !== undefined) step.title = oneLine(change.title);
    if (change.isError === true) step.isError = true;
    this.#touch(step);
  }

  /** The title of a step that is open. */
  titleOf(id: string): string | undefined {
    return this.#open.get(id)?.title;
  }

  /** A prompt; it begins a turn, unless one runs. */
  prompt(text: JsonValue | undefined): void {
    const words = textOfContent(text);
    this.act(words);
    this.add("prompt", words, { text: words });
  }

  /** Ends a turn that has no result. */
  next(): void {
    this.#turn = undefined;
  }

  /** A result; it ends the turn. */
  result(message: JsonObject): void {
    const turn = this.act();
    const usage = objectIn(message["usage"]);
    const isError = message["is_error"] === true;
    const ms = message["duration_ms"];
    const total = message["total_cost_usd"];
    if (typeof ms === "number") turn.ms = ms;
    if (typeof total === "number") {
      // A result counts on from what the session had cost before.
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

  /** Blocks of an answer of the model, or of what it was told. */
  blocks(
    content: JsonValue | undefined,
    parent: string | null | undefined,
    speech: "text" | "prompt" = "text",
  ): void {
    for (const block of Array.isArray(content) ? content : []) {
      if (!isObject(block)) continue;
      const fields = block as JsonObject;
      switch (fields["type"]) {
        case "text": {
          const text = String(fields["text"] ?? "");
          this.add(speech, text, { text, parent });
          break;
        }
        case "thinking": {
          const text = String(fields["thinking"] ?? "");
          this.add("thinking", text || "(not shown)", { text, parent });
          break;
        }
        case "tool_use":
        case "server_tool_use":
        case "mcp_tool_use":
          this.add("tool", callTitle(fields), {
            parent,
            text: fields["input"] ?? {},
            id: String(fields["id"]),
          });
          break;
        case "tool_result":
        case "mcp_tool_result":
          this.close(
            String(fields["tool_use_id"]),
            textOfContent(fields["content"]),
            { isError: fields["is_error"] === true },
          );
      }
    }
  }

  /** Context size after an answer of the main conversation; its blocks repeat the same numbers. */
  used(message: JsonObject): void {
    const id = String(message["id"]);
    const usage = objectIn(message["usage"]);
    const tokens = readTokens(usage);
    const last = this.steps.at(-1);
    if (id === this.#counted || tokens === 0 || last === undefined) return;
    this.#counted = id;
    this.context.push([last.id, tokens]);
    const turn = this.#turn;
    if (turn === undefined || this.head.form !== "session") return;
    // Such a file has no results that tell it.
    turn.read = (turn.read ?? 0) + tokens;
    turn.written = (turn.written ?? 0) + numberIn(usage["output_tokens"]);
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

  /** The turn that runs, or one that begins now: one without a prompt runs from what the agent does first. */
  act(prompt = "(without a prompt)"): Turn {
    if (this.#turn !== undefined) return this.#turn;
    const { t } = this;
    const turn: Turn = {
      number: this.turns.length + 1,
      prompt: oneLine(prompt),
      ...t !== undefined && { t },
    };
    this.turns.push(turn);
    return this.#turn = turn;
  }
}
