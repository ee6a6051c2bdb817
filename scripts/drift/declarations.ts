/** Declarations of two releases of the official package. */
import ts from "typescript";
import { OFFICIAL, officialSdk } from "../install/official.ts";
import { mustRun, newest, npm, run } from "../project.ts";

const PACKAGE = OFFICIAL.replace(/@[^@]*$/, "");

/** How the types of a release differ from those of the pinned one, as a diff without comments; empty if they do not. */
export async function declarationChanges(wanted: string): Promise<string> {
  const version = wanted === "latest" ? await newest(PACKAGE) : wanted;
  const pinned = new URL("sdk.d.ts", await officialSdk());
  const folder = await Deno.makeTempDir();
  try {
    const name = `${PACKAGE}@${version}`;
    const file = (await npm(["pack", name, "--silent"], { cwd: folder }))
      .trim();
    const flags = ["-xzf", file, "--strip-components=1", "package/sdk.d.ts"];
    await mustRun("tar", flags, { cwd: folder });
    const before = `${folder}/${OFFICIAL.replaceAll("/", "_")}.d.ts`;
    const after = `${folder}/${name.replaceAll("/", "_")}.d.ts`;
    await Deno.writeTextFile(before, await withoutComments(pinned));
    await Deno.writeTextFile(
      after,
      await withoutComments(`${folder}/sdk.d.ts`),
    );
    const { stdout } = await run("git", [
      "diff",
      "--no-index",
      "--unified=1",
      before,
      after,
    ]);
    return stdout.trimEnd();
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function withoutComments(path: string | URL): Promise<string> {
  const text = await Deno.readTextFile(path);
  const source = ts.createSourceFile("sdk.d.ts", text, ts.ScriptTarget.Latest);
  return ts.createPrinter({ removeComments: true }).printFile(source);
}
