import type { JsonObject, JsonValue } from "../types/json.ts";

/** A UUID as text. */
export type UUID = `${string}-${string}-${string}-${string}-${string}`;

/** The same as the official declarations have it: no `readonly`, JSON is unknown, and what is unknown is not wrapped. */
export type Mutable<T> = [JsonValue] extends [T] ? unknown : EachMutable<T>;

/** {@link Mutable} of each member of a union. */
export type EachMutable<T> = T extends Unmapped ? T
  : T extends { readonly type: "unknown"; readonly originalType: string }
    ? never
  : T extends readonly (infer E)[] ? Mutable<E>[]
  : IsSame<T, JsonObject> extends true ? { [key: string]: unknown }
  : {
    -readonly [K in keyof T]: K extends "uuid" ? MutableId<T[K]>
      : Mutable<T[K]>;
  };

/** What has no members of its own. */
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

/** What an id is typed as there. */
export type MutableId<T> = T extends string ? UUID : T;
