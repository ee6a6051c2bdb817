import type { JsonObject, JsonValue } from "../types/json.ts";

/** A JSON object that was written where it was checked: only its text is left. */
export class WrittenObject implements JsonObject {
  readonly [key: string]: JsonValue | undefined;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The text of one. */
  static textOf(object: WrittenObject): string {
    return object.#text;
  }
}

/** The JSON of an object, written already or now; throws for what is no JSON. */
export function jsonOf(object: JsonObject): string {
  if (object instanceof WrittenObject) return WrittenObject.textOf(object);
  const text: string | undefined = JSON.stringify(object);
  if (text === undefined) throw new TypeError("Answer is no JSON: undefined");
  return text;
}
