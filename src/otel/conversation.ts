import { attempt } from "../async/deferred.ts";
import { CliStalledError } from "../errors/cli.ts";
import { Costs } from "../observe/cost.ts";
import type { Message } from "../protocol/messages_other.ts";
import type { SystemMessage } from "../protocol/messages_system.ts";
import type { ResultMessage, UserMessage } from "../protocol/messages_turn.ts";
import type {
  ConversationEnd,
  ConversationObserver,
  ConversationStart,
} from "../types/observer.ts";
import { errorOf, isOfBlock, messageOf, timeOf } from "./message_facts.ts";
import { ModelSpans } from "./model_spans.ts";
import { ATTRIBUTE as A, SPAN } from "./names.ts";
import { RequestSpans } from "./request_spans.ts";
import { content, failureOf, type Setting } from "./setting.ts";
import { Span } from "./spans.ts";
import { ToolSpans } from "./tool_spans.ts";
import { PROVIDER, recordUse, tokensOf, totals } from "./usage.ts";

/**
 * Makes the spans and metrics of one conversation.
 *
 * @param parent The span that it belongs to; the active one
 */
export function observeConversation(
  setting: Setting,
  { model, isWarm }: ConversationStart,
  parent?: Span,
): ConversationObserver {
  const { record, agentName } = setting;
  const agent = {
    [A.operation]: "invoke_agent",
    [A.provider]: PROVIDER,
    [A.agent]: agentName,
  };
  const root = new Span(setting.tracer(), {
    name: `${SPAN.conversation} ${agentName}`,
    parent,
    attributes: {
      ...agent,
      ...model !== undefined && { [A.requestModel]: model },
      [A.start]: isWarm ? "warm" : "cold",
    },
  });
  const costs = new Costs();
  let startup = isWarm ? undefined : new Span(setting.tracer(), {
    name: SPAN.startup,
    parent: root,
    attributes: {},
  });
  let turn: Span | undefined;
  /** Whether the CLI has begun that turn. */
  let isUnderWay = false;
  /** The error of the last turn. */
  let failed: string | undefined;
  let sessionId: string | undefined;
  const outer = () => turn ?? root;
  const tools = new ToolSpans(setting, outer);
  const models = new ModelSpans(setting, (agent) => tools.under(agent));
  const requests = new RequestSpans(setting, tools);
  record("conversations", 1);

  return {
    trace: (id) => id === undefined ? root.trace : requests.trace(id),
    ready() {
      startup?.end();
      startup = undefined;
    },
    prompt({ message }) {
      if (turn !== undefined) return turn.event("prompt queued");
      beginTurn();
      const text = content(setting, () => messageOf("user", message.content));
      if (text !== undefined) outer().set({ [A.inputMessages]: text });
    },
    messages(messages) {
      for (const message of messages) {
        if (!isOfBlock(message)) seeSafely(message);
      }
    },
    request: (id, request) => requests.begin(id, request),
    within: (id, work) => requests.within(id, work),
    answer: (id, answer) => requests.end(id, answer),
    error(error) {
      outer().event("error", { [A.error]: error.code });
      countStall(error);
    },
    end,
  };

  function beginTurn(): Span {
    models.ready(null, Date.now());
    return turn ??= new Span(setting.tracer(), {
      name: SPAN.turn,
      parent: root,
      attributes: sessionId === undefined
        ? {}
        : { [A.conversation]: sessionId },
    });
  }

  /** A malformed one hides no other. */
  function seeSafely(message: Message): void {
    attempt(() => see(message));
  }

  function see(message: Message): void {
    switch (message.type) {
      case "stream_event":
        return models.streamed(message);
      case "assistant": {
        // Not what an agent in the background says.
        if (message.parent_tool_use_id === null) isUnderWay = true;
        const atMs = timeOf(message.timestamp);
        models.said(message, atMs);
        for (const block of message.message.content) {
          if (block.type !== "tool_use") continue;
          const { id, name, input } = block;
          const caller = message.parent_tool_use_id;
          tools.begin({ id, name, input, caller, atMs });
        }
        return;
      }
      case "user":
        return seeUser(message as UserMessage);
      case "result":
        return endTurn(message);
      case "system":
        return seeSystem(message);
    }
  }

  function seeUser(message: UserMessage): void {
    const { message: { content: blocks }, parent_tool_use_id } = message;
    const atMs = timeOf(message.timestamp);
    if (typeof blocks !== "string") {
      for (const block of blocks) {
        if (block.type !== "tool_result") continue;
        tools.end(block.tool_use_id, {
          isError: block.is_error === true,
          result: block.content,
          atMs,
        });
      }
    }
    models.ready(parent_tool_use_id ?? null, atMs);
  }

  function seeSystem(message: SystemMessage): void {
    switch (message.subtype) {
      case "init": {
        sessionId = message.session_id;
        const facts = { [A.conversation]: sessionId };
        root.set({ ...facts, [A.requestModel]: message.model });
        beginTurn().set({ ...facts, [A.requestModel]: message.model });
        isUnderWay = true;
        break;
      }
      case "session_state_changed":
        // Its result was lost.
        if (message.state === "idle" && isUnderWay) closeTurn("no_result");
        break;
      case "task_started": {
        const { task_id: id, tool_use_id: call, subagent_type } = message;
        if (call !== undefined) tools.agent(id, call, subagent_type);
        break;
      }
      case "api_retry":
      case "compact_boundary":
        outer().event(message.subtype);
        break;
    }
  }

  function endTurn(result: ResultMessage): void {
    const span = beginTurn();
    const before = costs.now;
    costs.add(result);
    span.set({
      ...tokensOf(result.usage ?? {}),
      [A.turnResult]: result.subtype,
      [A.modelRounds]: result.num_turns,
      [A.cost]: costs.now?.lastTurnUsd,
    });
    if (result.subtype === "success") {
      const text = content(
        setting,
        () => messageOf("assistant", result.result),
      );
      if (text !== undefined) span.set({ [A.outputMessages]: text });
    }
    closeTurn(result.is_error ? errorOf(result) : undefined);
    recordUse(setting, before, costs.now);
  }

  function closeTurn(error: string | undefined): void {
    tools.endAll("turn");
    models.endAll();
    isUnderWay = false;
    if (turn === undefined) return;
    const span = turn;
    turn = undefined;
    failed = error;
    if (error !== undefined) span.fail(error);
    record("duration", span.end(), {
      [A.operation]: "invoke_agent",
      [A.provider]: PROVIDER,
      ...error !== undefined && { [A.error]: error },
    });
  }

  function countStall(error: unknown): void {
    if (error instanceof CliStalledError) record("stalls", 1);
  }

  function end({ reason, error }: ConversationEnd): void {
    countStall(error);
    requests.endAll();
    tools.endAll("all");
    models.endAll();
    const failure = error === undefined ? undefined : failureOf(error);
    for (const span of [startup, turn, root]) {
      if (failure !== undefined) span?.fail(failure.type, failure.message);
      span?.set({ [A.endReason]: reason });
    }
    if (failure === undefined && failed !== undefined) root.fail(failed);
    startup?.end();
    turn?.end();
    const { usage, totalUsd } = costs.now ?? {};
    root.set({ ...usage && totals(usage), [A.cost]: totalUsd });
    root.end();
    record("conversations", -1);
  }
}
