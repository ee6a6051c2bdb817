/** Facts and helpers that several scripts share. */
import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { stderr, stdout } from "node:process";
import { fileURLToPath } from "node:url";

/** The repository root, with a slash at the end. */
export const ROOT: URL = new URL("../", import.meta.url);

/** The repository root as a path, with a separator at the end. */
export const ROOT_PATH: string = fileURLToPath(ROOT);

/** This Deno itself; a bare `deno` may be missing from PATH under npx. */
export const DENO: string = Deno.execPath();

/** Bun by its path: inside `deno task` a bare `bun` is taken for a JavaScript file. */
export const BUN: string = Deno.build.os === "windows"
  ? `${ROOT_PATH}node_modules\\bun\\bin\\bun.exe`
  : `${ROOT_PATH}node_modules/.bin/bun`;

/** The npm packages that `src` may use; every other import is for development. */
export const RUNTIME_PACKAGES: readonly string[] = [
  "@modelcontextprotocol/sdk",
  "commander",
  "picocolors",
  "zod",
  "zod-to-json-schema",
];

/** The folder of `@sluice/fleet`, a member of the workspace. */
export const FLEET = "fleet";

/** The schema of the protocol, as a file of the package. */
export const SCHEMA_FILE = "protocol.schema.json";

/** Modules that are started by path, so that a bundle needs a file for each. */
export const PROGRAMS: readonly string[] = [
  "src/testing/fake_cli/fake_cli_main.ts",
];

/** Address of the source; the npm package names it. */
export const REPOSITORY = "https://github.com/sluice/agent";

/** The part of deno.json that the scripts read. */
export interface DenoConfig {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly description: string;
  readonly exports: Readonly<Record<string, string>>;
  readonly imports: Readonly<Record<string, string>>;
  readonly publish: { readonly include: readonly string[] };
}

/** The outcome of a finished program. */
interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Directory and environment of a program. */
interface RunOptions {
  /** Working directory; the root unless given. */
  readonly cwd?: string | URL;
  /** Variables set on top of the inherited ones. */
  readonly env?: Readonly<Record<string, string>>;
  /** Ends it when it aborts. */
  readonly signal?: AbortSignal;
}

/** Reads deno.json, the one source of name, version and exports; that of the root unless a folder is given. */
export function readConfig(folder = "."): Promise<DenoConfig> {
  return readJson<DenoConfig>(`${folder}/deno.json`);
}

/** Reads a JSON file by its path under the root. */
export async function readJson<T>(path: string): Promise<T> {
  return JSON.parse(await Deno.readTextFile(new URL(path, ROOT))) as T;
}

/** Writes a JSON file by its path under the root. */
export async function writeJson(path: string, value: unknown): Promise<void> {
  await Deno.writeTextFile(new URL(path, ROOT), jsonText(value));
}

/** JSON as it stands in a file. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2) + "\n";
}

/** Lists the files below a folder of the root, as sorted paths with `/`. */
export async function listFiles(
  folder: string,
  accept: (path: string) => boolean = () => true,
): Promise<readonly string[]> {
  const name = folder.replace(/\/$/, "");
  const files = await filesBelow(ROOT_PATH + name);
  return files.map((path) => `${name}/${path}`).filter(accept);
}

/** Lists the files below any folder, as sorted paths from there with `/`. */
export async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, {
    recursive: true,
    withFileTypes: true,
  });
  return entries.filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .map((path) => path.replaceAll("\\", "/")).sort();
}

/** Tells whether a path under the root exists. */
export async function exists(path: string): Promise<boolean> {
  try {
    await Deno.stat(new URL(path, ROOT));
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Removes a path under the root, whether or not it exists. */
export async function remove(path: string): Promise<void> {
  try {
    await Deno.remove(new URL(path, ROOT), { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Runs a program and returns what it wrote, whatever its exit code. */
export async function run(
  command: string,
  args: readonly string[],
  { cwd = ROOT, env = {}, signal }: RunOptions = {},
): Promise<Finished> {
  const { code, stdout, stderr } = await new Deno.Command(command, {
    args: [...args],
    cwd,
    env: { NO_COLOR: "1", ...env },
    stdin: "null",
    ...signal !== undefined && { signal },
  }).output();
  const decoder = new TextDecoder();
  return {
    code,
    stdout: decoder.decode(stdout),
    stderr: decoder.decode(stderr),
  };
}

/** As {@link run}, but throws on a non-zero exit code. */
export async function mustRun(
  command: string,
  args: readonly string[],
  options?: RunOptions,
): Promise<string> {
  const { code, stdout, stderr } = await run(command, args, options);
  if (code !== 0) {
    throw new Error(
      `${command} ${args.join(" ")} exited with ${code}:\n${stdout}${stderr}`,
    );
  }
  return stdout;
}

/** Runs npm as {@link mustRun} does; on Windows it is a .cmd file, which only a shell can start. */
export function npm(
  args: readonly string[],
  options?: RunOptions,
): Promise<string> {
  return Deno.build.os === "windows"
    ? mustRun("cmd", ["/c", "npm", ...args], options)
    : mustRun("npm", args, options);
}

/** The version that a tag of a package stands for. */
export async function newest(name: string, tag = "latest"): Promise<string> {
  return (await npm(["view", `${name}@${tag}`, "version"])).trim();
}

/** The command line: words, and flags with the text behind their `=`. */
export function commandLine(): {
  readonly names: readonly string[];
  readonly flags: ReadonlyMap<string, string>;
} {
  const words = Deno.args.filter((one) => one !== "--");
  const flags = words.filter((one) => one.startsWith("--")).map((one) => {
    const [key = "", ...value] = one.slice(2).split("=");
    return [key, value.join("=")] as const;
  });
  return {
    names: words.filter((one) => !one.startsWith("--")),
    flags: new Map(flags),
  };
}

/** Writes the files that a script makes, by their paths under the root; with `--check` only says which of them are others by now, and ends the script. */
export async function keep(
  made: ReadonlyMap<string, string>,
  { fault, summary }: {
    /** Text behind the paths of files that differ. */
    readonly fault: string;
    /** Text if none differs. */
    readonly summary: string;
  },
  problems: readonly string[] = [],
): Promise<void> {
  const differing: string[] = [];
  for (const [path, text] of made) {
    const url = new URL(path, ROOT);
    if (Deno.args.includes("--check")) {
      const isSame = await exists(path) &&
        await Deno.readTextFile(url) === text;
      if (!isSame) differing.push(path);
    } else {
      await Deno.mkdir(new URL("./", url), { recursive: true });
      await Deno.writeTextFile(url, text);
    }
  }
  if (Deno.args.includes("--check")) {
    const stale = differing.length === 0
      ? []
      : [`${differing.join(", ")} ${fault}`];
    conclude([...stale, ...problems], summary);
  }
}

/** As \`deno fmt\` has it. */
export async function formatted(source: string, ext: string): Promise<string> {
  const child = new Deno.Command(DENO, {
    args: ["fmt", `--ext=${ext}`, "-"],
    cwd: ROOT,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  const written = writer.write(new TextEncoder().encode(source))
    .then(() => writer.close());
  const [{ success, stdout, stderr }] = await Promise.all([
    child.output(),
    written,
  ]);
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

/** Prints a line. */
export function say(text: string): void {
  stdout.write(`${text}\n`);
}

/** Prints what a check found, one line each, and ends the script with the fitting code. */
export function conclude(problems: readonly string[], summary: string): never {
  for (const problem of problems) stderr.write(`${problem}\n`);
  if (problems.length > 0) Deno.exit(1);
  say(summary);
  Deno.exit(0);
}

/** The name of an entry's code in npm/, without its extension: `./mcp` is `mcp`, the root entry `mod`. */
export function codeName(entry: string): string {
  return entry === "." ? "mod" : entry.slice(2).replaceAll(/[-/]/g, "_");
}

/** Path of an entry's declarations in npm/, from its source in deno.json. */
export function typesPath(source: string): string {
  return source.replace("./", "types/").replace(/\.ts$/, ".d.ts");
}
