import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { JsonDecoder, LineFramer } from "@sluice/agent/unstable-streams";
import { mayWait } from "../../src/wire/router.ts";
import { test } from "../_harness.ts";
import { pick, randomFrom } from "../options/_random.ts";
import { bytesOf, chunksAt, placesIn } from "../stream/_bytes.ts";

const TRANSCRIPTS = new URL("../fixtures/transcripts/", import.meta.url);

/** Lines as a piece. */
function piece(...lines: readonly string[]) {
  const body = bytesOf(lines.join("\n"));
  return { head: undefined, body, bytes: body.length };
}

/** Whether a line must be seen when it arrives; told the slow way. */
function isUrgent(line: string): boolean {
  let message: Record<string, unknown>;
  try {
    message = JSON.parse(line);
  } catch {
    // A line that could be joined with the next.
    return line.trimStart().startsWith("{") && !line.trimEnd().endsWith("}");
  }
  if (typeof message !== "object" || message === null) return false;
  const { type, subtype } = message;
  const isState = type === "system" && [
    "session_state_changed",
    "background_tasks_changed",
    "task_started",
    "task_updated",
    "task_notification",
    "init",
  ].includes(String(subtype));
  return isState || type === "result" || type === "command_lifecycle" ||
    String(type).startsWith("control_");
}

/** Output of the CLI in the recorded runs, line by line. */
async function recordedLines(): Promise<string[]> {
  const names = await readdir(TRANSCRIPTS);
  const texts = await Promise.all(
    names.filter((name) => name.endsWith(".ndjson"))
      .map((name) => readFile(new URL(name, TRANSCRIPTS), "utf8")),
  );
  return texts.flatMap((text) => text.trim().split("\n"))
    .map((line) => JSON.parse(line))
    .filter(({ dir }) => dir === "out")
    .map(({ msg }) => JSON.stringify(msg));
}

test("mayWait() does not look into text of megabytes, and takes an empty piece for harmless", () => {
  const head = '{"type":"assistant"}';
  assert.equal(mayWait({ head, body: undefined, bytes: 1 }), false);
  assert.equal(
    mayWait({ head: bytesOf(head), body: undefined, bytes: 1 }),
    true,
  );
  assert.equal(mayWait({ head: undefined, body: undefined, bytes: 0 }), true);
});

test("mayWait() is never wrongly true for the recorded runs, and true for many of their lines", async () => {
  const lines = await recordedLines();
  assert.ok(lines.length > 500);
  let waiting = 0;
  for (const line of lines) {
    const may = mayWait(piece(line));
    if (may) waiting++;
    assert.ok(!(may && isUrgent(line)), line.slice(0, 200));
  }
  assert.ok(waiting > lines.length / 3, `${waiting} of ${lines.length}`);
});

test("mayWait() is never wrongly true for any mix of lines in any chunks, and waiting changes nothing", async () => {
  const random = randomFrom(101);
  const lines = [
    ...await recordedLines(),
    '{"type":"control_request","request_id":"1","request":{}}',
    '{"type":"system","subtype":"session_state_changed","state":"idle"}',
    '{\n"type":"assistant",\n"text":"printed"\n}',
    '{"type":"assistant","cut":',
    "noise",
    "",
  ].filter((line) => line.length < 3_000);
  for (let round = 0; round < 100; round++) {
    const text = Array.from({ length: 30 }, () => pick(random, lines))
      .join("\n") + "\n";
    const bytes = bytesOf(text);
    const framer = new LineFramer({ isReused: false });
    const decoder = new JsonDecoder();
    for (const chunk of chunksAt(bytes, placesIn(bytes, 12, random))) {
      const found = framer.cut(chunk);
      if (found === undefined) continue;
      const texts = framer.lines(found);
      if (mayWait(found)) {
        assert.ok(!texts.some(isUrgent));
        // No such piece leaves a text behind that waits for more.
        const alone = new JsonDecoder();
        alone.push(texts);
        assert.equal(alone.isJoining, false);
      }
      decoder.push(texts);
    }
  }
});
