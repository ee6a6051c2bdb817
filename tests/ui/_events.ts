/** One server-sent event. */
export interface Event {
  readonly id?: string;
  /** Its name; `"message"` by default. */
  readonly name: string;
  /** Its data, parsed. */
  readonly data: unknown;
}

/** Reads server-sent events from a body, one at a time; heartbeats are counted. */
export class EventReader {
  beats = 0;
  #text = "";
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();

  constructor(body: ReadableStream<Uint8Array> | null) {
    if (body === null) throw new Error("The response has no body");
    this.#reader = body.getReader();
  }

  /** The next event; `undefined` at the end. */
  async next(): Promise<Event | undefined> {
    for (;;) {
      const end = this.#text.indexOf("\n\n");
      if (end >= 0) {
        const block = this.#text.slice(0, end);
        this.#text = this.#text.slice(end + 2);
        if (block !== ":") return parse(block);
        this.beats++;
        continue;
      }
      const { done, value } = await this.#reader.read();
      if (done) return undefined;
      this.#text += this.#decoder.decode(value, { stream: true });
    }
  }

  /** All events that are left. */
  async rest(): Promise<readonly Event[]> {
    const events: Event[] = [];
    for (let one; (one = await this.next()) !== undefined;) events.push(one);
    return events;
  }

  /** The next event for which a condition holds; those before are dropped. */
  async find(condition: (event: Event) => boolean): Promise<Event> {
    for (let one; (one = await this.next()) !== undefined;) {
      if (condition(one)) return one;
    }
    throw new Error("The stream ended before that event");
  }

  /** Reads one chunk, and leaves it unread. */
  cancel(): Promise<void> {
    return this.#reader.cancel();
  }
}

/** All events of a response. */
export function eventsOf(
  { body }: { readonly body: ReadableStream<Uint8Array> | null },
): Promise<readonly Event[]> {
  return new EventReader(body).rest();
}

function parse(block: string): Event {
  let id: string | undefined;
  let name = "message";
  const data: string[] = [];
  for (const line of block.split("\n")) {
    const at = line.indexOf(": ");
    const [field, value] = [line.slice(0, at), line.slice(at + 2)];
    if (field === "id") id = value;
    else if (field === "event") name = value;
    else if (field === "data") data.push(value);
    else throw new Error(`Not a line of an event: ${line}`);
  }
  const text = data.join("\n");
  return {
    ...id !== undefined && { id },
    name,
    data: text === "[DONE]" ? text : JSON.parse(text),
  };
}
