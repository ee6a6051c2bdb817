/** Copies of the tree in which mutants are tried. */
import { dirname } from "node:path";
import { mustRun } from "../project.ts";

/** A copy that can be changed without harm. */
export interface Tree {
  readonly root: string;
  /** Folder for temporary files of what runs in it. */
  readonly temporary: string;
  /** Ends all processes that were started in it and are still there. */
  clear(): Promise<void>;
}

/** Copies what Git tracks or would track; links what it ignores, such as `node_modules/`. */
export async function copyTree(from: string, folder: string): Promise<Tree> {
  const root = `${folder}/tree`;
  const temporary = `${folder}/tmp`;
  await Deno.mkdir(temporary, { recursive: true });
  for (const path of await listed(from, ["--cached", "--others"])) {
    await Deno.mkdir(dirname(`${root}/${path}`), { recursive: true });
    // Deleted files are listed until the next commit.
    await Deno.copyFile(`${from}/${path}`, `${root}/${path}`).catch(
      ignoreMissing,
    );
  }
  const ignored = await listed(from, ["--others", "--ignored", "--directory"]);
  for (const path of ignored.map((one) => one.replace(/\/$/, ""))) {
    await Deno.mkdir(dirname(`${root}/${path}`), { recursive: true });
    await Deno.symlink(`${from}/${path}`, `${root}/${path}`, {
      type: "junction",
    });
  }
  return { root, temporary, clear: () => endProcesses(temporary) };
}

async function listed(
  cwd: string,
  flags: readonly string[],
): Promise<readonly string[]> {
  const command = ["ls-files", "-z", "--exclude-standard", ...flags];
  const paths = await mustRun("git", command, { cwd });
  return paths.split("\0").filter((path) => path !== "");
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}

/** A mutant may lose processes that its tests started; they are known by their temporary folder. */
async function endProcesses(temporary: string): Promise<void> {
  if (Deno.build.os !== "linux") return;
  for await (const { name } of Deno.readDir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const texts = await Promise.all(
      ["environ", "cmdline"].map((file) =>
        Deno.readTextFile(`/proc/${name}/${file}`).catch(() => "")
      ),
    );
    if (!texts.some((text) => text.includes(temporary))) continue;
    try {
      Deno.kill(Number(name), "SIGKILL");
    } catch {
      // It ended by itself.
    }
  }
}
