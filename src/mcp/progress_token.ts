import type { JsonObject } from "../types/json.ts";
import { isRecord, type RequestId } from "./jsonrpc.ts";

/** The token under which a caller wants to hear of progress. */
export function tokenOf(params: JsonObject | undefined): RequestId | undefined {
  const meta = params?._meta;
  const token = isRecord(meta) ? meta.progressToken : undefined;
  return typeof token === "string" || typeof token === "number"
    ? token
    : undefined;
}

/** The parameters under another token. */
export function withToken(
  params: JsonObject | undefined,
  progressToken: RequestId,
): JsonObject {
  const meta = params?._meta;
  return {
    ...params,
    _meta: { ...(isRecord(meta) ? meta : {}), progressToken },
  };
}

/** The parameters without a token: it is the caller's, and means nothing to anybody else. */
export function withoutToken(
  params: JsonObject | undefined,
): JsonObject | undefined {
  if (params === undefined || !isRecord(params._meta)) return params;
  const { progressToken: _, ...meta } = params._meta;
  return { ...params, _meta: meta };
}
