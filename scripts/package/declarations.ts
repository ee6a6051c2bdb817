/** Takes the declarations of a package, its README and its licence from `deno pack`. */
import { DENO, listFiles, mustRun, remove, ROOT } from "../project.ts";

/**
 * Packs a member of the workspace, and keeps all but its code: the declarations below `types/`.
 *
 * @param source Folder of the member, from the root, with a slash at the end
 * @param target Folder of the package, which begins anew
 */
export async function unpackTypes(
  source: string,
  target: string,
): Promise<void> {
  await remove(target);
  const cwd = new URL(`${target}/`, ROOT);
  await Deno.mkdir(cwd);
  const tarball = new URL("package.tgz", cwd);
  const flags = ["--allow-dirty", "--no-source-maps", "--output"];
  await mustRun(DENO, ["pack", ...flags, tarball.pathname], {
    cwd: new URL(source, ROOT),
  });
  await mustRun("tar", ["-xzf", "package.tgz", "--strip-components=1"], {
    cwd,
  });
  await remove(`${target}/package.tgz`);
  await keepTypesOnly(target);
  await referenceDisposableTypes(target);
}

/** The declarations move to types/; the code makes room for the bundle. */
async function keepTypesOnly(folder: string): Promise<void> {
  const files = await listFiles(folder);
  for (const file of files.filter((one) => /\.(d\.ts|js)$/.test(one))) {
    if (file.endsWith(".d.ts")) {
      const to = file.replace(`${folder}/`, `${folder}/types/`);
      const target = new URL(to, ROOT);
      await Deno.mkdir(new URL("./", target), { recursive: true });
      await Deno.rename(new URL(file, ROOT), target);
    } else {
      await remove(file);
    }
  }
  await remove(`${folder}/src`);
}

/** Lets users compile without `lib: ["esnext.disposable"]` in their own settings. */
async function referenceDisposableTypes(folder: string): Promise<void> {
  for (const file of await listFiles(`${folder}/types`)) {
    const url = new URL(file, ROOT);
    const text = await Deno.readTextFile(url);
    if (/\bSymbol\.(asyncD|d)ispose\b|\b(Async)?Disposable\b/.test(text)) {
      const reference = '/// <reference lib="esnext.disposable" />\n';
      await Deno.writeTextFile(url, reference + text);
    }
  }
}
