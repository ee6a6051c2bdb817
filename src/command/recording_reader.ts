import { textOfError } from "../errors/text.ts";
import type { OpenFile } from "../ports/files.ts";
import type { Host } from "../ports/host.ts";
import { resolvePath } from "../process/paths.ts";
import { LineFramer } from "../stream/line_framer.ts";
import { UsageError } from "./command_line.ts";
import type { Story } from "./story.ts";
import { StoryReader } from "./story_lines.ts";

const CHUNK_BYTES = 1 << 20;
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

  constructor(host: Host, path: string, name: string) {
    this.#host = host;
    this.#path = path;
    this.#name = name;
    this.#reader = new StoryReader(name);
    this.#lines = framerOf(this.#reader);
  }

  /** Takes more lines of the same story. */
  get reader(): StoryReader {
    return this.#reader;
  }

  get story(): Story {
    return this.#reader.story;
  }

  /** Reads what was added; of a file that is shorter by now all of it, into another story. Returns whether there is news. */
  async readMore(): Promise<boolean> {
    const { files } = this.#host;
    const file = await files.open(this.#path, "read").catch((error) => {
      const text = textOfError(error);
      throw new UsageError(`Cannot read ${this.#name}: ${text}`);
    });
    try {
      const { size = 0 } = await files.status(this.#path) ?? {};
      if (size === this.#position) return false;
      if (size < this.#position) {
        this.#reader = new StoryReader(this.#name);
        this.#lines = framerOf(this.#reader);
        this.#position = 0;
      }
      for await (const bytes of this.#chunksOf(file, this.#position)) {
        this.#position += bytes.length;
        this.#add(this.#lines.push(bytes));
      }
      return true;
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
