/** The session of this page. */
export const SESSION: string =
  new URL(location.href).searchParams.get("session") ?? "";

/** Sends something about this session; resolves with an error text, if there is one. */
export async function send(
  path: "prompt" | "interrupt" | "answer",
  body: Readonly<Record<string, unknown>>,
): Promise<string | undefined> {
  try {
    const response = await fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ session: SESSION, ...body }),
    });
    if (response.ok) return undefined;
    return await response.text() || `The answer was ${response.status}`;
  } catch {
    return "sluice web does not answer any more";
  }
}
