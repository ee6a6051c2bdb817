import { execFile } from "node:child_process";
import {
  chmod,
  mkdir,
  mkdtemp,
  realpath,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { Host } from "../../src/ports/host.ts";
import { host, needsShell } from "../_children.ts";
import { test, type TestOptions } from "../_harness.ts";

/** A directory of fake installations that is gone after the test. */
export interface Installations {
  /** The directory. */
  readonly root: string;
  /** A path in it. */
  at(path: string): string;
  /** Writes a shell script that may be executed. */
  script(path: string, ...lines: string[]): Promise<string>;
  /** Writes a script that answers `--version`. */
  cli(path: string, version: string): Promise<string>;
  /** Writes a file as it is. */
  file(path: string, text: string, mode?: number): Promise<string>;
  /** Makes a named pipe: reading it waits until a script wrote to it. */
  pipe(path: string): Promise<string>;
  /** Makes a link. */
  link(path: string, target: string): Promise<string>;
}

/** Declares a test that has a directory of its own. */
export function testPlaces(
  name: string,
  use: (place: Installations) => Promise<void>,
  options: TestOptions = {},
): void {
  const skip = options.skip ?? needsShell;
  test(name, () => withInstallations(use), { ...options, skip });
}

async function withInstallations(
  use: (place: Installations) => Promise<void>,
): Promise<void> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "cli test ")));
  const at = (path: string) => join(root, path);
  const file = async (path: string, text: string, mode = 0o644) => {
    await mkdir(dirname(at(path)), { recursive: true });
    await writeFile(at(path), text);
    await chmod(at(path), mode);
    return at(path);
  };
  const script = (path: string, ...lines: string[]) =>
    file(path, ["#!/bin/sh", ...lines, ""].join("\n"), 0o755);
  try {
    await mkdir(at("work"));
    await use({
      root,
      at,
      file,
      script,
      cli: (path, version) => script(path, `echo "${version} (Claude Code)"`),
      pipe: async (path) => {
        await promisify(execFile)("mkfifo", [at(path)]);
        return at(path);
      },
      link: async (path, target) => {
        await mkdir(dirname(at(path)), { recursive: true });
        await symlink(target, at(path));
        return at(path);
      },
    });
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/**
 * This machine, seen through a keyhole: real files and processes, but nothing
 * outside of the directory exists, so that a CLI installed here changes nothing.
 */
export async function confinedHost(
  { root }: Installations,
  env: Record<string, string> = {},
  rest: Partial<Host> = {},
): Promise<Host> {
  const real = await host();
  return {
    ...real,
    env: () => ({ HOME: join(root, "home"), ...env }),
    cwd: () => join(root, "work"),
    home: () => undefined,
    files: {
      ...real.files,
      status: (path) =>
        path.startsWith(root)
          ? real.files.status(path)
          : Promise.resolve(undefined),
    },
    ...rest,
  };
}
