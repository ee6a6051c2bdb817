// A suppressed finding carries a reason: `deno-lint-ignore rule -- why`, `@ts-expect-error why`.
import { conclude, listFiles, ROOT } from "./project.ts";

const FOLDERS: readonly string[] = [
  "src",
  "tests",
  "scripts",
  "bench",
  "examples",
];
const BARE: readonly (readonly [RegExp, string])[] = [
  [/deno-lint-ignore(?!.* -- \S)/, "has no reason: deno-lint-ignore"],
  [/deno-fmt-ignore(?!.* -- \S)/, "has no reason: deno-fmt-ignore"],
  [/@ts-expect-error(?!:? \S)/, "has no reason: @ts-expect-error"],
  [/@ts-(ignore|nocheck)\b/, "hides a type error: use @ts-expect-error"],
];

const lists = await Promise.all(
  FOLDERS.map((folder) =>
    listFiles(folder, (path) => /\.(ts|mjs)$/.test(path))
  ),
);
const files = ["mod.ts", ...lists.flat()]
  .filter((file) => file !== "scripts/check_suppressions.ts");
const problems = (await Promise.all(files.map(check))).flat();
conclude(problems, `Suppressions have reasons: ${files.length} files`);

async function check(file: string): Promise<string[]> {
  const text = await Deno.readTextFile(new URL(file, ROOT));
  return text.split("\n").flatMap((line, index) =>
    BARE.filter(([pattern]) => pattern.test(line))
      .map(([, what]) => `${file}:${index + 1} ${what}`)
  );
}
