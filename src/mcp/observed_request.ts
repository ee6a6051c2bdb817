import { isObject } from "../errors/text.ts";
import { safe } from "../observe/metrics.ts";
import { checkedTrace } from "../observe/observer.ts";
import { activeTrace } from "../observe/trace_context.ts";
import type { JsonInput } from "../types/json.ts";
import type {
  HubMetrics,
  HubRequest,
  HubRequestObserver,
} from "../types/mcp_hub.ts";
import type { TraceContext } from "../types/observer.ts";

/** A request of a hub while it is observed, by the user's metrics or not. */
export interface ObservedRequest {
  /** The `_meta` of its parameters: the caller's, and the span that the server continues; nothing where both are absent. */
  meta(own?: JsonInput): { readonly _meta?: JsonInput };
  /** An attempt failed, and another one begins. */
  retry(error: unknown): void;
}

const UNOBSERVED: ObservedRequest = {
  meta: (own) => metaOf(own, undefined),
  retry() {},
};

/** Does a request, and notifies its observer, if there is one. */
export function observed<T>(
  metrics: HubMetrics | undefined,
  request: HubRequest,
  work: (request: ObservedRequest) => Promise<T>,
): Promise<T> {
  const given = metrics && safe(metrics, "request")(request);
  return isObject<unknown>(given) ? observedBy(given, work) : work(UNOBSERVED);
}

async function observedBy<T>(
  observer: HubRequestObserver,
  work: (request: ObservedRequest) => Promise<T>,
): Promise<T> {
  const trace = checkedTrace(safe(observer, "trace")());
  const retry = safe(observer, "retry");
  const end = safe(observer, "end");
  let attempts = 1;
  try {
    const result = await work({
      meta: (own) => metaOf(own, trace),
      retry(error) {
        attempts++;
        retry(error);
      },
    });
    const isError = isObject<unknown>(result) && result.isError === true;
    end({ attempts, isError });
    return result;
  } catch (error) {
    end({ attempts, error, isError: false });
    throw error;
  }
}

function metaOf(
  own: JsonInput | undefined,
  observed: TraceContext | undefined,
): { readonly _meta?: JsonInput } {
  const trace = observed ??
    (own !== undefined && "traceparent" in own ? undefined : activeTrace());
  if (own === undefined && trace === undefined) return {};
  return { _meta: { ...own, ...trace } };
}
