import type { JsonValue } from "../types/json.ts";
import { spelledOut } from "./visible.ts";

/** Most words or letters that a note names. */
const MOST_NAMED = 5;
const MOST_LETTERS = 40;
const WORDS = /[\p{L}\p{M}\p{N}_]+/gu;
/** Scripts with letters that look like those of the Latin one. */
const LOOK_ALIKES = /[\p{Script=Cyrillic}\p{Script=Greek}]/u;

/** Words of an input that mix Latin letters with look-alikes of another script, their codes in place of the letters. */
export function mixedWords(value: JsonValue): readonly string[] {
  const words = new Set<string>();
  collectMixed(value, words);
  return [...words].map(spelledOut);
}

function collectMixed(
  value: JsonValue | undefined,
  words: Set<string>,
): void {
  if (typeof value === "object" && value !== null) {
    for (const part of Object.values(value)) collectMixed(part, words);
  } else if (typeof value === "string" && LOOK_ALIKES.test(value)) {
    for (const [word] of value.matchAll(WORDS)) {
      if (words.size === MOST_NAMED) return;
      if (LOOK_ALIKES.test(word) && /\p{Script=Latin}/u.test(word)) {
        words.add(word.slice(0, MOST_LETTERS));
      }
    }
  }
}

/** Codes of the characters beyond ASCII: `U+430`. */
export function codesIn(text: string): readonly string[] {
  const all = new Set(text.match(/[\u{80}-\u{10ffff}]/gu));
  const codes = [...all].slice(0, MOST_NAMED)
    .map((one) => `U+${one.codePointAt(0)?.toString(16).toUpperCase()}`);
  return all.size > MOST_NAMED ? [...codes, "..."] : codes;
}
