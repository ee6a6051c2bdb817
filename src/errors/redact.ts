import { isInline, redactCommand } from "./command_line.ts";
import {
  holdsSchemas,
  isHiddenName,
  isPlain,
  isSecretPart,
  looksRandom,
  looksScrubbed,
  type Place,
} from "./secrets.ts";
import { MOST_LEVELS, REDACTED } from "./text.ts";

/**
 * A value as it may stand in logs, errors and recordings: every text under a telling name is left out, at any depth, and so are
 * keys that show by themselves. What is too deep, or holds itself, is left out as a whole.
 */
export function withoutSecrets<Value>(value: Value): Value {
  return redacted(value, START) as Value;
}

/** Options that hold a command line. */
const ARGUMENTS = /^(?:args|cliPath|extraArgs)$/;
/** A number with fewer digits is no secret. */
const SHORTEST_NUMBER = 6;

/** The value of an option as it may stand in an error. */
export function shownOption(key: string, value: unknown): unknown {
  const names = key.replaceAll("[", ".").split(".");
  const isSecret = names.some((name, at) =>
    !holdsSchemas(names[at - 1] ?? "") && isHiddenName(name)
  );
  // One argument does not say what stood before it.
  const isArgument = /(?:^|\.)(?:args|cliPath)\[\d+\]$/.test(key);
  // A text in the place of a server may be its command line.
  const isServer = /(?:^|\.)mcpServers(?:\.[^.]+)?$/.test(key);
  const isDocument = typeof value === "string" && (isServer || isInline(value));
  // Whatever it was meant for, it may have got into the wrong option.
  const isRandom = typeof value === "string" && looksRandom(value);
  return isSecret || isArgument || isDocument || isRandom
    ? hidden(value)
    : redacted(value, { ...START, place: names.at(-1) ?? "", isOption: true });
}

function hidden(value: unknown): unknown {
  const isText = typeof value === "string" && value !== "";
  const isNumber = (typeof value === "number" || typeof value === "bigint") &&
    String(value).length >= SHORTEST_NUMBER;
  return isText || isNumber || (typeof value === "object" && value !== null)
    ? REDACTED
    : value;
}

interface OpenPlace extends Place {
  /** The objects round it. */
  readonly open: readonly object[];
  /** Whether it is part of an option, which may be of any type. */
  readonly isOption: boolean;
}

const START: OpenPlace = {
  isSecret: false,
  place: "",
  open: [],
  isOption: false,
};

/** The same value when nothing in it is secret. */
function redacted(value: unknown, where: OpenPlace): unknown {
  const { isSecret, place, open, isOption } = where;
  if (isOption && ARGUMENTS.test(place) && !Array.isArray(value)) {
    return hidden(value);
  }
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
  const inside = { ...where, open: [...open, value] };
  if (Array.isArray(value)) {
    const isCommand = isOption && ARGUMENTS.test(place) ||
      value.every((one) => typeof one === "string");
    const items = isCommand && !isSecret ? withoutArguments(value) : value;
    // A text of a command line was looked at with those before it.
    const ofText = { ...inside, isOption: false };
    return sameOr(
      value,
      items.map((one) =>
        redacted(one, typeof one === "string" ? ofText : inside)
      ),
    );
  }
  const parts = Object.entries(value).map(([name, part]) => {
    const isTold = isSecretPart(name, part, where, isHiddenName);
    return [name, redacted(part, { ...inside, isSecret: isTold, place: name })];
  });
  return sameOr(value, Object.fromEntries(parts));
}

/** A command line; what is no text in it is hidden after a flag that tells. */
function withoutArguments(list: readonly unknown[]): readonly unknown[] {
  const texts = list.map((one) => typeof one === "string" ? one : "");
  return redactCommand(texts).map((shown, at) =>
    shown === texts[at] ? list[at] : shown
  );
}

function sameOr(before: object, after: object): object {
  const isSame = Object.entries(after)
    .every(([name, part]) => Reflect.get(before, name) === part);
  return isSame ? before : after;
}
