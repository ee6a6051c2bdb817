/** Copies of the tree in which mutants are tried. */
import { mustRun } from "../project.ts";

/** Copies what Git tracks or would track into a folder that is not there yet; links what it ignores, such as `node_modules/`. */
export async function copyTree(from: string, to: string): Promise<void> {
  const list = "git ls-files -z --exclude-standard";
  // Deleted files are listed until the next commit.
  const script = `mkdir -p "$0"
${list} --cached --others | xargs -0 sh -c 'for one; do [ ! -e "$one" ] || printf "%s\\0" "$one"; done' - |
  xargs -0 cp --parents -t "$0"
${list} --others --ignored --directory | while IFS= read -r -d "" one; do
  mkdir -p "$(dirname "$0/$one")" && ln -s "$PWD/\${one%/}" "$0/\${one%/}"
done`;
  await mustRun("bash", ["-ec", script, to], { cwd: `${from}/` });
}
