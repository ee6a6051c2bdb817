/** A program that is brought here once, for whoever starts it. */
import { ROOT_PATH, run, say } from "../project.ts";

/** Its path, or why there is none. */
export type Provided = { readonly path: string } | { readonly problem: string };

/** How a program comes here. */
interface Provision {
  /** What it is. */
  readonly name: string;
  /** Where it lies then, under the root. */
  readonly path: string;
  /** How much is fetched. */
  readonly size: string;
  /** How its `--version` begins; any unless given. */
  readonly version?: string;
  /** Brings it. */
  readonly get: () => Promise<void>;
}

/** Brings a program unless it is there, with a line about what takes so long. */
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
