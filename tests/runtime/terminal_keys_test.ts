import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import type { ReadStream, WriteStream } from "node:tty";
import { dropTypedAhead } from "../../src/runtime/terminal_keys.ts";
import { test } from "../_harness.ts";

// deno-lint-ignore no-control-regex -- requests are escape sequences
const REQUEST = /\x1b\[(\d+;\d+)H\x1b\[6n/g;

test("keys that are read right behind the reports of a terminal, in the same round, are the answer", async () => {
  const input = Object.assign(new PassThrough(), {
    setRawMode: () => input,
    ref: () => input,
    unref: () => input,
  }) as unknown as ReadStream;
  const screen = Object.assign(new EventEmitter(), {
    columns: 80,
    rows: 24,
    write(text: string, done: () => void) {
      const places = [...text.matchAll(REQUEST)].map(([, place]) => place);
      const reports = places.map((place) => `\x1b[${place}R`).join("");
      for (const read of ["before", reports, "y", "es\r"]) {
        input.emit("data", read);
      }
      done();
    },
  }) as unknown as WriteStream;
  const { signal } = new AbortController();
  assert.equal(await dropTypedAhead(input, screen, "Q: ", signal), "yes\r");
});
