/** Any value that `JSON.parse` can return. */
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
 * A JSON object as input: any object that JSON can represent, also of an `interface` or a class; not a list or a function.
 *
 * Content that JSON cannot represent is rejected when it is sent.
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
