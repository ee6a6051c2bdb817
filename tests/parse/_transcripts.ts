import { readdir, readFile } from "node:fs/promises";
import type { JsonObject } from "@sluice/agent";

const FOLDER = new URL("../fixtures/transcripts/", import.meta.url);

/** Lines that the router keeps from the parser. */
const NO_MESSAGES: ReadonlySet<unknown> = new Set([
  "control_request",
  "control_response",
  "control_cancel_request",
  "keep_alive",
  "transcript_mirror",
]);

/** The messages of every recorded run, by file, in their order. */
export async function recordedMessages(): Promise<
  ReadonlyMap<string, readonly JsonObject[]>
> {
  const names = (await readdir(FOLDER)).filter((name) =>
    name.endsWith(".ndjson")
  );
  return new Map(
    await Promise.all(
      names.sort().map(async (name) => {
        const text = await readFile(new URL(name, FOLDER), "utf8");
        const records = text.trim().split("\n").map((line) => JSON.parse(line));
        const messages = records
          .filter(({ dir, msg }) => dir === "out" && !NO_MESSAGES.has(msg.type))
          .map(({ msg }) => msg as JsonObject);
        return [name, messages] as const;
      }),
    ),
  );
}
