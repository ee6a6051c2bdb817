/** One server-sent event. */
export interface ServerEvent {
  readonly type: string;
  readonly data: string;
  readonly id: string;
  /** How long to wait before the stream is opened again, in milliseconds. */
  readonly retryMs: number | undefined;
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
      else if (this.#fields.size > 0) events.push(this.#take());
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
    const [, name = "", value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    const before = name === "data" ? this.#fields.get(name) : undefined;
    this.#fields.set(
      name,
      before === undefined ? value : `${before}\n${value}`,
    );
  }

  #take(): ServerEvent {
    const fields = this.#fields;
    this.#fields = new Map();
    const retry = fields.get("retry") ?? "";
    return {
      type: fields.get("event") || "message",
      data: fields.get("data") ?? "",
      id: fields.get("id") ?? "",
      retryMs: /^\d+$/.test(retry) ? Number(retry) : undefined,
    };
  }
}
