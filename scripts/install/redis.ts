// Brings Debian's Redis into .redis/, for the tests of stores; nothing is installed into the system.
import { aptGet } from "./apt.ts";
import { mustRun, remove, ROOT } from "../project.ts";
import { provide, type Provided, runs, tell } from "./provide.ts";

const PACKAGES = ["redis-server", "redis-tools", "liblzf1", "libjemalloc2"];
const PROGRAM = ".redis/redis-server";

/** Gets the server, unless there is one. */
export async function installRedis(
  report?: (line: string) => void,
): Promise<Provided> {
  const own = "redis-server";
  if (await runs(own)) return { path: own };
  return await provide({
    name: "Redis of Debian",
    path: PROGRAM,
    size: "2 MB",
    get: install,
  }, report);
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

if (import.meta.main) tell(await installRedis());
