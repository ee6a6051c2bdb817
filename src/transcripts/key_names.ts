import { fitting } from "../options/fields.ts";
import type { TranscriptKey } from "./store.ts";

/** Names of devices on Windows, with any ending. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/;

/**
 * A text as a name that is one file, or one part of a key, on any system: no separator, nothing hidden, and no two texts
 * with one name where case does not count. Small letters, digits, `.`, `_` and `-` stay; a capital is `+` and the small one.
 */
function toName(text: string): string {
  const name = text.replaceAll(
    /[^a-z0-9._-]/gu,
    (one) => /[A-Z]/.test(one) ? `+${one.toLowerCase()}` : escaped(one),
  );
  return name
    .replace(/^\./, escaped)
    .replace(/\.$/, escaped)
    .replace(DEVICE, (device) => escaped(device.charAt(0)) + device.slice(1));
}

/** The text that a name was made of; `undefined` for one that {@link toName} did not make. */
export function fromName(name: string): string | undefined {
  try {
    const text = decodeURIComponent(
      name.replaceAll(/\+([a-z])/g, (_, letter) => letter.toUpperCase()),
    );
    return toName(text) === name ? text : undefined;
  } catch {
    return undefined;
  }
}

/** The names of a key's parts, the last of them those of a path below the session. */
export function namesOf(
  { projectKey, sessionId, subpath }: TranscriptKey,
): readonly [project: string, session: string, ...path: string[]] {
  const below = subpath === undefined || subpath === ""
    ? []
    : nonEmpty("subpath", subpath).split("/").map((part) =>
      toName(nonEmpty("subpath", part))
    );
  return [
    toName(nonEmpty("projectKey", projectKey)),
    toName(nonEmpty("sessionId", sessionId)),
    ...below,
  ];
}

const content = fitting(
  "a text with content",
  (text) => typeof text === "string" && text !== "" && text.isWellFormed(),
);

function nonEmpty(field: string, text: string): string {
  content(text, field);
  return text;
}

function escaped(characters: string): string {
  const bytes = new TextEncoder().encode(characters);
  return Array.from(
    bytes,
    (byte) => `%${byte.toString(16).padStart(2, "0")}`,
  ).join("");
}
