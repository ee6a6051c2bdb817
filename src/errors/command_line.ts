import { isSecretName } from "./secrets.ts";
import { REDACTED } from "./text.ts";

/** Flags whose value is a header. */
const HEADER_FLAGS = new Set(["H", "header"]);

/** An argument as it may be shown, and the secret that was in it. */
export interface ShownArgument {
  readonly shown: string;
  readonly secret?: string;
}

/** A command line in which values of flags and variables with telling names are left out. */
export function redactCommand(args: readonly string[]): string[] {
  return walkArguments(args).map(({ shown }) => shown);
}

/** A command line for people: quoted where it must be, never to be run. */
export function showCommand(command: readonly string[]): string {
  return command
    .map((one) => /^[\w@%+=:,.\\/[\]-]+$/.test(one) ? one : JSON.stringify(one))
    .join(" ");
}

/** Finds the secrets of a command line by the names that stand before them. */
export function walkArguments(args: readonly string[]): ShownArgument[] {
  let isValueSecret = false;
  return args.map((argument) => {
    const flag = /^--?([A-Za-z][\w-]*)(?:=([^]*))?$/.exec(argument);
    const [, name = "", value] = flag ?? [];
    const isValue = flag === null ||
      (isValueSecret && !argument.startsWith("--"));
    // A document may hold anything.
    if (isValue && (isValueSecret || isInline(argument))) {
      isValueSecret = false;
      return { shown: REDACTED, secret: argument };
    }
    isValueSecret = false;
    if (flag === null) return redactAssignment(argument);
    const isSecret = HEADER_FLAGS.has(name) || isSecretName(name);
    if (value === undefined) {
      isValueSecret = isSecret;
      return { shown: argument };
    }
    const isHidden = isSecret || isInline(value);
    return isHidden
      ? {
        shown: argument.slice(0, argument.indexOf("=") + 1) + REDACTED,
        secret: value,
      }
      : { shown: argument };
  });
}

/** A document itself, not the path of one. */
export function isInline(value: string): boolean {
  return /^\s*[[{]/.test(value);
}

/** `NAME=value`, as containers take it. */
function redactAssignment(argument: string): ShownArgument {
  const [, name = "", value = ""] = /^(\w+)=([^]+)$/.exec(argument) ?? [];
  return value !== "" && isSecretName(name)
    ? { shown: `${name}=${REDACTED}`, secret: value }
    : { shown: argument };
}
