import { textOfError } from "../errors/text.ts";
import { resolvePath } from "../process/paths.ts";
import { host } from "../runtime/host.ts";
import { type Screen, UsageError } from "./command_line.ts";
import { DONE } from "./exit_codes.ts";
import { toPage } from "./page.ts";
import { RecordingReader } from "./recording_reader.ts";

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
    await on.json(story.data);
    return DONE;
  }
  const { html } = await toPage(story.data);
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
    const text = `Cannot write ${output}: ${textOfError(error)}`;
    throw new Error(text, { cause: error });
  }
  for (const warning of story.head.warnings) {
    await on.note(on.err.yellow(`warning: ${warning}`));
  }
  await on.write(`${output}\n`);
  return DONE;
}
