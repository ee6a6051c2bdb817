/** The text of a body, or only its beginning. */
export interface LimitedText {
  readonly text: string;
  /** Whether that is all of it. */
  readonly isWhole: boolean;
}

/** Reads the text of a body; of one with more bytes than that only the beginning, and no more of it is fetched. */
export async function limitedText(
  reader: ReadableStreamDefaultReader<Uint8Array> | undefined,
  mostBytes: number,
  decoder: TextDecoder = new TextDecoder(),
): Promise<LimitedText> {
  let text = "";
  let bytes = 0;
  while (reader !== undefined) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.byteLength;
    if (bytes > mostBytes) {
      reader.cancel().catch(() => {});
      return { text, isWhole: false };
    }
    text += decoder.decode(value, { stream: true });
  }
  return { text: text + decoder.decode(), isWhole: true };
}
