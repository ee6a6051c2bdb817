import { isObject, parsedJson } from "../errors/text.ts";
import { limitedText } from "../stream/limited_text.ts";

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
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const { text, isWhole } = await limitedText(
    body?.getReader(),
    mostBytes,
    decoder,
  );
  if (isWhole) return text;
  throw new Error(`Body has more than ${mostBytes} bytes`);
}
