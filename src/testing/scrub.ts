import { cleanCopy } from "../errors/clean.ts";
import { withoutSecrets } from "../errors/secrets.ts";
import { Scrubber } from "../errors/scrubber.ts";
import { REDACTED } from "../errors/text.ts";
import type { Launch } from "../ports/transport.ts";
import type { JsonValue } from "../types/json.ts";

/** Takes secrets out of everything that goes into a cassette. */
export class CassetteScrubber {
  readonly #scrubber: Scrubber;
  readonly #extra: (text: string) => string;

  /** Knows what the launch holds; `extra` takes out what it cannot know. */
  constructor(
    { env, args }: Launch,
    extra: (text: string) => string = (text) => text,
  ) {
    this.#scrubber = new Scrubber({ env, args });
    this.#extra = extra;
  }

  /** What is said to the CLI may hold secrets, which it may say again. */
  learn(message: JsonValue): void {
    this.#scrubber.learn({ documents: [message] });
  }

  /** A text without secrets. */
  text(text: string): string {
    return this.#extra(this.#scrubber.scrub(text));
  }

  /** A value without secrets, the same in all else. */
  value(value: JsonValue): JsonValue {
    const clean = withoutAddresses(withoutSecrets(value));
    const scrub = (text: string) => this.text(text);
    return cleanCopy(clean, { scrub });
  }

  /** A JSON text without secrets, the same where it has none; one that is cut off is any text. */
  json(text: string): string {
    let value: JsonValue;
    try {
      value = JSON.parse(text);
    } catch {
      return this.text(text);
    }
    const clean = JSON.stringify(this.value(value));
    return clean === JSON.stringify(value) ? text : clean;
  }

  /** Arguments without secrets. */
  args(args: readonly string[]): readonly string[] {
    return this.#scrubber.command(args).map(this.#extra);
  }
}

/** Who has the account is nobody's business. */
function withoutAddresses(value: JsonValue): JsonValue {
  return JSON.parse(
    JSON.stringify(value),
    (name, part) =>
      name === "email" && typeof part === "string" ? REDACTED : part,
  );
}
