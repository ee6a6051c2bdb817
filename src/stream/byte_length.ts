/** UTF-8 bytes of a token, about; JSON has fewer. Source: specification of the session store. */
export const BYTES_PER_TOKEN = 4;

const encoder = new TextEncoder();
const scratch = new Uint8Array(16 * 1024);

/** Length of a text in UTF-8, without a copy of the whole, which takes ten times as long; half of a surrogate pair counts 3, as its replacement does. */
export function byteLength(text: string): number {
  let bytes = 0;
  for (let from = 0; from < text.length;) {
    const rest = from === 0 ? text : text.slice(from);
    const { read, written } = encoder.encodeInto(rest, scratch);
    bytes += written;
    from += read;
  }
  return bytes;
}
