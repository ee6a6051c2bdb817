import assert from "node:assert/strict";
import { JsonDecoder } from "@sluice/agent/unstable-streams";
import { keptBytes, longText } from "../_garbage.ts";
import { test } from "../_harness.ts";
import { pick, randomFrom } from "../options/_random.ts";

interface Bad {
  readonly text: string;
  readonly cause: unknown;
}

/** A decoder and what it reported. */
function decoder(maxTextLength?: number): {
  readonly json: JsonDecoder;
  readonly bad: readonly Bad[];
} {
  const bad: Bad[] = [];
  const onBadText = (text: string, cause: unknown) =>
    void bad.push({ text, cause });
  const json = new JsonDecoder(
    maxTextLength === undefined ? { onBadText } : { onBadText, maxTextLength },
  );
  return { json, bad };
}

function textsOf(bad: readonly Bad[]): string[] {
  return bad.map(({ text }) => text);
}

test("JsonDecoder.push() gives a value a line, in order, scalars too", () => {
  const { json, bad } = decoder();
  const values = json.push(['{"a":1}', "1", '"x"', "null", "[1]", " true\r"]);
  assert.deepEqual(values, [{ a: 1 }, 1, "x", null, [1], true]);
  assert.deepEqual(json.end(), []);
  assert.deepEqual(bad, []);
});

for (
  const [line, values, texts] of [
    ['\r{"a":1}', [{ a: 1 }], []],
    ['10%\r100%\r{"a":1}', [{ a: 1 }], ["10%\r100%"]],
    ['{"a":1}\r{"b":2}\r', [{ a: 1 }, { b: 2 }], []],
    ['{"a":1}\rdone', [{ a: 1 }], ["done"]],
    ['{"a":1}\r \t{"b":2}', [{ a: 1 }, { b: 2 }], []],
    ["10%\r100%", [], ["10%\r100%"]],
    ["{broken}\r", [], ["{broken}\r"]],
  ] as const
) {
  test(`JsonDecoder reads ${JSON.stringify(line)} as lines that a lone \\r ends`, () => {
    const { json, bad } = decoder();
    assert.deepEqual(json.push([line]), values);
    assert.deepEqual(textsOf(bad), texts);
  });
}

test("JsonDecoder gives up what is held for an object behind a lone \\r", () => {
  const { json, bad } = decoder();
  assert.deepEqual(json.push(['{"a":', '10%\r{"b":2}']), [{ b: 2 }]);
  assert.deepEqual(textsOf(bad), ['{"a":\n10%']);
});

test("JsonDecoder joins over lines that are values by themselves: only an object that holds something is a message of its own", () => {
  const values = [
    { list: [1, 2.5, -3], words: ["a", "b"], others: [true, false, null] },
    { empty: [{}], both: [[], {}], text: ["}"] },
    { deep: [[[1], [2]], [[]]], last: [0] },
  ];
  const { json, bad } = decoder();
  for (const value of values) {
    const lines = JSON.stringify(value, null, 2).split("\n");
    assert.ok(lines.some((line) => isJson(line)));
    assert.deepEqual(json.push(lines), [value]);
    assert.equal(json.isJoining, false);
  }
  assert.deepEqual(bad, []);
  assert.deepEqual(json.push(["{}", "[1]", "7", "{}"]), [{}, [1], 7, {}]);
});

test("JsonDecoder.giveUp() reports what is held now, and takes what comes later", () => {
  const { json, bad } = decoder();
  json.push(['{"a":', '"cut']);
  json.giveUp();
  json.giveUp();
  assert.deepEqual(textsOf(bad), ['{"a":\n"cut']);
  assert.equal(json.isJoining, false);
  assert.deepEqual(json.push(['{"b":2}']), [{ b: 2 }]);
});

test("JsonDecoder joins over lines that say nothing", () => {
  const { json, bad } = decoder();
  assert.deepEqual(json.push(['{"a":', "  ", "\r", "[2", "", "]}"]), [
    { a: [2] },
  ]);
  assert.deepEqual(bad, []);
});

test("JsonDecoder reports text that does not stop short at once, and once", () => {
  const lines = [
    "plain text",
    "{not json}",
    '{"a":1}}',
    '["cut',
    '"cut',
    "}",
    '{"a":{"b":1}',
  ];
  for (const line of lines) {
    const { json, bad } = decoder();
    assert.deepEqual(json.push([line]), []);
    assert.deepEqual(textsOf(bad), [line]);
    assert.ok(bad[0]?.cause instanceof SyntaxError);
    assert.equal(json.isJoining, false);
    assert.deepEqual(json.push(['{"next":1}']), [{ next: 1 }]);
    json.end();
    assert.equal(bad.length, 1);
  }
});

test("JsonDecoder reports a held text with all its lines, and with what was wrong with the first", () => {
  const { json, bad } = decoder();
  json.push(['  {"a": [', "oh }", "1,"]);
  assert.deepEqual(json.push(["null", '{"b":1}']), [{ b: 1 }]);
  assert.deepEqual(textsOf(bad), ['  {"a": [\noh }\n1,\nnull']);
  const { json: single, bad: alone } = decoder();
  single.push(['  {"a": [', '{"b":1}']);
  assert.equal(String(bad[0]?.cause), String(alone[0]?.cause));
});

test("JsonDecoder.end() reports what is still held, once", () => {
  const { json, bad } = decoder();
  json.push(['{"a":']);
  assert.equal(json.isJoining, true);
  assert.deepEqual(json.end(), []);
  assert.deepEqual(textsOf(bad), ['{"a":']);
  assert.deepEqual(json.end(), []);
  assert.equal(bad.length, 1);
});

test("JsonDecoder joins 64 lines and gives up one that is longer", () => {
  const inner = (count: number) =>
    Array.from({ length: count }, (_, i) => `"k${i}": ${i},`);
  const { json, bad } = decoder();
  const [value] = json.push(["{", ...inner(62), '"last": 0}']);
  assert.equal(Object.keys(value as object).length, 63);
  assert.deepEqual(bad, []);
  const tooMany = ["{", ...inner(63), '"last": 0}'];
  assert.deepEqual(json.push([...tooMany, '{"good":1}']), [{ good: 1 }]);
  assert.deepEqual(textsOf(bad), [tooMany.slice(0, 64).join("\n")]);
}, { ids: ["IO-10"] });

test(
  "JsonDecoder gives up a text that passes the limit, drops its rest and takes what comes later",
  () => {
    const { json, bad } = decoder(100);
    const flood = Array.from({ length: 5_000 }, () => '"0123456789": 1,');
    assert.deepEqual(json.push(["{"]), []);
    for (const line of flood) {
      assert.deepEqual(json.push([line]), []);
    }
    assert.equal(json.isJoining, true, "the next line may be dropped");
    assert.equal(bad.length, 1);
    assert.ok((bad[0]?.text.length ?? 0) < 120);
    assert.deepEqual(json.push(['{"good":1}', '{"printed":', "2}"]), [
      { good: 1 },
      { printed: 2 },
    ]);
    assert.equal(bad.length, 1);
  },
  { ids: ["IO-11"] },
);

test("JsonDecoder drops the rest of a text that was given up only until something begins", () => {
  const flood = Array.from({ length: 70 }, () => '"k": 1,');
  const { json, bad } = decoder();
  json.push(["{", ...flood, '{"new":', "1}"]);
  assert.equal(bad.length, 1);
  const { json: other, bad: all } = decoder();
  const rest = ["plain text", '{"c":1}', "more text"];
  assert.deepEqual(other.push(["{", ...flood, ...rest]), [{ c: 1 }]);
  assert.deepEqual(textsOf(all).slice(1), ["more text"]);
});

test("JsonDecoder takes an object of the limit's length over several lines", () => {
  const text = `{"a":"${"x".repeat(80)}",\n"b":1}`;
  const { json, bad } = decoder(text.length);
  assert.equal(json.push(text.split("\n")).length, 1);
  assert.deepEqual(bad, []);
});

test("JsonDecoder gives the same values however the lines arrive", () => {
  const random = randomFrom(5);
  const texts = [
    '{"a":1}',
    '{"a":1',
    '{\n"b":2,\n"c":{\n"d":3\n}\n}',
    "noise",
    "3",
    "{x}",
  ];
  for (let round = 0; round < 200; round++) {
    const lines = Array.from({ length: 12 }, () => pick(random, texts))
      .join("\n").split("\n");
    const whole = decoder();
    const expected = [...whole.json.push(lines), ...whole.json.end()];
    const parts = decoder();
    const values = lines.flatMap((line) => parts.json.push([line]));
    values.push(...parts.json.end());
    assert.deepEqual(values, expected);
    assert.deepEqual(textsOf(parts.bad), textsOf(whole.bad));
  }
});

test("JsonDecoder.push() throws what its listener throws, and never takes a good line for a bad one", () => {
  const told: string[] = [];
  const json = new JsonDecoder({
    onBadText: (text) => {
      told.push(text);
      throw new RangeError("enough");
    },
  });
  json.push(['{"a":']);
  assert.throws(() => json.push(['{"b":2}']), RangeError);
  assert.deepEqual(told, ['{"a":']);
});

test("JsonDecoder keeps nothing of a bad text alive with its error", () => {
  const bytes = keptBytes(() => {
    const causes: unknown[] = [];
    const json = new JsonDecoder({
      onBadText: (_, cause) => void causes.push(cause),
    });
    for (let i = 0; i < 30; i++) json.push([longText(i)]);
    assert.equal(causes.length, 30);
    assert.ok(causes.every((cause) => cause instanceof SyntaxError));
    return causes;
  });
  assert.ok(bytes < 10 * 1024 * 1024, `${bytes} bytes`);
}, { ids: ["IO-11"] });

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
