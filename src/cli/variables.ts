import { isWindows } from "./paths.ts";

/** A variable's value; names have no case on Windows. Empty counts as unset. */
export function variable(
  env: Readonly<Record<string, string>>,
  name: string,
  platform: string,
): string | undefined {
  const value = env[name] ??
    (isWindows(platform)
      ? Object.entries(env).find(([key]) => isSameName(key, name))?.[1]
      : undefined);
  return value === "" ? undefined : value;
}

/** The parent's variables with own ones over them; `undefined` removes one. */
export function mergeVariables(
  parent: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string | undefined>>,
  platform: string,
): Record<string, string> {
  const merged = { ...parent };
  for (const [name, value] of Object.entries(own)) {
    if (isWindows(platform)) {
      for (const key of Object.keys(merged)) {
        if (isSameName(key, name)) delete merged[key];
      }
    }
    if (value === undefined) delete merged[name];
    else merged[name] = value;
  }
  return merged;
}

/** Without what a program inherits of an agent or debugger around it, and which would change what it does. */
export function withoutNested(
  env: Readonly<Record<string, string>>,
): Record<string, string> {
  const { CLAUDECODE: _1, DEBUG: _2, NODE_OPTIONS: _3, ...rest } = env;
  return rest;
}

function isSameName(one: string, other: string): boolean {
  return one.toUpperCase() === other.toUpperCase();
}
