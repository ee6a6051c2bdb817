import type { Files } from "../src/ports/files.ts";
import { host } from "./_children.ts";

/**
 * Runs a body and gives what it had the system do with files, in this order: `sync` for what was written, `rename` and `link`
 * for a name, `sync directory` for a name that shall stay.
 */
export async function onDisk(use: () => Promise<unknown>): Promise<string[]> {
  const { files } = await host();
  const system = { ...files };
  const seen: string[] = [];
  const noted = <A extends readonly unknown[]>(
    what: string,
    call: (...given: A) => Promise<void>,
  ) =>
  async (...given: A) => {
    await call(...given);
    seen.push(what);
  };
  const watched: Partial<Files> = {
    async open(path, mode) {
      const file = await system.open(path, mode);
      return { ...file, syncData: noted("sync", file.syncData) };
    },
    rename: noted("rename", system.rename),
    link: noted("link", system.link),
    syncDirectory: noted("sync directory", system.syncDirectory),
  };
  Object.assign(files, watched);
  try {
    await use();
  } finally {
    Object.assign(files, system);
  }
  return seen;
}
