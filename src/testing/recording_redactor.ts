import { redactedCopy } from "../errors/redact.ts";
import { Scrubber } from "../errors/scrubber.ts";
import { withoutSecrets } from "../errors/secrets.ts";
import { REDACTED } from "../errors/text.ts";
import type { Launch } from "../ports/transport.ts";
import type { JsonValue } from "../types/json.ts";

/** Redacts the secrets in everything that goes into a recording. */
export class RecordingRedactor {
  readonly #scrubber: Scrubber;
  readonly #extra: (text: string) => string;

  /** Knows the secrets of the launch; `extra` redacts further ones. */
  constructor(
    { env, args }: Launch,
    extra: (text: string) => string = (text) => text,
  ) {
    this.#scrubber = new Scrubber({ env, args });
    this.#extra = extra;
  }

  /** Learns the secrets of a message to the CLI, which the CLI may repeat. */
  learn(message: JsonValue): void {
    this.#scrubber.learn({ documents: [message] });
  }

  text(text: string): string {
    return this.#extra(this.#scrubber.scrub(text));
  }

  value(value: JsonValue): JsonValue {
    const clean = withoutAddresses(withoutSecrets(value));
    return redactedCopy(clean, { scrub: (text: string) => this.text(text) });
  }

  /** A JSON text, unchanged where it has no secrets; one that is cut off counts as plain text. */
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

  args(args: readonly string[]): readonly string[] {
    return this.#scrubber.command(args).map(this.#extra);
  }
}

/** The owner of the account stays private. */
function withoutAddresses(value: JsonValue): JsonValue {
  return JSON.parse(
    JSON.stringify(value),
    (name, part) =>
      name === "email" && typeof part === "string" ? REDACTED : part,
  );
}
