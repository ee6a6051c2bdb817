/** The project of a stranger, in a folder of its own outside of the repository. */
import { basename } from "node:path/posix";
import { pathToFileURL } from "node:url";
import { installCli } from "../install/cli.ts";
import { BUN, mustRun, npm, ROOT, ROOT_PATH, say } from "../project.ts";

/** A server that tests start from where it is installed. */
const EVERYTHING =
  "node_modules/@modelcontextprotocol/server-everything/dist/index.js";

/** Its path, without a separator at the end. */
export const path: string = await Deno.makeTempDir({ prefix: "consumer_" });

/** The same as an address, with a slash at the end. */
export const folder: URL = pathToFileURL(`${path}/`);

/** For programs that run in it. */
export const inside: { readonly cwd: URL } = { cwd: folder };

/** Packs a folder of the root; gives the path of the tarball. */
export async function pack(source: string): Promise<string> {
  const args = ["pack", "--json", "--pack-destination", path];
  const [packed] = JSON.parse(await npm([...args, ROOT_PATH + source], inside));
  const { filename, size, unpackedSize, entryCount } = packed;
  say(
    `tarball of ${source}/: ${kilobytes(size)}, ${
      kilobytes(unpackedSize)
    } unpacked, ${entryCount} files`,
  );
  return `${path}/${filename}`;
}

/** Has publint and attw read a tarball. */
export async function lintTarball(tarball: string): Promise<void> {
  await mustRun("node", [bin("publint/src/cli.js"), "--strict", tarball]);
  say("publint: all good");
  const attw = bin("@arethetypeswrong/cli/dist/index.js");
  await mustRun("node", [attw, tarball, "--profile", "esm-only", "-q"]);
  say("attw: all good");
}

/** Gives the project installed packages of this repository. */
export async function link(names: readonly string[], home = ""): Promise<void> {
  for (const name of names) {
    const link = new URL(`${home}node_modules/${name}`, folder);
    await Deno.mkdir(new URL("./", link), { recursive: true });
    const target = await Deno.realPath(new URL(`node_modules/${name}`, ROOT));
    await Deno.symlink(target, link, { type: "dir" });
  }
}

/** Runs what lies in a folder, not deeper, from inside the project of the consumer. */
export async function runEverywhere(source: string, home = ""): Promise<void> {
  const names: string[] = [];
  for await (const { name, isFile } of Deno.readDir(new URL(source, ROOT))) {
    if (!isFile || !name.endsWith("_test.mjs")) continue;
    await copy(source + name, home);
    names.push(name);
  }
  const tests = names.sort().map((name) => `./${name}`);
  const cli = await installCli();
  const env = {
    EVERYTHING: ROOT_PATH + EVERYTHING,
    ..."path" in cli && { SLUICE_TEST_CLI: cli.path },
  };
  for (const program of ["node", BUN]) {
    // Five seconds, Bun's own limit, are too short for a real CLI on a busy machine.
    const flags = program === BUN ? ["test", "--timeout=180000"] : ["--test"];
    await mustRun(program, [...flags, ...tests], {
      cwd: new URL(home, folder),
      env,
    });
    const name = program === BUN ? "bun" : program;
    say(`${name} passes ${source}: ${names.join(" ")}`);
  }
}

/** The path of a script in `node_modules`. */
export function bin(script: string): string {
  return `${ROOT_PATH}node_modules/${script}`;
}

function kilobytes(bytes: number): string {
  return `${Math.round(bytes / 1000)} kB`;
}

/** Copies a file of the root into the project. */
export async function copy(file: string, under = ""): Promise<void> {
  const to = new URL(under + basename(file), folder);
  await Deno.copyFile(new URL(file, ROOT), to);
}

/** Writes a file of the project. */
export async function write(name: string, text: string): Promise<void> {
  await Deno.writeTextFile(new URL(name, folder), text);
}
