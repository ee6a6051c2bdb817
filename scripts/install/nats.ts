// Gets a nats-server that tests can start into .nats/: that of Debian trixie, from the Debian mirror of this machine's own apt sources. Needs no root.
import { aptGet } from "./apt.ts";
import { mustRun, ROOT, ROOT_PATH } from "../project.ts";
import { provide, type Provided, tell } from "./provide.ts";

const SUITE = "trixie";
const PROGRAM = ".nats/nats-server";
const KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg";

/** Gets the server unless it is there. */
export function installNats(
  report?: (line: string) => void,
): Promise<Provided> {
  return provide({
    name: `nats-server of Debian ${SUITE}`,
    path: PROGRAM,
    size: "6 MB",
    get: async () => download(await findMirror()),
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
async function download(mirror: string): Promise<void> {
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
    await Deno.rename(`${work}/${found}`, new URL(PROGRAM, ROOT));
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}

if (import.meta.main) tell(await installNats());
