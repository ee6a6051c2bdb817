import { safeLogger } from "@sluice/agent/extend";
import assert from "node:assert/strict";
import type { Log } from "../../src/observe/log.ts";
import type { Timer } from "../../src/ports/clock.ts";
import { type StderrOptions, StderrTail } from "../../src/process/stderr.ts";
import { ByteTail } from "../../src/process/byte_tail.ts";
import { host } from "../_children.ts";
import { FakeClock } from "@sluice/agent/testing";
import { test } from "../_harness.ts";

const current = await host();
const encoder = new TextEncoder();
const LIMITS = {
  tailBytes: 256 * 1024,
  linesPerSecond: 100,
  warnBytes: 10 * 1024 * 1024,
};

/** A stream that is fed by the test. */
class Source {
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  readonly stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      this.#controller = controller;
    },
  });

  push(part: string | Uint8Array): void {
    this.#controller.enqueue(
      typeof part === "string" ? encoder.encode(part) : part,
    );
  }

  close(): void {
    this.#controller.close();
  }

  fail(): void {
    this.#controller.error(new Error("Pipe broke"));
  }
}

interface Watched {
  readonly source: Source;
  readonly tail: StderrTail;
  readonly lines: string[];
  readonly warnings: string[];
}

function watch(
  { clock = new FakeClock(), ...options }: Partial<StderrOptions> & {
    readonly clock?: Timer;
  } = {},
): Watched {
  const source = new Source();
  const lines: string[] = [];
  const warnings: string[] = [];
  const log: Log = safeLogger({
    ...console,
    warn: (message) => void warnings.push(message),
  });
  const tail = new StderrTail(
    source.stream,
    {
      ...LIMITS,
      ...options,
      onLine(line) {
        lines.push(line);
        return options.onLine?.(line);
      },
    },
    { pid: 1, reusesBuffer: false, clock, log },
  );
  return { source, tail, lines, warnings };
}

/** Lets the reader take what is there. */
function turn(): Promise<void> {
  return new Promise((resolve) => current.nextTurn(resolve));
}

test("StderrTail hands lines out, wherever the bytes were cut", async () => {
  const text = "one\r\n\ntwo é€😀\nbad \uFFFD byte\nlast";
  const bytes = encoder.encode(text);
  for (let cut = 0; cut <= bytes.length; cut++) {
    const { source, tail, lines } = watch();
    source.push(bytes.slice(0, cut));
    source.push(bytes.slice(cut));
    source.close();
    await tail.ended;
    assert.deepEqual(lines, [
      "one",
      "",
      "two é€😀",
      "bad \uFFFD byte",
      "last",
    ]);
    assert.equal(tail.lines, 5);
    assert.equal(tail.bytes, bytes.length);
    assert.equal(tail.text(), text);
  }
});

test("StderrTail keeps the newest bytes", async () => {
  const { source, tail } = watch();
  for (let i = 0; i < 16; i++) source.push("x".repeat(65_535) + "\n");
  source.push("the end\n");
  source.close();
  await tail.ended;
  const kept = tail.text();
  // The rest of the first line is left out.
  assert.equal(kept.length, 3 * 65_536 + "the end\n".length);
  assert.ok(kept.endsWith("x\nthe end\n"));
  assert.equal(tail.lines, 17);
}, { ids: ["IO-04"] });

test("StderrTail hands a very long line out cut, and holds no more of it", async () => {
  const { source, tail, lines } = watch();
  for (const chunks of [16, 300]) {
    for (let i = 0; i < chunks; i++) source.push("x".repeat(65_536));
    source.push("\nnext\n");
  }
  source.close();
  await tail.ended;
  const mebi = 1024 * 1024;
  const lengths = lines.map((line) => line.length);
  assert.deepEqual(lengths, [mebi, 4, 16 * mebi, 4]);
  assert.equal(tail.lines, 4);
});

test("StderrTail hands every 10th line out above the rate", async () => {
  const clock = new FakeClock();
  const { source, tail, lines } = watch({ clock });
  const numbered = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => `${from + i}\n`).join("");
  source.push(numbered(0, 500));
  source.push(numbered(500, 1_000));
  await turn();
  assert.equal(lines.length, 190);
  assert.equal(lines[99], "99");
  assert.deepEqual(lines.slice(100, 103), ["100", "110", "120"]);
  await clock.advance(1_000);
  source.push(numbered(1_000, 1_100));
  source.close();
  await tail.ended;
  assert.equal(lines.length, 290);
  assert.equal(tail.lines, 1_100);
}, { ids: ["IO-14"] });

test("StderrTail hands at least one line out of a flood", async () => {
  const { source, tail, lines } = watch({ linesPerSecond: 0 });
  source.push("a\nb\nc\n");
  source.close();
  await tail.ended;
  assert.deepEqual(lines, ["a"]);
}, { ids: ["IO-14"] });

/** A clock that a callback moves by what it takes. */
function workingClock(): { readonly clock: Timer; work(ms: number): void } {
  let now = 0;
  const sleep = () => Promise.reject(new Error("Sleep not expected"));
  return {
    clock: { monotonic: () => now, sleep },
    work: (ms) => {
      now += ms;
    },
  };
}

test(
  "StderrTail hands all lines below the rate to a callback however slow",
  async () => {
    const { clock, work } = workingClock();
    const { source, tail, lines } = watch({ clock, onLine: () => work(90) });
    for (let n = 0; n < 10; n++) {
      source.push("line\n".repeat(80));
      await turn();
      work(1_000);
    }
    source.close();
    await tail.ended;
    assert.equal(lines.length, 800);
  },
  { ids: ["IO-14"] },
);

test("StderrTail warns once of more than the set bytes", async () => {
  const { source, tail, warnings } = watch({ warnBytes: 100_000 });
  source.push("x".repeat(100_000));
  await turn();
  assert.deepEqual(warnings, []);
  for (let i = 0; i < 3; i++) source.push("x".repeat(65_536));
  source.close();
  await tail.ended;
  assert.deepEqual(warnings, ["Process wrote over 100000 bytes to stderr"]);
}, { ids: ["IO-15"] });

test(
  "StderrTail does not call a callback again whose promise takes over a second",
  async () => {
    const clock = new FakeClock();
    const { source, tail, lines, warnings } = watch({
      clock,
      onLine: () => new Promise<void>(() => {}),
    });
    source.push("one\ntwo\n");
    await turn();
    await clock.advance(999);
    source.push("three\n");
    await turn();
    assert.deepEqual(lines, ["one", "two", "three"]);
    await clock.advance(1);
    source.push("four\n");
    await turn();
    source.close();
    await tail.ended;
    assert.deepEqual(lines, ["one", "two", "three"]);
    assert.equal(tail.lines, 4);
    assert.deepEqual(warnings, [
      "Callback for stderr is not called again: it took over 1000 ms",
    ]);
    assert.equal(clock.pending, 0);
  },
  { ids: ["IO-16"] },
);

test(
  "StderrTail does not call a callback again that blocked for over a second",
  async () => {
    let now = 0;
    const clock: Timer = { monotonic: () => now, sleep };
    const { source, tail, lines, warnings } = watch({
      clock,
      onLine: () => {
        now += 1_200;
      },
    });
    source.push("one\ntwo\n");
    source.close();
    await tail.ended;
    assert.deepEqual(lines, ["one"]);
    assert.equal(tail.lines, 2);
    assert.equal(warnings.length, 1);

    function sleep(): Promise<void> {
      return Promise.reject(new Error("Sleep not expected"));
    }
  },
  { ids: ["IO-16"] },
);

test("StderrTail ends quietly when the pipe breaks", async () => {
  const { source, tail } = watch();
  source.push("some\n");
  await turn();
  source.fail();
  await tail.ended;
  assert.equal(tail.text(), "some\n");
});

test("StderrTail.giveUpSoon() ends a stream that another process keeps open", async () => {
  const clock = new FakeClock();
  const { source, tail, lines } = watch({ clock });
  source.push("par");
  await turn();
  tail.giveUpSoon();
  source.push("tial");
  await clock.advance(200);
  await tail.ended;
  assert.deepEqual(lines, ["partial"]);
  assert.equal(clock.pending, 0);
});

test("StderrTail.giveUpSoon() reads on while something comes, for a second at most", async () => {
  const clock = new FakeClock();
  const { source, tail, lines } = watch({ clock });
  tail.giveUpSoon();
  for (let n = 0; n < 3; n++) {
    source.push(`late ${n}\n`);
    await clock.advance(150);
  }
  assert.deepEqual(lines, ["late 0", "late 1", "late 2"]);
  let isOver = false;
  tail.ended.then(() => isOver = true);
  for (let n = 0; n < 40 && !isOver; n++) {
    source.push("noise\n");
    await clock.advance(40);
  }
  assert.equal(isOver, true);
  assert.equal(clock.pending, 0);
});

test("ByteTail.text() is the newest bytes, whatever the pieces were", () => {
  let state = 7;
  const random = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % below;
  };
  for (const capacity of [0, 1, 2, 10, 1_024, 5_000]) {
    const tail = new ByteTail(capacity);
    let all = "";
    for (let i = 0; i < 60; i++) {
      const length = random(i % 10 === 0 ? capacity * 3 + 2 : 40);
      const piece = Array.from(
        { length },
        () => String.fromCharCode(97 + random(26)),
      ).join("");
      tail.push(encoder.encode(piece));
      all += piece;
      assert.equal(tail.text(), capacity === 0 ? "" : all.slice(-capacity));
    }
  }
}, { ids: ["IO-04"] });

test(
  "ByteTail.text() begins with a whole line when its beginning is cut off",
  () => {
    for (
      const [text, expected] of [
        ["abc\nde\nf", "de\nf"],
        ["abcdefgh\n", "cdefgh\n"],
        ["abcdefghi", "cdefghi"],
        ["ab\ndefg", "ab\ndefg"],
      ] as const
    ) {
      const tail = new ByteTail(7);
      tail.push(encoder.encode(text));
      assert.equal(tail.text(), expected);
    }
  },
  { ids: ["E-07", "IO-04"] },
);

test("ByteTail.text() keeps bytes that are no text, as far as text can show them", () => {
  const tail = new ByteTail(100);
  tail.push(new Uint8Array([0x80, 0x41, 0xff, 0x42]));
  assert.equal(tail.text(), "\ufffdA\ufffdB");
});
