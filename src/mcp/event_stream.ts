export interface ServerEvent {
  readonly data: string;
  readonly id: string;
}

/** Parses server-sent events; an unfinished one at the end of the stream is dropped, as the format has it. */
export class EventParser {
  readonly #maxLength: number;
  readonly #decoder = new TextDecoder();
  #line = "";
  /** Whether a line feed at the start belongs to the line before. */
  #skipsLineFeed = false;
  #fields = new Map<string, string>();

  /** @param maxLength Longest event, in UTF-16 code units */
  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  /** The events that a chunk completes; throws when one is too long. */
  push(chunk: Uint8Array): readonly ServerEvent[] {
    let text = this.#decoder.decode(chunk, { stream: true });
    if (text === "") return [];
    if (this.#skipsLineFeed && text.startsWith("\n")) text = text.slice(1);
    this.#skipsLineFeed = text.endsWith("\r");
    const events: ServerEvent[] = [];
    const lines = text.split(/\r\n|\n|\r/);
    const rest = lines.pop() ?? "";
    for (const part of lines) {
      const line = this.#line + part;
      this.#line = "";
      if (line !== "") this.#read(line);
      else {
        const { data = "", id = "" } = Object.fromEntries(this.#fields);
        events.push({ data, id });
        this.#fields.clear();
      }
    }
    this.#line += rest;
    const { length = 0 } = this.#fields.get("data") ?? "";
    if (this.#line.length + length > this.#maxLength) {
      const text = `An event is longer than ${this.#maxLength} characters`;
      throw new RangeError(text);
    }
    return events;
  }

  #read(line: string): void {
    const [, name = "", value = ""] = /^(data|id)(?:: ?(.*))?$/s.exec(line) ??
      [];
    const before = name === "data" ? this.#fields.get(name) : undefined;
    this.#fields.set(
      name,
      before === undefined ? value : `${before}\n${value}`,
    );
  }
}
