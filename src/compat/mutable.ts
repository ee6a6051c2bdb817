import type {
  ApiMessage,
  StreamEvent,
  UserMessageFields,
} from "../protocol/messages_turn.ts";
import type { ResultUsage, Usage } from "../protocol/usage.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import type {
  BetaMessage,
  BetaRawMessageStreamEvent,
  BetaUsage,
  MessageParam,
} from "./generated/api.ts";

/** A UUID as text. */
export type UUID = `${string}-${string}-${string}-${string}-${string}`;

/** The same as the official declarations have it: no `readonly`, JSON is unknown, and what is unknown is not wrapped. */
export type Mutable<T> = [JsonValue] extends [T] ? unknown
  : IsSame<T, StreamEvent> extends true ? BetaRawMessageStreamEvent
  : EachMutable<T>;

/** {@link Mutable} of each member of a union. */
export type EachMutable<T> = T extends Unmapped ? T
  : T extends { readonly type: "unknown"; readonly originalType: string }
    ? never
  : T extends readonly (infer E)[] ? Mutable<E>[]
  : IsSame<T, JsonObject> extends true ? { [key: string]: unknown }
  : IsSame<T, ApiMessage> extends true ? BetaMessage
  : IsSame<T, UserMessageFields["message"]> extends true ? MessageParam
  : IsSame<T, Usage> extends true ? BetaUsage
  : IsSame<T, ResultUsage> extends true ? CompleteUsage
  : {
    -readonly [K in keyof T]: K extends IdField ? MutableId<T[K]>
      : K extends "tool_input" ? HookToolInput<T, T[K]>
      : Mutable<T[K]>;
  };

/** {@link BetaUsage} with every number filled in. */
export type CompleteUsage = {
  [K in keyof BetaUsage]: K extends "fallback_credit" ? BetaUsage[K]
    : NonNullable<BetaUsage[K]>;
};

/** Types without members. */
export type Unmapped =
  | string
  | number
  | boolean
  | null
  | undefined
  // deno-lint-ignore no-explicit-any -- as the official declarations have it
  | ((...args: any[]) => unknown);

/** Whether two types are one. */
export type IsSame<A, B> = (<T>() => T extends A ? 1 : 2) extends
  (<T>() => T extends B ? 1 : 2) ? true : false;

/** Input of a tool. For hooks it is unknown, unless their event fixes its shape. */
export type HookToolInput<T, Input> = [
  Extract<keyof T, "hook_event_name" | "tool_response">,
] extends [never] ? Mutable<Input>
  : IsSame<Input, JsonObject> extends true ? unknown
  : Mutable<Input>;

/** Fields whose ids are typed there. */
export type IdField =
  | "uuid"
  | "supersedes"
  | "head_uuid"
  | "anchor_uuid"
  | "tail_uuid"
  | "uuids"
  | "all_uuids"
  | "new_conversation_id";

/** Official type of an id, or of a list of them. */
export type MutableId<T> = T extends string ? UUID
  : T extends readonly string[] ? UUID[]
  : T;
