import { textOfError } from "../errors/text.ts";
import type { Host } from "../ports/host.ts";
import { resolvePath } from "../process/paths.ts";
import { host } from "../runtime/host.ts";
import { LineFramer } from "../stream/line_framer.ts";
import { DONE } from "./exit_code.ts";
import { toPage } from "./page.ts";
import type { Screen } from "./screen.ts";
import { StoryReader } from "./story_lines.ts";
import { type InspectFlags, UsageError } from "./tree.ts";

const CHUNK_BYTES = 1 << 20;

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
  readonly #lines = new LineFramer({ maxLineBytes: Infinity });
  readonly #reader: StoryReader;
  #position = 0;

  constructor(host: Host, path: string, name: string) {
    this.#host = host;
    this.#path = path;
    this.#name = name;
    this.#reader = new StoryReader(name);
  }

  /** What was read so far. */
  get story(): StoryReader["story"] {
    return this.#reader.story;
  }

  /** Reads what was added; whether there was any. */
  async readMore(): Promise<boolean> {
    const before = this.#position;
    const file = await this.#open();
    try {
      const buffer = new Uint8Array(CHUNK_BYTES);
      for (;;) {
        const count = await file.read(buffer, this.#position);
        if (count === 0) break;
        this.#position += count;
        for (const line of this.#lines.push(buffer.subarray(0, count))) {
          this.#reader.add(line);
        }
      }
    } finally {
      await file.close();
    }
    return this.#position > before;
  }

  /** The whole story, when nothing more is to come; that of a session has its subagents in files beside it. */
  async end(): Promise<StoryReader["story"]> {
    for (const line of this.#lines.end()) this.#reader.add(line);
    if (this.story.head.form === "session") await this.#readAgents();
    return this.#reader.end();
  }

  async #readAgents(): Promise<void> {
    const { files, platform } = this.#host;
    const folder = `${this.#path.replace(/\.jsonl$/, "")}/subagents`;
    const names = await files.list(folder).catch(() => []);
    for (const name of names.filter((one) => one.endsWith(".jsonl")).sort()) {
      const path = resolvePath(folder, name, platform);
      for (const line of (await files.readText(path)).split("\n")) {
        this.#reader.add(line);
      }
    }
  }

  async #open(): ReturnType<Host["files"]["open"]> {
    try {
      return await this.#host.files.open(this.#path, "read");
    } catch (error) {
      throw new UsageError(`Cannot read ${this.#name}: ${textOfError(error)}`);
    }
  }
}
