/** A program that is installed here once and started by tests. */
import { ROOT_PATH, run, say } from "../project.ts";

/** Its path, or the reason it is missing. */
export type Provided = { readonly path: string } | { readonly problem: string };

/** Installation of a program. */
interface Provision {
  /** Name of the program. */
  readonly name: string;
  /** Its path after the installation, under the root. */
  readonly path: string;
  /** Size of the download. */
  readonly size: string;
  /** Beginning of its `--version` output; any unless given. */
  readonly version?: string;
  /** Brings it. */
  readonly get: () => Promise<void>;
}

/** Installs a program unless it exists, with a line about the wait. */
export async function provide(
  { name, path, size, version, get }: Provision,
  report: (line: string) => void = say,
): Promise<Provided> {
  const program = ROOT_PATH + path;
  if (await runs(program, version)) return { path: program };
  const folder = path.slice(0, path.indexOf("/") + 1);
  report(`Getting ${name} into ${folder} (${size}, once)`);
  try {
    await get();
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return { problem: `Cannot get ${name}: ${text}` };
  }
  return await runs(program, version)
    ? { path: program }
    : { problem: `Got ${name}, but "${program}" does not run` };
}

/** Whether a program tells its version, and the right one. */
export async function runs(path: string, version = ""): Promise<boolean> {
  try {
    const { code, stdout } = await run(path, ["--version"]);
    return code === 0 && stdout.startsWith(version);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
