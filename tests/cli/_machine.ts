import type { Host } from "../../src/ports/host.ts";
import type { SpawnRequest } from "../../src/ports/process.ts";
import { host } from "../_children.ts";

/** Rejects what a {@link machine} was asked to start. */
export class Started extends Error {
  /** The program to start. */
  readonly request: SpawnRequest;

  constructor(request: SpawnRequest) {
    super("Nothing can be started here");
    this.request = request;
  }
}

/** A machine of files in memory that starts nothing but reports what it would have started; a Windows unless said otherwise. */
export async function machine(
  files: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
  more: Partial<Host> = {},
): Promise<Host> {
  const real = await host();
  const at = (path: string) => files[path];
  return {
    ...real,
    name: "deno",
    platform: "win32",
    arch: "x64",
    execPath: "C:\\deno.exe",
    env: () => ({ ...env }),
    cwd: () => "C:\\work",
    home: () => "C:\\Users\\me",
    spawn: (request) => Promise.reject(new Started(request)),
    ...more,
    files: {
      ...real.files,
      status: (path) =>
        Promise.resolve(
          at(path) === undefined ? undefined : {
            kind: "file",
            size: at(path)?.length ?? 0,
            modifiedMs: 0,
            isOpenToAll: false,
          },
        ),
      linkTarget: () => Promise.resolve(undefined),
      realPath: (path) => Promise.resolve(path),
      isExecutable: (path) => Promise.resolve(at(path) !== undefined),
      readText: (path) => {
        const text = at(path);
        return text === undefined
          ? Promise.reject(new Error(`Nothing at ${path}`))
          : Promise.resolve(text);
      },
    },
  };
}
