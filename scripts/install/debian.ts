// Brings servers that tests start into .nats/ and .redis/, from packages of Debian that are unpacked and not installed; needs no root.
//
//   deno run -A scripts/install/debian.ts nats      or redis
import { mustRun, remove, ROOT, ROOT_PATH, run, say } from "../project.ts";
import { provide, type Provided, runs } from "./provide.ts";

const SUITE = "trixie";
const NATS = ".nats/nats-server";
const KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg";

/** Gets the nats-server of Debian trixie, from the mirror of this machine's own apt sources, unless it is there. */
export function installNats(
  report?: (line: string) => void,
): Promise<Provided> {
  return provide({
    name: `nats-server of Debian ${SUITE}`,
    path: NATS,
    size: "6 MB",
    get: async () => downloadNats(await findMirror()),
  }, report);
}

async function findMirror(): Promise<string> {
  const uris = await aptGet([
    "indextargets",
    "--format",
    "$(REPO_URI)",
    "Created-By: Packages",
  ], ROOT);
  const mirror = uris.split("\n").find((line) => /\/debian\/?$/.test(line));
  if (mirror !== undefined) return mirror;
  throw new Error("apt sources of this machine name no Debian mirror");
}

/** With lists and caches of its own, so that nothing outside of .nats/ changes. */
async function downloadNats(mirror: string): Promise<void> {
  const work = `${ROOT_PATH}.nats/work-${Deno.pid}`;
  for (
    const folder of ["etc", "lists/partial", "cache/archives/partial", "state"]
  ) {
    await Deno.mkdir(`${work}/${folder}`, { recursive: true });
  }
  try {
    await Deno.writeTextFile(
      `${work}/etc/sources.list`,
      `deb [signed-by=${KEYRING}] ${mirror} ${SUITE} main\n`,
    );
    await Deno.writeTextFile(`${work}/state/status`, "");
    const settings = [
      `Dir::Etc::sourcelist=${work}/etc/sources.list`,
      "Dir::Etc::sourceparts=-",
      `Dir::State=${work}/state`,
      `Dir::State::lists=${work}/lists`,
      `Dir::State::status=${work}/state/status`,
      `Dir::Cache=${work}/cache`,
      "APT::Sandbox::User=root",
      // Else it takes a network that is not there for a mirror without packages.
      "APT::Update::Error-Mode=any",
    ];
    const cwd = new URL(`file://${work}/`);
    await aptGet(["update"], cwd, settings);
    await aptGet(["download", "nats-server"], cwd, settings);
    await mustRun("sh", ["-c", "dpkg-deb -x nats-server_*.deb root"], { cwd });
    const text = await mustRun("find", [
      "root",
      "-type",
      "f",
      "-name",
      "nats-server",
    ], { cwd });
    const [found = ""] = text.split("\n");
    await Deno.chmod(`${work}/${found}`, 0o755);
    await Deno.rename(`${work}/${found}`, new URL(NATS, ROOT));
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}

const REDIS_PACKAGES = [
  "redis-server",
  "redis-tools",
  "liblzf1",
  "libjemalloc2",
];
const REDIS = ".redis/redis-server";

/** Gets Redis, for the tests of stores, unless there is one. */
export async function installRedis(
  report?: (line: string) => void,
): Promise<Provided> {
  const own = "redis-server";
  if (await runs(own)) return { path: own };
  return await provide({
    name: "Redis of Debian",
    path: REDIS,
    size: "2 MB",
    get: downloadRedis,
  }, report);
}

/** In a folder of its own that is then renamed, so that a cancelled or a second install harms nothing. */
async function downloadRedis(): Promise<void> {
  const staging = `.redis-${Deno.pid}`;
  const cwd = new URL(`${staging}/`, ROOT);
  await Deno.mkdir(cwd, { recursive: true });
  try {
    try {
      await aptGet(["download", ...REDIS_PACKAGES], cwd);
    } catch {
      // It may know of no packages yet, or of those that were.
      await aptGet(["update"], cwd);
      await aptGet(["download", ...REDIS_PACKAGES], cwd);
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

/** Long enough for the lists of a distribution, however slow the network. */
const LIMIT_MS = 180_000;

/** Without a network it says so in seconds: apt itself tries for minutes. */
const IMPATIENT = ["http", "https"].map((one) => `Acquire::${one}::Timeout=5`)
  .concat("Acquire::Retries=0");

/** Runs `apt-get` with settings of the form `Name=value`; gives what it printed, throws with the first of its errors. */
async function aptGet(
  args: readonly string[],
  cwd: URL,
  settings: readonly string[] = [],
): Promise<string> {
  const flags = [...IMPATIENT, ...settings].flatMap((one) => ["-o", one]);
  const { code, stdout, stderr } = await run(
    "apt-get",
    ["-qq", ...flags, ...args],
    { cwd, signal: AbortSignal.timeout(LIMIT_MS) },
  );
  if (code === 0) return stdout;
  // The first of its errors is the cause; the others say what follows.
  const why = stderr.split("\n").find((line) => line.startsWith("E: ")) ??
    `it exited with ${code}`;
  throw new Error(`apt-get ${args[0]} failed: ${why}`);
}

const SERVERS = new Map([["nats", installNats], ["redis", installRedis]]);

if (import.meta.main) {
  const [name = ""] = Deno.args;
  const server = await SERVERS.get(name)?.() ??
    { problem: `No server "${name}": ${[...SERVERS.keys()].join(", ")}` };
  say("path" in server ? server.path : server.problem);
}
