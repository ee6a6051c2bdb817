export function isWindows(platform: string): boolean {
  return platform === "win32";
}

/** Whether a path begins at a root, on a platform that need not be this one. */
export function isAbsolutePath(path: string, platform: string): boolean {
  return isWindows(platform)
    ? /^(?:[a-z]:)?[\\/]/i.test(path)
    : path.startsWith("/");
}

/** Whether a command is a path; a bare name is looked up in PATH. */
export function isPath(command: string, platform: string): boolean {
  return isWindows(platform) ? /[\\/:]/.test(command) : command.includes("/");
}

/** A path from a directory, without `.` and `..`, with the platform's own slashes. */
export function resolvePath(
  directory: string,
  path: string,
  platform: string,
): string {
  const windows = isWindows(platform);
  const isRooted = isAbsolutePath(path, platform);
  let whole = isRooted ? path : `${directory}/${path}`;
  if (windows) {
    whole = whole.replaceAll("/", "\\");
    // A root without a drive means the drive of the directory.
    if (/^\\(?!\\)/.test(whole)) {
      whole = (/^[a-z]:/i.exec(directory)?.[0] ?? "") + whole;
    }
  }
  const slash = windows ? "\\" : "/";
  // The root, which `..` cannot leave: `/`, `C:\`, `\\server\share\`.
  const root = windows
    ? /^(?:[a-z]:\\|\\\\[^\\]+\\[^\\]+\\?)/i.exec(whole)?.[0] ?? ""
    : "/";
  const parts: string[] = [];
  for (const part of whole.slice(root.length).split(slash)) {
    if (part === "" || part === ".") continue;
    if (part === "..") parts.pop();
    else parts.push(part);
  }
  return root + parts.join(slash);
}

/** A path from the working directory of this program, which an absolute one does not need: it may have been deleted. */
export function fromHere(
  { cwd, platform }: { cwd(): string; readonly platform: string },
  path: string,
): string {
  const isComplete = !isWindows(platform) && isAbsolutePath(path, platform);
  return resolvePath(isComplete ? "/" : cwd(), path, platform);
}

/** The directory that holds a path; a root holds itself. */
export function parentOf(path: string, platform: string): string {
  return resolvePath(path, "..", platform);
}

/** A directory and all above it, the nearest first. */
export function upwards(directory: string, platform: string): string[] {
  const all: string[] = [];
  let at = resolvePath(directory, ".", platform);
  for (; at !== all.at(-1); at = parentOf(at, platform)) all.push(at);
  return all;
}

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

/** The directories of PATH, each once. Empty entries, which mean the working directory, are left out. */
export function pathDirectories(
  { directory, env, platform }: {
    /** Base of relative entries. */
    readonly directory: string;
    readonly env: Readonly<Record<string, string>>;
    readonly platform: string;
  },
): string[] {
  const windows = isWindows(platform);
  const paths = (variable(env, "PATH", platform) ?? "")
    .split(windows ? ";" : ":")
    .map((entry) => windows ? entry.replaceAll('"', "").trim() : entry)
    .filter((entry) => entry !== "")
    .map((entry) => resolvePath(directory, entry, platform));
  return [...new Set(paths)];
}

function isSameName(one: string, other: string): boolean {
  return one.toUpperCase() === other.toUpperCase();
}
