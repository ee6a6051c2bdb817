import { redactCommand } from "./command_line.ts";
import { looksScrubbed } from "./scrubber.ts";
import {
  holdsSchemas,
  isPlain,
  isPublicHeader,
  isSecretName,
  isSecretPlace,
  MOST_LEVELS,
} from "./secrets.ts";
import { REDACTED } from "./text.ts";

/**
 * A value as it may stand in logs, errors and recordings: every text under a telling name is left out, at any depth, and so are
 * keys that show by themselves. What is too deep, or holds itself, is left out as a whole.
 */
export function withoutSecrets<Value>(value: Value): Value {
  return redacted(value, { isSecret: false, place: "", open: [] }) as Value;
}

/** The value of an option as it may stand in an error. */
export function shownOption(key: string, value: unknown): unknown {
  const names = key.replaceAll("[", ".").split(".");
  const isSecret = names.some((name, at) =>
    !holdsSchemas(names[at - 1] ?? "") &&
    (isSecretPlace(name) || isSecretName(name))
  );
  if (!isSecret) return withoutSecrets(value);
  const isText = typeof value === "string" && value !== "";
  return isText || (typeof value === "object" && value !== null)
    ? REDACTED
    : value;
}

/** Where a value stands. */
interface Place {
  /** Whether a name above it says that it is secret. */
  readonly isSecret: boolean;
  /** The name right above it. */
  readonly place: string;
  /** The objects round it. */
  readonly open: readonly object[];
}

/** The same value when nothing in it is secret. */
function redacted(value: unknown, { isSecret, place, open }: Place): unknown {
  if (typeof value === "string") {
    return isSecret && value !== "" ? REDACTED : looksScrubbed(value);
  }
  if (value instanceof URL) {
    const text = looksScrubbed(value.href);
    return text === value.href ? value : text;
  }
  if (!isPlain(value)) {
    const isObject = typeof value === "object" && value !== null;
    return isSecret && isObject ? REDACTED : value;
  }
  if (open.length === MOST_LEVELS || open.includes(value)) return REDACTED;
  const inside = { isSecret, open: [...open, value] };
  if (Array.isArray(value)) {
    const isTexts = value.every((one) => typeof one === "string");
    const items = isTexts && !isSecret ? redactCommand(value) : value;
    return sameOr(
      value,
      items.map((one) => redacted(one, { ...inside, place })),
    );
  }
  const parts = Object.entries(value).map(([name, part]) => {
    const isPublic = place === "headers" && isPublicHeader(name);
    const isSchema = holdsSchemas(place) && typeof part === "object";
    const tells = !isSchema && (isSecretPlace(name) || isSecretName(name));
    const isTold = !isPublic && (isSecret || tells);
    return [name, redacted(part, { ...inside, isSecret: isTold, place: name })];
  });
  return sameOr(value, Object.fromEntries(parts));
}

function sameOr(before: object, after: object): object {
  const old = Object.entries(before);
  const isSame = Object.entries(after)
    .every(([name, part], index) =>
      old[index]?.[1] === part && name === old[index]?.[0]
    );
  return isSame ? before : after;
}
