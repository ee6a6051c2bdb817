/** Hex digits that nobody else draws. Not of Web Crypto, which takes a start on Node 2 ms to load: nothing here has to be hard to guess. */
export function randomHex(digits: number): string {
  let text = "";
  while (text.length < digits) {
    const word = Math.floor(Math.random() * 2 ** 32);
    text += word.toString(16).padStart(8, "0");
  }
  return text.slice(0, digits);
}
