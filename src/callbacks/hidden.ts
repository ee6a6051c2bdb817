/** Unassigned in Unicode 9 and assigned since: terminals with older tables draw nothing, whatever this runtime knows. */
const NEWER = classOf(`
  560 588 9fc-a00 a76-a80 afa-b00 b4e-b55 c04 c3a-c3c c5b-c5f c70-c77 c84
  cd7-cdd cf3-d00 d04 d3b-d3c d80-d81 e85-e86 e89 e8b-e8c e8e-e93 e98 ea0
  ea8-ea9 eac eba ece-ecf 170d 1715-171f 180f 1878-187f 1abf-1aff
  1b4c-1b4f 1b7d-1b7f 1c89-1cbf 1cf7 1cfa-1cff 1df6-1dfa 20bf-20cf 23ff
  2427-243f 2b96-2b97 2bba-2bbc 2bc9 2bd2-2beb 2bf0-2bff 2c2f 2c5f
  2e45-2e7f 2ffc-2fff 312e-3130 31bb-31bf 31e4-31ef 32ff 4db6-4dbf
  9fd6-9fff a7af a7b8-a7f6 a82c-a82f a8fe-a8ff ab66-ab6f
`);
/** Scripts that are written from right to left: many terminals reorder their letters, with digits, blanks and signs between them. */
const RIGHT_TO_LEFT = classOf("590-8ff fb1d-fdff fe70-feff");
/** Vowels and finals of Hangul syllables, which take no column. */
const JAMO = classOf("1160-11ff d7b0-d7ff");
/** Outside of the BMP, emoji of Unicode 9 and ideographs of Extension B are known to terminals. */
const KNOWN = classOf(
  "1f300-1f64f 1f680-1f6c5 1f910-1f91e 1f920-1f927 1f980-1f991 20000-2a6d6",
);
/** Characters that a terminal obeys, moves, draws as nothing or as a blank, or may not know. */
const NOT_DRAWN = [
  String.raw`[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]`,
  String.raw`(?! )\p{Zs}`,
  `[${JAMO}${RIGHT_TO_LEFT}${NEWER}]`,
  String.raw`(?![${KNOWN}])[\u{10000}-\u{10ffff}]`,
].join("|");
/** A letter of a script that writes with marks. */
const BASE = String
  .raw`(?![\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Common}]|${NOT_DRAWN})\p{L}`;
/** Every mark but the first three on such a letter. */
const MARK = String.raw`(?<!${BASE}(?:(?!${NOT_DRAWN})\p{M}){0,2})\p{M}`;

/** Source of an expression for characters that are spelled out. */
export const HIDDEN: string = `${NOT_DRAWN}|${MARK}`;

/** Ranges of hexadecimal codes, as a part of a class. */
function classOf(ranges: string): string {
  return ranges.replace(/[\da-f]+/g, "\\u{$&}").replace(/\s/g, "");
}
