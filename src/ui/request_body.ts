import { isObject, parsedJson } from "../errors/text.ts";

/** Whether a request sends JSON: pages of other sites may send other types without asking first. */
export function hasJson({ headers }: Request): boolean {
  const type = headers.get("content-type") ?? "";
  return /^application\/json\s*(?:;|$)/i.test(type);
}

/** Reads the JSON object of a request; throws when it is malformed, or too large, without reading the rest. */
export async function readJson(
  request: Request,
  mostBytes: number,
): Promise<Readonly<Record<string, unknown>>> {
  const body: unknown = parsedJson(await readText(request, mostBytes));
  if (body === undefined) throw new Error("Body is not JSON");
  if (!isObject<unknown>(body)) throw new Error("Body must be a JSON object");
  return body;
}

async function readText(
  { body }: Request,
  mostBytes: number,
): Promise<string> {
  const reader = body?.getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  let bytes = 0;
  while (reader !== undefined) {
    const { value, done } = await reader.read();
    if (done) break;
    bytes += value.byteLength;
    if (bytes > mostBytes) {
      reader.cancel().catch(() => {});
      throw new Error(`Body has more than ${mostBytes} bytes`);
    }
    text += decoder.decode(value, { stream: true });
  }
  return text + decoder.decode();
}
