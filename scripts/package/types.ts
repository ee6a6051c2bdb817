/** Declarations of the npm package: types of packages that only some programs have. */
import { API_IMPORTS } from "../../protocol/api.ts";
import { listFiles, ROOT } from "../project.ts";

const API = "npm/types/src/compat/generated/api.d.ts";
const IGNORE = `// @ts-${"ignore"}: any, where the program does not have it\n`;

/** Lets programs compile without the packages, and gives those that have them the packages' own types. */
export async function adaptTypes(): Promise<void> {
  for (const file of await listFiles("npm/types")) {
    await rewrite(file, ignoreMissingNode);
  }
  await rewrite(API, preferInstalled);
}

async function rewrite(
  file: string,
  change: (text: string) => string,
): Promise<void> {
  const url = new URL(file, ROOT);
  const text = await Deno.readTextFile(url);
  const changed = change(text);
  if (changed !== text) await Deno.writeTextFile(url, changed);
}

/** Imports of Node's types become any without `@types/node`. */
function ignoreMissingNode(text: string): string {
  return text.replaceAll(
    /(?:im|ex)port (?:type )?\{[^}]*\} from "node:[^"]+";/g,
    (line) => `\n${IGNORE}${line}`,
  );
}

/** Each type of the API's package is the installed one; one that is missing is any, whose keys are not known. */
function preferInstalled(text: string): string {
  const own = Object.keys(API_IMPORTS).reduce((all, name) => {
    const changed = all.replace(
      new RegExp(`export (interface|type) ${name}\\b`),
      `export $1 Own${name}`,
    );
    if (changed === all) throw new Error(`"${API}" declares no ${name}`);
    return changed;
  }, text);
  const imports = Object.entries(API_IMPORTS).map(([name, from]) =>
    `${IGNORE}import type { ${name} as Installed${name} } from "${from}";`
  );
  const types = Object.keys(API_IMPORTS).map((name) =>
    `export type ${name} = string extends keyof Installed${name} ? Own${name} : Installed${name};`
  );
  return [...imports, own, ...types, ""].join("\n");
}
