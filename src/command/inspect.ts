import { textOfError } from "../errors/text.ts";
import type { OpenFile } from "../ports/files.ts";
import type { Host } from "../ports/host.ts";
import { resolvePath } from "../process/paths.ts";
import { host } from "../runtime/host.ts";
import { LineFramer } from "../stream/line_framer.ts";
import { DONE, type Screen, UsageError } from "./command_line.ts";
import { toPage } from "./page.ts";
import { StoryReader } from "./story_lines.ts";

const CHUNK_BYTES = 1 << 20;
const COMPARED_BYTES = 256;
/** Longer than any message: what is longer is no text that a page could show, and need not fit into memory. */
const LONGEST_LINE = 64 * 1024 * 1024;

interface InspectFlags {
  readonly output?: string;
  readonly json?: true;
  readonly serve?: true;
  readonly port?: number;
}

/** Makes one page of a recording, or serves it while it grows. */
export async function inspect(
  file: string,
  flags: InspectFlags,
  on: Screen,
): Promise<number> {
  const self = await host();
  const path = resolvePath(self.cwd(), file, self.platform);
  const reader = new RecordingReader(self, path, file);
  if (flags.serve) {
    if (flags.output !== undefined || flags.json) {
      throw new UsageError("--serve goes with neither --output nor --json");
    }
    const { serve } = await import("./serve.ts");
    return await serve(reader, flags.port ?? 0, on);
  }
  if (flags.port !== undefined) {
    throw new UsageError("--port goes with --serve");
  }
  await reader.readMore();
  const story = await reader.end();
  if (flags.json) {
    const { context, head, steps, turns } = story;
    await on.json({ head, turns, steps, context });
    return DONE;
  }
  const { html } = await toPage(story);
  if (flags.output === "-") {
    await on.write(html);
    return DONE;
  }
  const output = resolvePath(
    self.cwd(),
    flags.output ?? `${file}.html`,
    self.platform,
  );
  if (output === path) {
    throw new UsageError("--output would write over the recording");
  }
  try {
    await self.files.writeText(output, html);
  } catch (error) {
    throw new UsageError(`Cannot write ${output}: ${textOfError(error)}`);
  }
  for (const warning of story.head.warnings) {
    await on.note(on.err.yellow(`warning: ${warning}`));
  }
  await on.write(`${output}\n`);
  return DONE;
}

/** Reads a recording as far as it goes, and further when it has grown. */
export class RecordingReader {
  readonly #host: Host;
  readonly #path: string;
  readonly #name: string;
  #lines: LineFramer;
  #reader: StoryReader;
  #position = 0;
  /** The last bytes that were read: where others stand in their place, the file was written anew. */
  #last = new Uint8Array();

  constructor(host: Host, path: string, name: string) {
    this.#host = host;
    this.#path = path;
    this.#name = name;
    this.#reader = new StoryReader(name);
    this.#lines = this.#framer();
  }

  get story(): StoryReader["story"] {
    return this.#reader.story;
  }

  /** Reads what was added, or all of it again where it is another recording by now. */
  async readMore(): Promise<"nothing" | "more" | "anew"> {
    const file = await this.#host.files.open(this.#path, "read")
      .catch((error: unknown) => {
        throw new UsageError(
          `Cannot read ${this.#name}: ${textOfError(error)}`,
        );
      });
    try {
      const isAnew = !await this.#hasGrownOnly(file);
      if (isAnew) {
        this.#reader = new StoryReader(this.#name);
        this.#lines = this.#framer();
        this.#position = 0;
        this.#last = new Uint8Array();
      }
      const before = this.#position;
      for await (const bytes of chunksOf(file, before)) {
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

  #framer(): LineFramer {
    const reader = this.#reader;
    const onTooLong = (bytes: number) => reader.skip(bytes);
    return new LineFramer({ maxLineBytes: LONGEST_LINE, onTooLong });
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

  /** The whole story, when nothing more is to come; that of a session has its subagents in files beside it. */
  async end(): Promise<StoryReader["story"]> {
    this.#add(this.#lines.end());
    if (this.story.head.form === "session") await this.#readAgents();
    return this.#reader.end();
  }

  async #readAgents(): Promise<void> {
    const { files, platform } = this.#host;
    const folder = `${this.#path.replace(/\.jsonl$/, "")}/subagents`;
    const names = await files.list(folder).catch(() => []);
    for (const name of names.filter((one) => one.endsWith(".jsonl")).sort()) {
      const path = resolvePath(folder, name, platform);
      const file = await files.open(path, "read");
      const lines = this.#framer();
      try {
        for await (const bytes of chunksOf(file)) this.#add(lines.push(bytes));
      } finally {
        await file.close();
      }
      this.#add(lines.end());
    }
  }
}

/** The bytes of a file, from a place to its end. */
async function* chunksOf(
  file: OpenFile,
  from = 0,
): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(CHUNK_BYTES);
  for (let position = from;;) {
    const count = await file.read(buffer, position);
    if (count === 0) return;
    position += count;
    yield buffer.subarray(0, count);
  }
}
