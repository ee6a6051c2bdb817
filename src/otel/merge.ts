import { attempt } from "../async/deferred.ts";
import type { HubMetrics } from "../types/mcp_hub.ts";
import type {
  Metrics,
  ParserMetrics,
  ProtocolMetrics,
  TransportMetrics,
} from "../types/observe.ts";
import type { PoolMetrics } from "../types/pool_stats.ts";
import type {
  ConversationMetrics,
  ConversationObserver,
  TraceContext,
} from "../types/observer.ts";

/** The members of the groups that only notify. */
const MEMBERS: {
  readonly transport: Readonly<Record<keyof TransportMetrics, true>>;
  readonly protocol: Readonly<Record<keyof ProtocolMetrics, true>>;
  readonly parser: Readonly<Record<keyof ParserMetrics, true>>;
  readonly pool: Readonly<Record<keyof PoolMetrics, true>>;
} = {
  transport: {
    cliDiscovery: true,
    processStart: true,
    messageSent: true,
    messageReceived: true,
    error: true,
    processExit: true,
  },
  protocol: {
    request: true,
    success: true,
    error: true,
    timeout: true,
    malformedMessage: true,
    unknownResponse: true,
    pendingRequests: true,
    orphanedRequests: true,
    handlerFailure: true,
  },
  parser: {
    parse: true,
    unknownMessageType: true,
    unknownBlockType: true,
    parseError: true,
  },
  pool: { query: true, change: true },
};

/** Metrics of which both get all calls; where both give a trace, ours counts. */
export function bothMetrics(
  ours: Metrics,
  theirs: Metrics | undefined,
): Metrics {
  if (theirs === undefined) return ours;
  const groups = Object.entries(MEMBERS).map(([name, members]) => {
    const key = name as keyof typeof MEMBERS;
    return [key, both(ours[key], theirs[key], Object.keys(members))];
  });
  return {
    ...theirs,
    ...Object.fromEntries(groups),
    conversation: bothConversations(ours.conversation, theirs.conversation),
  };
}

/** A group whose members call those of both groups. */
export function both(
  ours: object | undefined,
  theirs: object | undefined,
  members: readonly string[],
): object | undefined {
  if (ours === undefined || theirs === undefined) return ours ?? theirs;
  const joined = members.flatMap((name) => {
    const calls = [ours, theirs].filter((group) =>
      typeof Reflect.get(group, name) === "function"
    );
    const callAll = (...args: readonly unknown[]) => {
      for (const group of calls) call(group, name, args);
    };
    return calls.length === 0 ? [] : [[name, callAll]];
  });
  return Object.fromEntries(joined);
}

function bothConversations(
  ours: ConversationMetrics | undefined,
  theirs: ConversationMetrics | undefined,
): ConversationMetrics | undefined {
  if (ours === undefined || theirs === undefined) return ours ?? theirs;
  return {
    begin(start) {
      const first = ours.begin?.(start);
      const second = call(theirs, "begin", [start]) as typeof first;
      return first && second ? bothObservers(first, second) : first ?? second;
    },
  };
}

function bothObservers(
  ours: ConversationObserver,
  theirs: ConversationObserver,
): ConversationObserver {
  const members = ["ready", "prompt", "messages", "request", "answer", "error"];
  return {
    ...both(ours, theirs, [...members, "end"]),
    trace: (id) =>
      ours.trace?.(id) ??
        call(theirs, "trace", [id]) as TraceContext | undefined,
    within(id, work) {
      const inner = theirs.within === undefined
        ? work
        : () => void call(theirs, "within", [id, work]);
      if (ours.within === undefined) inner();
      else ours.within(id, inner);
    },
  };
}

/** Calls a member; one that throws keeps the other from nothing. */
function call(
  group: object,
  name: string,
  args: readonly unknown[],
): unknown {
  return attempt(() => Reflect.get(group, name)?.apply(group, args));
}

/** Metrics of a hub of which both get all calls. */
export function bothHubs(
  ours: HubMetrics,
  theirs: HubMetrics | undefined,
): HubMetrics {
  if (theirs === undefined) return ours;
  return {
    request(request) {
      const first = ours.request?.(request);
      const second = call(theirs, "request", [request]) as typeof first;
      return first && second
        ? {
          ...both(first, second, ["retry", "end"]),
          trace: () =>
            first.trace?.() ??
              call(second, "trace", []) as TraceContext | undefined,
        }
        : first ?? second;
    },
  };
}
