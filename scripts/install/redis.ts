// Brings Debian's Redis into .redis/, for the tests of stores; nothing is installed into the system.
import { aptGet } from "./apt.ts";
import { mustRun, remove, ROOT, ROOT_PATH, run, say } from "../project.ts";

const PACKAGES = ["redis-server", "redis-tools", "liblzf1", "libjemalloc2"];
const PROGRAM = ".redis/redis-server";

/** Path of the server, or why there is none. */
export async function installRedis(
  report: (line: string) => void = say,
): Promise<{ readonly path: string } | { readonly problem: string }> {
  for (const path of ["redis-server", ROOT_PATH + PROGRAM]) {
    if (await works(path)) return { path };
  }
  report("Getting Redis of Debian into .redis/ (2 MB, once)");
  try {
    await install();
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return { problem: `Cannot install Redis: ${text}` };
  }
  const path = ROOT_PATH + PROGRAM;
  return await works(path)
    ? { path }
    : { problem: `Installed Redis, but "${path}" does not run` };
}

/** In a folder of its own that is then renamed, so that a cancelled or a second install harms nothing. */
async function install(): Promise<void> {
  const staging = `.redis-${Deno.pid}`;
  const cwd = new URL(`${staging}/`, ROOT);
  await Deno.mkdir(cwd, { recursive: true });
  try {
    try {
      await aptGet(["download", ...PACKAGES], cwd);
    } catch {
      // It may know of no packages yet, or of those that were.
      await aptGet(["update"], cwd);
      await aptGet(["download", ...PACKAGES], cwd);
    }
    const unpack = "for one in *.deb; do dpkg -x $one root; done; rm *.deb";
    await mustRun("sh", ["-ec", unpack], { cwd });
    const wrapper = `#!/bin/sh
root="$(dirname "$0")/root"
LD_LIBRARY_PATH="$(echo "$root"/usr/lib/*-linux-gnu*)" exec "$root/usr/bin/redis-server" "$@"
`;
    const path = new URL("redis-server", cwd);
    await Deno.writeTextFile(path, wrapper, { mode: 0o755 });
    await remove(".redis");
    await Deno.rename(cwd, new URL(".redis/", ROOT));
  } finally {
    await remove(staging);
  }
}

async function works(path: string): Promise<boolean> {
  try {
    return (await run(path, ["--version"])).code === 0;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

if (import.meta.main) {
  const installed = await installRedis();
  say("path" in installed ? installed.path : installed.problem);
}
