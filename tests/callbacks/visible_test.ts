import assert from "node:assert/strict";
import { asciiRows, toRows, visible } from "../../src/callbacks/visible.ts";
import { test } from "../_harness.ts";

const escaped = (text: string) =>
  Array.from(text, (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`).join(
    "",
  );

test("Characters that a terminal of 2016 does not know appear as escapes, on every runtime", () => {
  const unknown = [
    // Assigned by Unicode 10 to 17, in the BMP.
    ..."\u0560\u1c90\u20bf\u20c0\u2e5d\u32ff\u9fff\ua7ba\ua7cb\uab68",
    // Never assigned, or for private use.
    ..."\u0378\ue000\uffff\u{10ffff}",
    // Emoji, letters and ideographs beyond the BMP.
    ..."\u{1fae8}\u{1f6d5}\u{1f9e0}\u{1f1e6}\u{1d400}\u{10400}\u{2a6d7}\u{2b740}\u{323af}",
    // Vowels and finals of Hangul, which take no column.
    ..."\u1161\u11a8\ud7b0\ud7fb",
  ];
  for (const one of unknown) {
    assert.equal(visible(`a${one}b`), `a${escaped(one)}b`);
  }
});

test("Well-known letters, ideographs and emoji appear as they are", () => {
  for (
    const text of [
      "caf\u00e9 \u0436 \u03bb \u6f22 \ud55c \u3042 \u20ac \u2705",
      "\u{1f300}\u{1f600}\u{1f64f}\u{1f680}\u{1f6c5}\u{1f916}\u{1f926}\u{1f980}",
      "\u{20000}\u{2a6d6}",
    ]
  ) assert.equal(visible(text), text);
});

test("Every letter of a right-to-left script appears as an escape, so that a terminal moves none", () => {
  const right =
    /^[\p{sc=Hebr}\p{sc=Arab}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}\p{sc=Samr}\p{sc=Mand}]$/u;
  for (let code = 0x80; code < 0x10000; code++) {
    const one = String.fromCharCode(code);
    if (right.test(one)) assert.equal(visible(`${one} 2`), `${escaped(one)} 2`);
  }
  assert.notEqual(
    visible("cp -f 2024 \u05d2\u05d9"),
    visible("cp -f \u05d2\u05d9 2024"),
  );
});

test("A combining mark appears as it is only on a letter of a script that needs marks", () => {
  const bases = "ixjleq\u0436\u03bb1|_-. ";
  for (const base of bases) {
    for (const mark of "\u0301\u0307\u0335\u0338\u0483\u20e3") {
      assert.equal(visible(`a${base}${mark}b`), `a${base}${escaped(mark)}b`);
    }
  }
  assert.equal(visible("x\u0323\u0307"), "x\\u{323}\\u{307}");
  for (const text of ["\u0915\u093f", "\u0e01\u0e34\u0e49"]) {
    assert.equal(visible(text), text);
  }
  // Behind an escape, none stands on its bracket.
  for (const hidden of ["\u115f", "\u0d54\u0560", "\u0e01\u{1e94a}"]) {
    assert.equal(visible(`${hidden}\u0e34`), `${visible(hidden)}\\u{e34}`);
  }
});

test("In ASCII, no two texts look alike, wherever their rows end", () => {
  const texts = [
    "\\\u00e9",
    "\\\\\u00e9",
    "\\u{e9}",
    "\\\\u{e9}",
    "\\\\\\u{e9}",
    " ".repeat(50),
    "\u27e850 spaces\u27e9",
    "\\u{20}<50 spaces>",
    "\\u{20}<50 spaces\u27e9",
  ];
  for (let length = 40; length < 76; length++) {
    const shown = texts.map((text) =>
      asciiRows(toRows(`${"a".repeat(length)}${text}b`, 60), 60).join("\n")
    );
    assert.equal(new Set(shown).size, texts.length, shown.join("\n"));
  }
  assert.deepEqual(asciiRows([visible(`a${" ".repeat(50)}b`)], 100), [
    "a\\u{20}<50 spaces>b",
  ]);
});

test("No blank stands at the end of a row, where it could not be seen", () => {
  const after = ["\u00e9", "\u6f22", "\u0928\u093f", "\u{1f600}", "x", "\t"];
  for (const columns of [20, 37, 80]) {
    for (let length = columns - 12; length < columns + 3; length++) {
      const shown = after.flatMap((next) =>
        [0, 1, 2, 7, 19, 39].map((blanks) =>
          toRows(`${"a".repeat(length)}${" ".repeat(blanks)}${next}b`, columns)
        )
      );
      for (const row of shown.flat()) assert.doesNotMatch(row, /[^:] $/);
      const screens = new Set(
        shown.map((rows) => rows.map((row) => row.trimEnd()).join("\n")),
      );
      assert.equal(screens.size, shown.length);
    }
  }
  for (const letters of [16, 17]) {
    assert.deepEqual(toRows(`${"a".repeat(letters)} \u00e9b`, 20), [
      `  ${"a".repeat(letters)}`,
      "  :  \u00e9b",
    ]);
  }
});

test("A letter and its marks stay in one row", () => {
  for (let length = 60; length < 80; length++) {
    const rows = toRows(`${"a".repeat(length)}\u0928\u093f`, 80);
    assert.ok(rows.join("\n").includes("\u0928\u093f"), rows.join("\n"));
  }
});
