// Makes script and style of the pages of `sluice` from the sources in pages/; with --check only compares them.
import { build, stop } from "esbuild";
import { keep, ROOT_PATH, say } from "./project.ts";

/** The module of each page, by its folder in pages/. */
const MODULES: Readonly<Record<string, string>> = {
  inspect: "src/command/page_script.ts",
  web: "src/command/web/page_script.ts",
};

const modules = await Promise.all(
  Object.entries(MODULES).map(async ([page, path]) =>
    [path, await make(page)] as const
  ),
);
await stop();
const paths = Object.values(MODULES).join(", ");
await keep(new Map(modules), {
  fault: "is not what pages/ makes: run `npm run generate`",
  summary: `What pages/ makes: ${paths}`,
});
say(`Wrote ${paths}`);

/** A module that holds script and style of a page as text: where it is installed nothing is built. */
async function make(page: string): Promise<string> {
  const folder = `pages/${page}/`;
  const code = await bundled(`${folder}main.ts`);
  if (/<(?:\/?script|!--)/i.test(code)) {
    throw new Error(`The script of ${folder} would end its own element`);
  }
  const style = await bundled(`${folder}page.css`);
  return `// Made from ${folder} by \`npm run generate\`; edit that.
/** Script of the page, as text: it is inserted unchanged, and its hash into the policy. */
export const PAGE_SCRIPT: string = \`
${escaped(code)}\`;

/** Its style: light and dark, wide and narrow. */
export const PAGE_STYLE: string = \`
${escaped(style)}\`;
`;
}

async function bundled(path: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [ROOT_PATH + path],
    absWorkingDir: ROOT_PATH,
    bundle: true,
    write: false,
    format: "iife",
    target: "es2022",
    // As it stands in the page, where it can be read.
    charset: "utf8",
    legalComments: "none",
    logLevel: "warning",
  });
  return outputFiles[0]?.text ?? "";
}

function escaped(text: string): string {
  return text.replaceAll(/[`\\]|\$\{/g, (one) => `\\${one}`);
}
