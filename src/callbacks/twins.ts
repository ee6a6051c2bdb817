/** More marks on one letter need no look: they are hidden characters. */
const MOST_MARKS = 16;

/**
 * Places of characters that are drawn like others: a mark that could be a part of its letter, marks in another order, a second code of the
 * same sign. A text without them is in the form NFC of Unicode, in which two different texts are never equivalent.
 */
export function twinsIn(line: string): ReadonlySet<number> {
  const places = new Set<number>();
  if (isComposed(line)) return places;
  let at = 0;
  // The last letter and its marks; empty behind a character that is spelled out.
  let letter = "";
  for (const one of line) {
    const isMark = /\p{M}/u.test(one);
    const next = isMark ? letter + one : one;
    if (
      isMark && letter === "" && places.size > 0 || !isComposed(letter + one)
    ) {
      places.add(at);
      letter = "";
    } else if (next.length < MOST_MARKS) letter = next;
    at += one.length;
  }
  return places;
}

/** Canonical equivalents are drawn alike, and only one of them is composed. */
function isComposed(text: string): boolean {
  return text.normalize("NFC") === text;
}
