import { isWindows, resolvePath } from "./paths.ts";

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

/** The directories of PATH, each once. Empty entries, which mean the working directory, are left out: nobody means them. */
export function pathDirectories(
  { directory, env, platform }: {
    /** What relative entries begin at. */
    readonly directory: string;
    readonly env: Readonly<Record<string, string>>;
    /** Operating system. */
    readonly platform: string;
  },
): string[] {
  const windows = isWindows(platform);
  const entries = (variable(env, "PATH", platform) ?? "")
    .split(windows ? ";" : ":")
    .map((entry) => windows ? entry.replaceAll('"', "").trim() : entry)
    .filter((entry) => entry !== "");
  return [
    ...new Set(entries.map((entry) => resolvePath(directory, entry, platform))),
  ];
}

function isSameName(one: string, other: string): boolean {
  return one.toUpperCase() === other.toUpperCase();
}
