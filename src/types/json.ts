/** Any value that `JSON.parse` can give. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | JsonObject;

/** A JSON object; an absent key reads as `undefined`. */
export interface JsonObject {
  /** The value of a key. */
  readonly [key: string]: JsonValue | undefined;
}
