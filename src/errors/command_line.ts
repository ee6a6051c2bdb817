import { REDACTED } from "./text.ts";
import { isSecretName } from "./secret_names.ts";

const HEADER_FLAG = /^(?:H|header)$/;

interface ShownArgument {
  readonly shown: string;
  readonly secrets: readonly string[];
}

/** A command line in which values of flags and variables with telling names are left out. */
export function redactCommand(args: readonly string[]): string[] {
  return walkArguments(args).map(({ shown }) => shown);
}

/** A path as it may be shown; a whole command line may stand in its place. */
export function redactPath(path: string): string {
  const parts = path.split(/(\s+|[\\/](?=-))/);
  const words = redactCommand(parts.filter((_, at) => at % 2 === 0));
  return parts.map((part, at) => at % 2 === 0 ? words[at / 2] : part).join("");
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
      return { shown: REDACTED, secrets: [argument] };
    }
    isValueSecret = false;
    if (flag === null) return redactAssignment(argument);
    const isSecret = HEADER_FLAG.test(name) || isSecretName(name);
    if (value === undefined) {
      isValueSecret = isSecret;
      return { shown: argument, secrets: [] };
    }
    const { shown, secrets } = isSecret || isInline(value)
      ? { shown: REDACTED, secrets: [value] }
      : redactAssignment(value);
    return { shown: argument.slice(0, -value.length) + shown, secrets };
  });
}

/** A document itself, not the path of one. */
export function isInline(value: string): boolean {
  return /^[[{]/.test(/\S/.exec(value)?.[0] ?? "");
}

/** `NAME=value`, as containers accept it. */
export function redactAssignment(text: string): ShownArgument {
  const [, name = "", value = ""] = /^([\w.-]{1,100})=([^]+)$/.exec(text) ?? [];
  // Here PWD is no directory.
  return [name, name.toLowerCase()].some(isSecretName)
    ? { shown: `${name}=${REDACTED}`, secrets: [value] }
    : { shown: text, secrets: [] };
}
