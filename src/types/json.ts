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

/**
 * A JSON object where one is given: anything JSON can tell, an `interface` or an instance too; no list, no function.
 *
 * Content that JSON cannot hold is rejected when it is sent.
 */
export type JsonInput =
  | {
    /** The value of a key. */
    readonly [key: string]: JsonPart | undefined;
  }
  | (object & {
    /** Lists are no objects. */
    readonly [Symbol.iterator]?: never;
    /** Nor are functions. */
    readonly [Symbol.hasInstance]?: never;
  });

/**
 * Values inside a {@link JsonInput} literal.
 *
 * @internal
 */
type JsonPart =
  | null
  | boolean
  | number
  | string
  | readonly JsonPart[]
  | JsonInput;
