import { literal } from "./wildcards.ts";

/** Bases of relative paths and of `~`. */
export interface PathBases {
  /** The working directory, absolute, links resolved; unknown = patterns of relative paths cover nothing. */
  readonly cwd?: string;
  /** The user's home; unknown = patterns and paths with `~` cover nothing. */
  readonly home?: string;
}

/** The second argument is the directory from which the path leads; default: that of the pattern. */
type PathTest = (path: string, cwd?: string) => boolean;

/**
 * A test for paths, from a pattern in the form of gitignore; `undefined` when the pattern cannot be understood.
 *
 * `//abs/x` from the root, `~/x` from home, `/x` and `./x` and `a/b` from the working directory, a name without slash
 * at any depth below it; `*`, `**` and `?` as usual, and what a pattern covers it covers with all inside.
 * Paths are compared as text, after `.` and `..` were resolved: a symbolic link inside a covered directory is covered.
 */
export function pathTest(
  pattern: string,
  place: PathBases,
): PathTest | undefined {
  if (/[[\]!\0]|^~[^/]/.test(pattern)) return undefined;
  const isWindows = place.cwd !== undefined &&
    /^[A-Za-z]:|^\\\\/.test(place.cwd);
  const text = isWindows ? pattern.replaceAll("\\", "/") : pattern;
  if (text.includes("\\")) return undefined;
  const [base, rest] = anchor(text, place, isWindows);
  if (base === undefined) return () => false;
  const isTied = rest.replace(/\/+$/, "").includes("/");
  const relative = rest.replace(/^\/+/, "").replace(/\/+$/, "");
  if (relative === "" || relative.split("/").includes("..")) return undefined;
  const start = base === "/" ? "" : literal(base);
  const deep = isTied ? "" : "(?:.*/)?";
  const test = new RegExp(`^${start}/${deep}${glob(relative)}(?:/.*)?$`, "s");
  return (path, cwd) => {
    // The CLI trims it, and would take another path than the one that was judged.
    if (path !== path.trim()) return false;
    const from = cwd === undefined ? place : { ...place, cwd };
    const absolute = absolutePath(path, from, isWindows);
    return absolute !== undefined && test.test(absolute);
  };
}

/** The directory that a pattern starts from, and what follows; a slash in front of that ties it to the directory. */
function anchor(
  pattern: string,
  place: PathBases,
  isWindows: boolean,
): [base: string | undefined, rest: string] {
  if (pattern.startsWith("//")) return ["/", pattern.slice(1)];
  if (isWindows && /^[A-Za-z]:\//.test(pattern)) {
    return ["/", fromDrive(pattern)];
  }
  const start = pattern.startsWith("~/") ? place.home : place.cwd;
  const base = start === undefined
    ? undefined
    : absolutePath(start, {}, isWindows);
  return [base, pattern.replace(/^[~.](?=\/)/, "")];
}

/** A path from the root, with `/` and without `.` and `..`; `undefined` when it has no known start. */
function absolutePath(
  path: string,
  place: PathBases,
  isWindows: boolean,
): string | undefined {
  if (path === "" || path.includes("\0")) return undefined;
  const text = isWindows ? path.replaceAll("\\", "/") : path;
  if (text === "~" || text.startsWith("~/")) {
    if (place.home === undefined) return undefined;
    return absolutePath(place.home + text.slice(1), {}, isWindows);
  }
  if (isWindows && /^[A-Za-z]:\//.test(text)) return resolved(fromDrive(text));
  if (text.startsWith("/")) return resolved(text);
  // "C:file" is relative to a directory that only Windows knows.
  if (place.cwd === undefined || /^~|^[A-Za-z]:/.test(text)) return undefined;
  return absolutePath(`${place.cwd}/${text}`, {}, isWindows);
}

/** `C:/x` as `/c/x`. */
function fromDrive(path: string): string {
  return `/${path.charAt(0).toLowerCase()}${path.slice(2)}`;
}

function resolved(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

function glob(pattern: string): string {
  return pattern.split("/").map((part, at, all) => {
    const isLast = at === all.length - 1;
    if (part !== "**") return oneName(part) + (isLast ? "" : "/");
    return isLast ? ".+" : "(?:.*/)?";
  }).join("");
}

function oneName(part: string): string {
  return literal(part).replace(/(?:\\\*)+/g, "[^/]*").replaceAll("\\?", "[^/]");
}
