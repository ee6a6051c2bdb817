/** SHA-256 of a text, in hexadecimal digits. */
export async function hexDigest(text: string): Promise<string> {
  return Array.from(
    await digest(text),
    (byte) => byte.toString(16).padStart(2, "0"),
  ).join("");
}

/** SHA-256 of a text, in base64. */
export async function base64Digest(text: string): Promise<string> {
  return btoa(String.fromCharCode(...await digest(text)));
}

async function digest(text: string): Promise<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}
