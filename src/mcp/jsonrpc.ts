import { asObject, isObject, show } from "../errors/text.ts";
import type { JsonObject } from "../types/json.ts";
import { JsonRpcError } from "./failure.ts";

/** Revision of the protocol that this package opens with. Source: MCP reference, section 13. */
export const NEWEST_VERSION = "2025-11-25";

export const KNOWN_VERSIONS: readonly string[] = [
  NEWEST_VERSION,
  "2025-06-18",
  "2025-03-26",
  "2024-11-05",
  "2024-10-07",
];

/** Capabilities of a client whose user can be asked. */
export const ELICITATION_CAPABILITY: JsonObject = {
  elicitation: { form: {}, url: {} },
};

export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;

/** A longer message is refused; from a program it ends the connection, since it may be the answer to any request. */
export const LONGEST_MESSAGE_BYTES: number = 64 * 1024 * 1024;

export type RequestId = string | number;

export function internalError(message: string): JsonRpcError {
  return new JsonRpcError(INTERNAL_ERROR, message);
}

/** A message of MCP, as far as it is looked at. */
export interface RpcMessage extends JsonObject {
  readonly method?: string;
  readonly params?: JsonObject;
  readonly id?: RequestId;
}

export function notification(method: string, params?: JsonObject): JsonObject {
  return params === undefined
    ? { jsonrpc: "2.0", method }
    : { jsonrpc: "2.0", method, params };
}

export function methodNotFound(method: string): JsonRpcError {
  return new JsonRpcError(METHOD_NOT_FOUND, `Method not found: ${method}`);
}

/** The JSON object in a message as it came; a text is decoded. Throws what is no JSON-RPC message. */
export function readMessage(message: unknown): RpcMessage {
  const value: unknown = typeof message === "string"
    ? JSON.parse(message)
    : message;
  const { method, params, id } = asObject(value);
  const isMessage =
    (method === undefined ? id !== undefined : typeof method === "string") &&
    (params === undefined || isObject(params)) &&
    (id === undefined || typeof id === "string" || typeof id === "number");
  if (!isMessage) {
    throw new TypeError(`JSON-RPC message is malformed: ${show(value)}`);
  }
  // The members that are looked at were checked above.
  return value as RpcMessage;
}

export function tokenOf(params: JsonObject | undefined): RequestId | undefined {
  const meta = params?._meta;
  const token = asObject(meta).progressToken;
  return typeof token === "string" || typeof token === "number"
    ? token
    : undefined;
}
