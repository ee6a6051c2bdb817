import { ATTRIBUTE as A, SPAN } from "./names.ts";
import { content, remember, type Setting } from "./setting.ts";
import { Span } from "./spans.ts";

/** A tool call of the model. */
interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input?: unknown;
  /** The tool call of the subagent that calls. */
  readonly caller?: string | null | undefined;
  /** Milliseconds since 1970; now. */
  readonly atMs?: number | undefined;
}

interface OpenTool {
  readonly span: Span;
  readonly name: string;
  readonly isOfTurn: boolean;
}

/** Tools that run subagents, whose spans stay parents after their end: the agent may run in the background. */
const RUNS_AGENT: ReadonlySet<string> = new Set(["Task", "Agent"]);

/** Number of ended calls that are kept. */
const MOST_ENDED = 32;

/** Spans of tool calls, from the model's call to the result. */
export class ToolSpans {
  readonly #setting: Setting;
  readonly #outer: () => Span;
  readonly #open = new Map<string, OpenTool>();
  /** The last that have ended: a hook about one may come behind its result. */
  readonly #ended = new Map<string, Span>();
  /** By the tool call that began them. */
  readonly #agents = new Map<string, Span>();
  /** Those calls by the ids of the subagents. */
  readonly #callsOfAgents = new Map<string, string>();

  /** @param outer The span of the turn, or else of the conversation */
  constructor(setting: Setting, outer: () => Span) {
    this.#setting = setting;
    this.#outer = outer;
  }

  /** Begins a call; a request of the CLI may come before the message that has it. */
  begin({ id, name, input, caller, atMs }: ToolCall): Span {
    const before = this.find(id);
    if (before !== undefined) {
      this.#capture(before, input);
      return before;
    }
    const span = new Span(this.#setting.tracer(), {
      name: `${SPAN.tool} ${name}`,
      parent: this.under(caller),
      atMs,
      attributes: {
        [A.operation]: "execute_tool",
        [A.tool]: name,
        [A.toolCall]: id,
        [A.toolType]: name.startsWith("mcp__") ? "extension" : "function",
      },
    });
    this.#capture(span, input);
    const isOfTurn = typeof caller !== "string";
    this.#open.set(id, { span, name, isOfTurn });
    if (RUNS_AGENT.has(name)) remember(this.#agents, id, span);
    return span;
  }

  /** The span of a call that is open, has just ended, or began a subagent. */
  find(id: string): Span | undefined {
    return this.#open.get(id)?.span ?? this.#ended.get(id) ??
      this.#agents.get(id);
  }

  /** The span of what a subagent does, by the call that began it; that of the turn for the main agent. */
  under(caller: string | null | undefined): Span {
    const span = typeof caller === "string" ? this.find(caller) : undefined;
    return span ?? this.#outer();
  }

  /** A subagent begins. */
  agent(id: string, call: string, kind: string | undefined): void {
    remember(this.#callsOfAgents, id, call);
    if (kind !== undefined) this.under(call).set({ [A.subagent]: kind });
  }

  /** The call that began a subagent; a request of one may come before the message that names the call. */
  callOf(agent: unknown): string | undefined {
    if (typeof agent !== "string") return undefined;
    return this.#callsOfAgents.get(agent) ?? this.#onlyCallWithoutAgent();
  }

  #onlyCallWithoutAgent(): string | undefined {
    const named = new Set(this.#callsOfAgents.values());
    const [call, ...others] = [...this.#open.entries()]
      .filter(([id, { name }]) => RUNS_AGENT.has(name) && !named.has(id));
    return others.length === 0 ? call?.[0] : undefined;
  }

  end(
    id: string,
    { isError, result, atMs }: {
      readonly isError: boolean;
      readonly result: unknown;
      readonly atMs: number;
    },
  ): void {
    const tool = this.#open.get(id);
    if (tool === undefined) return;
    const text = content(this.#setting, () => result);
    if (text !== undefined) tool.span.set({ [A.toolResult]: text });
    this.#close(id, tool, isError ? "tool_error" : undefined, atMs);
  }

  /** Ends calls without a result: those of the turn, or all. */
  endAll(which: "turn" | "all"): void {
    for (const [id, tool] of this.#open) {
      if (which === "all" || tool.isOfTurn) this.#close(id, tool, "no_result");
    }
  }

  #close(
    id: string,
    { span, name }: OpenTool,
    error: string | undefined,
    atMs?: number,
  ): void {
    this.#open.delete(id);
    remember(this.#ended, id, span, MOST_ENDED);
    if (error !== undefined) span.fail(error);
    const facts = { [A.tool]: name, ...error && { [A.error]: error } };
    const operation = { [A.operation]: "execute_tool", ...facts };
    this.#setting.record("duration", span.end(atMs), operation);
    this.#setting.record("tools", 1, facts);
  }

  #capture(span: Span, input: unknown): void {
    if (input === undefined) return;
    const text = content(this.#setting, () => input);
    if (text !== undefined) span.set({ [A.toolArguments]: text });
  }
}
