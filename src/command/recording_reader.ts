import { textOfError } from "../errors/text.ts";
import type { OpenFile } from "../ports/files.ts";
import type { Host } from "../ports/host.ts";
import { resolvePath } from "../process/paths.ts";
import { LineFramer } from "../stream/line_framer.ts";
import { UsageError } from "./command_line.ts";
import type { Story } from "./story.ts";
import { StoryReader } from "./story_lines.ts";

const CHUNK_BYTES = 1 << 20;
const COMPARED_BYTES = 256;
/** Longer than any message that a page could show, and such a line need not fit into memory. */
const LONGEST_LINE = 64 * 1024 * 1024;

/** Reads a recording to its end, and further when it has grown. */
export class RecordingReader {
  readonly #host: Host;
  readonly #path: string;
  readonly #name: string;
  readonly #buffer = new Uint8Array(CHUNK_BYTES);
  #reader: StoryReader;
  #lines: LineFramer;
  #position = 0;
  /** The last bytes read: where others stand in their place, the file was written anew. */
  #last = new Uint8Array();

  constructor(host: Host, path: string, name: string) {
    this.#host = host;
    this.#path = path;
    this.#name = name;
    this.#reader = new StoryReader(name);
    this.#lines = framerOf(this.#reader);
  }

  get story(): Story {
    return this.#reader.story;
  }

  /** Reads what was added, or all of it again where it is another recording by now. */
  async readMore(): Promise<"nothing" | "more" | "anew"> {
    const { files } = this.#host;
    const file = await files.open(this.#path, "read").catch((error) => {
      const text = textOfError(error);
      throw new UsageError(`Cannot read ${this.#name}: ${text}`);
    });
    try {
      const isAnew = !await this.#hasGrownOnly(file);
      if (isAnew) {
        this.#reader = new StoryReader(this.#name);
        this.#lines = framerOf(this.#reader);
        this.#position = 0;
        this.#last = new Uint8Array();
      }
      const before = this.#position;
      for await (const bytes of this.#chunksOf(file, before)) {
        this.#position += bytes.length;
        this.#last = bytes.slice(-COMPARED_BYTES);
        this.#add(this.#lines.push(bytes));
      }
      if (isAnew) return "anew";
      return this.#position > before ? "more" : "nothing";
    } finally {
      await file.close();
    }
  }

  /** The whole story, when nothing more is to come; that of a session has its subagents in files beside it. */
  async end(): Promise<Story> {
    this.#add(this.#lines.end());
    if (this.story.head.form !== "session") return this.#reader.end();
    const { files, platform } = this.#host;
    const folder = `${this.#path.replace(/\.jsonl$/, "")}/subagents`;
    const names = await files.list(folder).catch(() => []);
    for (const name of names.filter((one) => one.endsWith(".jsonl")).sort()) {
      const path = resolvePath(folder, name, platform);
      const file = await files.open(path, "read");
      const lines = framerOf(this.#reader);
      try {
        for await (const bytes of this.#chunksOf(file, 0)) {
          this.#add(lines.push(bytes));
        }
      } finally {
        await file.close();
      }
      this.#add(lines.end());
    }
    return this.#reader.end();
  }

  #add(lines: readonly string[]): void {
    for (const line of lines) this.#reader.add(line);
  }

  /** Whether the last bytes that were read are still where they were. */
  async #hasGrownOnly(file: OpenFile): Promise<boolean> {
    const last = this.#last;
    const now = new Uint8Array(last.length);
    const count = last.length === 0
      ? 0
      : await file.read(now, this.#position - last.length);
    return count === last.length && now.every((byte, at) => byte === last[at]);
  }

  async *#chunksOf(file: OpenFile, from: number): AsyncGenerator<Uint8Array> {
    for (let position = from;;) {
      const count = await file.read(this.#buffer, position);
      if (count === 0) return;
      position += count;
      yield this.#buffer.subarray(0, count);
    }
  }
}

function framerOf(reader: StoryReader): LineFramer {
  const onTooLong = (bytes: number) => reader.skip(bytes);
  return new LineFramer({ maxLineBytes: LONGEST_LINE, onTooLong });
}
