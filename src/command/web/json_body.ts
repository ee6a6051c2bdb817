import { isObject } from "../../errors/text.ts";

/** A status of HTTP, and why. */
export type Reply = readonly [status: number, text?: string];

/** The JSON object of a request; the reply to one that has none. */
export async function readJson(
  { body, headers }: Request,
  mostBytes: number,
): Promise<
  | { readonly value: Readonly<Record<string, unknown>> }
  | { readonly reply: Reply }
> {
  const type = headers.get("content-type") ?? "";
  // Pages of other sites may send plain text without asking first.
  if (!/^application\/json\s*(?:;|$)/i.test(type)) {
    return { reply: [415, "This takes application/json"] };
  }
  const decoder = new TextDecoder();
  let text = "";
  let length = 0;
  for await (const bytes of body ?? []) {
    length += bytes.length;
    if (length > mostBytes) {
      return { reply: [413, `This takes ${mostBytes} bytes at most`] };
    }
    text += decoder.decode(bytes, { stream: true });
  }
  try {
    const value: unknown = JSON.parse(text + decoder.decode());
    if (isObject<unknown>(value)) return { value };
  } catch {
    // Not JSON is no object either.
  }
  return { reply: [400, "This takes a JSON object"] };
}
