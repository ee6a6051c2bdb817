// Show text while the model writes it.
// deno-lint-ignore-file no-console -- an example shows what happens
import assert from "node:assert/strict";
import { stdout } from "node:process";
import { query, textOf } from "@sluice/agent";

const conversation = query("Write a haiku about rivers.", {
  includePartialMessages: true,
});
let text = "";
let pieces = 0;
for await (const message of conversation) {
  if (message.type === "stream_event") {
    const piece = textOf(message);
    if (piece === "") continue;
    stdout.write(piece);
    text += piece;
    pieces++;
  } else if (message.type === "result" && message.subtype === "success") {
    // The result repeats the whole text.
    assert.equal(message.result, text);
    console.log(`\n${pieces} pieces in ${message.duration_ms} ms`);
  }
}
assert.ok(pieces > 1);
