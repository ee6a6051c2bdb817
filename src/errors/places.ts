import { MOST_LEVELS, REDACTED } from "./text.ts";

/** Place of a part within data. */
export interface Place {
  /** Whether a name above it says that it is secret. */
  readonly isSecret: boolean;
  /** The name right above it; `env` and `headers` from there on down. */
  readonly place: string;
}

export interface Visitor {
  /** Whether a name says that what stands below it is secret. */
  readonly isSecretName: (name: string) => boolean;
  /** Takes a text, a number or an object of a class; gives what takes its place. */
  readonly leaf: (value: unknown, where: Place) => unknown;
  /** The same of a command line, whose parts are leaves as well. */
  readonly command: (args: readonly unknown[]) => readonly unknown[];
}

const PUBLIC_HEADER =
  /^(?:accept(?:-\w+)?|cache-control|connection|content-\w+|host|mcp-protocol-version|origin|referer|user-agent)$/i;

/** Visits all parts of some data; the same data where nothing took another's place. What is too deep, or holds itself, is redacted. */
export function mapData(
  value: unknown,
  visitor: Visitor,
  where: Place = { isSecret: false, place: "" },
  open: readonly unknown[] = [],
): unknown {
  if (!isPlain(value)) return visitor.leaf(value, where);
  if (open.length === MOST_LEVELS || open.includes(value)) return REDACTED;
  const { isSecret, place } = where;
  const visit = (part: unknown, below: Place) =>
    mapData(part, visitor, below, [...open, value]);
  if (Array.isArray(value)) {
    const isCommand = !isSecret &&
      (place === "args" || value.every((one) => typeof one === "string"));
    const items = isCommand ? visitor.command(value) : value;
    const below = isCommand ? { isSecret, place: "" } : where;
    return sameOr(value, items.map((one) => visit(one, below)));
  }
  const parts = Object.entries(value).map(([name, part]) => {
    const isPublic = place === "headers" && PUBLIC_HEADER.test(name);
    const isSchema = holdsSchemas(place) && typeof part === "object";
    const below = {
      isSecret: !isPublic &&
        (isSecret || !isSchema && visitor.isSecretName(name)),
      place: place === "env" || place === "headers" ? place : name,
    };
    return [name, visit(part, below)];
  });
  return sameOr(value, Object.fromEntries(parts));
}

/** A list, or an object without a class: data, and nothing that lives. */
export function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Whether the names under a name are those of a schema: `properties.password` holds no password. */
export function holdsSchemas(name: string): boolean {
  return name === "properties" || name === "definitions" || name === "$defs";
}

function sameOr(before: object, after: object): object {
  const isSame = Object.entries(after)
    .every(([name, part]) => Reflect.get(before, name) === part);
  return isSame ? before : after;
}
