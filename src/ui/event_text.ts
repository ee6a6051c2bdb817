import type { PageEvent } from "./mapping.ts";

const encoder = new TextEncoder();

/** A comment: it keeps a silent connection open, and readers ignore it. */
export const HEARTBEAT: Uint8Array = encoder.encode(":\n\n");

/** Writes one event. JSON has no line breaks, so that no value can begin an event of its own. */
export function textOfEvent(event: PageEvent, id?: number): string {
  let text = id === undefined ? "" : `id: ${id}\n`;
  if ("raw" in event) text += `data: ${event.raw}`;
  else {
    const { name, data } = event;
    if (name !== undefined) text += `event: ${name}\n`;
    text += `data: ${JSON.stringify(data) ?? "null"}`;
  }
  return `${text}\n\n`;
}

/** Encodes texts of events. */
export function encode(text: string): Uint8Array {
  return encoder.encode(text);
}
