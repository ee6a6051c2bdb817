import { ConfigError } from "../errors/base.ts";
import type { Path } from "./engine.ts";

/** What the server takes as it is in a word of a subject; anything else is written as bytes. */
const PLAIN = /[A-Za-z0-9_-]/;
const LONGEST_SUBJECT = 2_000;

/** A path as words of a subject, each unlike that of any other path. */
export function subjectOf(root: string, path: Path): string {
  const subject = [root, ...path.map(encoded)].join(".");
  if (subject.length <= LONGEST_SUBJECT) return subject;
  throw new ConfigError({
    message:
      `A name must fit into ${LONGEST_SUBJECT} characters of a subject: it takes ${subject.length}`,
    key: "name",
  });
}

/** The path behind a subject. */
export function pathOf(root: string, subject: string): Path {
  return subject.slice(root.length + 1).split(".").map(decoded);
}

function encoded(word: string): string {
  const bytes = new TextEncoder().encode(word);
  const text = Array.from(bytes, (byte) => {
    const character = String.fromCharCode(byte);
    return byte < 128 && PLAIN.test(character)
      ? character
      : `=${byte.toString(16).padStart(2, "0")}`;
  }).join("");
  // A word of a subject cannot be empty.
  return text === "" ? "=" : text;
}

function decoded(word: string): string {
  if (word === "=") return "";
  return decodeURIComponent(word.replaceAll("=", "%"));
}
