import assert from "node:assert/strict";
import { listSources, readSource } from "../_examples.ts";
import { test } from "../_harness.ts";
import { refusal } from "./_config_error.ts";

test(
  "10 s of grace and 15 s to the kill stand once in the code, and in the docs",
  () => {
    const found = listSources("src")
      .filter((path) => !path.startsWith("src/testing/"))
      .flatMap((path) => readSource(path).split("\n"))
      .filter((line) =>
        /^\s*[^\s*/].*\b(?:1[05]_?000|1[05]e3|1e4)\b/.test(line)
      )
      .filter((line) => /grace|kill|term|stop|shutdown/i.test(line));
    assert.deepEqual(found.map((line) => line.trim()), [
      '"shutdown.graceMs": option<number>({ check: wait, default: 10_000 }),',
      '"shutdown.killMs": option<number>({ check: wait, default: 15_000 }),',
    ]);
    const endings = readSource("docs/shutdown.md");
    assert.match(endings, /`shutdown\.graceMs`, 10 s/);
    assert.match(endings, /`shutdown\.killMs`, 15 s/);
  },
  { ids: ["E-04"] },
);

test("limits are refused in the wrong order, defaults included", () => {
  for (
    const [options, key, text] of [
      [
        { shutdown: { graceMs: 500, killMs: 499 } },
        "shutdown.killMs",
        /500: 499/,
      ],
      [
        { shutdown: { graceMs: 15_001 } },
        "shutdown.killMs",
        /"graceMs", which/,
      ],
      [
        { limits: { readAheadBytes: 2, maxBufferedBytes: 1 } },
        "limits.readAheadBytes",
        /"maxBufferedBytes", which is 1: 2/,
      ],
      [
        { limits: { readAheadBytes: 67_108_865 } },
        "limits.readAheadBytes",
        /which is 67108864/,
      ],
    ] as const
  ) {
    const error = refusal(options);
    assert.equal(error.key, key);
    assert.match(error.message, text);
  }
});
