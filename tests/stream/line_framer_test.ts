import assert from "node:assert/strict";
import {
  LineFramer,
  type LineFramerOptions,
  type Piece,
} from "@sluice/agent/unstable-streams";
import { test } from "../_harness.ts";
import { pick, randomFrom } from "../options/_random.ts";
import {
  bytesOf,
  chunksAt,
  CORPUS,
  isAscii,
  joined,
  linesOf,
  linesThroughOneBuffer,
  placesIn,
} from "./_bytes.ts";

/** Every way of decoding. */
const DECODINGS: readonly LineFramerOptions[] = [
  {},
  { isAscii },
  { isAscii, wideLineBytes: 0 },
  { isAscii, wideLineBytes: 16 },
  { isAscii, wideLineBytes: 512 },
];

function allLines(framer: LineFramer, chunks: readonly Uint8Array[]): string[] {
  return [...chunks.flatMap((chunk) => framer.push(chunk)), ...framer.end()];
}

test("LineFramer gives the same lines wherever the bytes are cut", () => {
  const expected = linesOf(CORPUS);
  assert.equal(expected.length, 13);
  for (const options of DECODINGS) {
    for (let at = 0; at <= CORPUS.length; at++) {
      const lines = linesThroughOneBuffer(
        new LineFramer(options),
        chunksAt(CORPUS, [at]),
      );
      assert.deepEqual(lines, expected, `cut at ${at}`);
    }
  }
}, { ids: ["IO-09", "IO-12"] });

test(
  "LineFramer gives the same lines for random chunks, empty ones and single bytes included",
  () => {
    const random = randomFrom(7);
    const expected = linesOf(CORPUS);
    for (let round = 0; round < 400; round++) {
      const options = { ...pick(random, DECODINGS), isReused: round % 2 === 0 };
      const count = Math.floor(random() ** 3 * CORPUS.length);
      const chunks = chunksAt(CORPUS, placesIn(CORPUS, count, random));
      const framer = new LineFramer(options);
      const lines = options.isReused
        ? linesThroughOneBuffer(framer, chunks)
        : allLines(framer, chunks);
      assert.deepEqual(lines, expected, `round ${round}`);
    }
  },
  { ids: ["IO-09"] },
);

test("LineFramer.cut() and lines() give what push() gives, also when the text is wanted later", () => {
  const random = randomFrom(11);
  for (let round = 0; round < 100; round++) {
    const chunks = chunksAt(CORPUS, placesIn(CORPUS, 1 + round % 20, random));
    const framer = new LineFramer({ ...pick(random, DECODINGS) });
    const pieces: Piece[] = [];
    for (const chunk of chunks) {
      const piece = framer.cut(chunk);
      if (piece === undefined) continue;
      const body = piece.body && piece.body.slice();
      pieces.push({ ...piece, body });
      chunk.fill(0x58);
    }
    const lines = pieces.flatMap((piece) => framer.lines(piece));
    assert.deepEqual([...lines, ...framer.end()], linesOf(CORPUS));
  }
});

test("LineFramer.cut() tells how many bytes it gives, and gives nothing when a chunk completes none", () => {
  const framer = new LineFramer({ maxLineBytes: 8 });
  assert.equal(framer.cut(bytesOf("abc")), undefined);
  assert.equal(framer.cut(bytesOf("def\ngh\nij"))?.bytes, 8);
  assert.equal(framer.cut(bytesOf("\n"))?.bytes, 2);
  assert.equal(framer.cut(bytesOf("\n")), undefined);
  assert.equal(framer.cut(new Uint8Array(0)), undefined);
  assert.equal(framer.cut(bytesOf("too long to be held")), undefined);
  assert.equal(framer.cut(bytesOf(" still\n")), undefined);
  assert.deepEqual(framer.push(bytesOf("good\n")), ["good"]);
});

test("LineFramer leaves a byte-order mark out at the start only, also one that comes in pieces", () => {
  const mark = [0xef, 0xbb, 0xbf];
  const framer = new LineFramer();
  const lines = mark.flatMap((byte) => framer.push(new Uint8Array([byte])));
  lines.push(...framer.push(bytesOf("one\n\ufefftwo\n")));
  assert.deepEqual(lines, ["one", "\ufefftwo"]);
  assert.deepEqual(new LineFramer().push(bytesOf("\ufeff\n{}\n")), ["{}"]);
});

test("LineFramer keeps the carriage return of a line and skips lines that are nothing else", () => {
  const framer = new LineFramer();
  assert.deepEqual(framer.push(bytesOf("a\r\n\r\n\nb\r\n\r")), ["a\r", "b\r"]);
  assert.deepEqual(framer.end(), []);
});

test("LineFramer ends lines at \\n only", () => {
  const odd = "a\u2028b\u2029c\u0085d\u000be\u000cf\u001cg\rh";
  for (const options of DECODINGS) {
    const framer = new LineFramer(options);
    assert.deepEqual(framer.push(bytesOf(`${odd}\n`)), [odd]);
  }
});

test("LineFramer.end() gives the last line without a newline, once", () => {
  const framer = new LineFramer();
  assert.deepEqual(framer.push(bytesOf('{"a":1}\n{"b"')), ['{"a":1}']);
  assert.deepEqual(framer.push(bytesOf(":2}")), []);
  assert.deepEqual(framer.end(), ['{"b":2}']);
  assert.deepEqual(framer.end(), []);
  assert.equal(framer.heldBytes, 0);
});

test(
  "LineFramer joins a line of many megabytes, whatever stands around it",
  () => {
    const random = randomFrom(3);
    // The snowman has three bytes, so that most cuts go through a character.
    const long = `{"text":"${"☃".repeat(2_100_000)}"}`;
    const bytes = bytesOf(`first\n${long}\nafter\n${long}`);
    for (const isReused of [true, false]) {
      const chunks = chunksAt(bytes, placesIn(bytes, 40, random));
      const framer = new LineFramer({ isReused });
      const lines = isReused
        ? linesThroughOneBuffer(framer, chunks)
        : allLines(framer, chunks);
      assert.equal(lines.length, 4);
      assert.ok(lines[0] === "first" && lines[2] === "after");
      // No deepEqual: a failure would print megabytes.
      assert.ok(lines[1] === long && lines[3] === long);
    }
  },
  { ids: ["IO-03"] },
);

test("LineFramer replaces a character that a huge line leaves unfinished", () => {
  const framer = new LineFramer();
  const many = new Uint8Array(5 * 1024 * 1024).fill(0x61);
  framer.push(many);
  framer.push(new Uint8Array([0xf0, 0x9f]));
  const [line = ""] = framer.push(bytesOf("\n"));
  assert.equal(line.length, many.length + 1);
  assert.ok(line.endsWith("a\ufffd"));
  assert.deepEqual(framer.push(bytesOf("{}\n")), ["{}"]);
});

test(
  "LineFramer lets a line of the limit pass and skips one byte more, wherever it is cut",
  () => {
    const cases = ["aaaa\n", "aaaaa\n", "☃a\n", "☃aa\n", "aaaa", "aaaaa"];
    const kept = [["aaaa"], [], ["☃a"], [], ["aaaa"], []];
    for (const [i, text] of cases.entries()) {
      const bytes = joined(bytesOf("ok\n"), bytesOf(text));
      for (let at = 0; at <= bytes.length; at++) {
        for (const options of DECODINGS) {
          const tooLong: number[] = [];
          const framer = new LineFramer({
            ...options,
            maxLineBytes: 4,
            onTooLong: (length) => tooLong.push(length),
          });
          const lines = linesThroughOneBuffer(framer, chunksAt(bytes, [at]));
          assert.deepEqual(lines, ["ok", ...kept[i] ?? []], `${text} at ${at}`);
          assert.deepEqual(tooLong, kept[i]?.length === 1 ? [] : [5], text);
        }
      }
    }
  },
  { ids: ["IO-01", "IO-02"] },
);

test(
  "LineFramer holds nothing of a line that it skips, and no more than the limit of any other",
  () => {
    const tooLong: number[] = [];
    const limit = 1_000;
    const framer = new LineFramer({
      maxLineBytes: limit,
      onTooLong: (length) => tooLong.push(length),
    });
    const chunk = new Uint8Array(300).fill(0x61);
    for (let i = 1; i <= 3; i++) {
      framer.push(chunk);
      assert.equal(framer.heldBytes, i * 300);
    }
    for (let i = 4; i <= 40; i++) {
      framer.push(chunk);
      assert.equal(framer.heldBytes, 0);
    }
    assert.deepEqual(tooLong, []);
    assert.deepEqual(framer.push(bytesOf("\ngood\nnext")), ["good"]);
    assert.deepEqual(tooLong, [12_000]);
    assert.equal(framer.heldBytes, 4);
  },
  { ids: ["IO-02"] },
);

test("LineFramer asks for ASCII only what it decodes, and decodes line by line where lines are long and wide", () => {
  const asked: number[] = [];
  const framer = new LineFramer({
    isAscii: (bytes) => {
      asked.push(bytes.length);
      return isAscii(bytes);
    },
    wideLineBytes: 4,
  });
  const wide = "☃☃\n☃☃\n";
  assert.deepEqual(framer.push(bytesOf(`${wide}rest`)), ["☃☃", "☃☃"]);
  assert.deepEqual(asked, [13]);
});

const MEBIBYTE = 1024 * 1024;

/** Line in progress of a framer when its last bytes come. */
function finish(framer: LineFramer, bytes: Uint8Array) {
  return framer.cut(new Uint8Array([...bytes, 0x0a]))?.head;
}

test("LongLine.finish() joins the pieces to bytes of its own and forgets them", () => {
  const framer = new LineFramer({ isReused: false });
  framer.cut(bytesOf("ab"));
  framer.cut(bytesOf("c"));
  assert.equal(framer.heldBytes, 3);
  const joined = finish(framer, bytesOf("de"));
  assert.deepEqual(joined, bytesOf("abcde"));
  assert.equal(framer.heldBytes, 0);
  framer.cut(bytesOf("x"));
  assert.deepEqual(finish(framer, bytesOf("")), bytesOf("x"));
});

test("LongLine turns to text above 4 MiB, also in the middle of a character", () => {
  const framer = new LineFramer();
  const snowman = bytesOf("☃");
  const letters = new Uint8Array(4 * MEBIBYTE).fill(0x61);
  framer.cut(letters);
  assert.ok(finish(framer, bytesOf("a")) instanceof Uint8Array);
  framer.cut(letters);
  framer.cut(snowman.slice(0, 1));
  framer.cut(snowman.slice(1, 2));
  const text = finish(framer, snowman.slice(2));
  assert.ok(typeof text === "string");
  assert.equal(text.length, 4 * MEBIBYTE + 1);
  assert.ok(text.endsWith("a☃"));
  framer.cut(bytesOf("bytes "));
  assert.deepEqual(finish(framer, bytesOf("again")), bytesOf("bytes again"));
});

test("LongLine.drop() forgets the line, text or not", () => {
  for (const length of [10, 5 * MEBIBYTE]) {
    const framer = new LineFramer({ maxLineBytes: length });
    framer.cut(new Uint8Array(length));
    assert.equal(framer.heldBytes, length);
    assert.equal(finish(framer, bytesOf("too long")), undefined);
    assert.equal(framer.heldBytes, 0);
    framer.cut(bytesOf("n"));
    assert.deepEqual(finish(framer, bytesOf("ew")), bytesOf("new"));
  }
});
