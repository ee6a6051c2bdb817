// Makes script and style of the page of `inspect` from the sources in pages/; with --check only compares it.
import { build, stop } from "esbuild";
import { keep, ROOT_PATH, say } from "./project.ts";

const PATH = "src/command/page_script.ts";

const made = await make();
await stop();
await keep(new Map([[PATH, made]]), {
  fault: "is not what pages/ makes: run `npm run generate`",
  summary: `${PATH} is what pages/ makes`,
});
say(`Wrote ${PATH}`);

/** A module that holds script and style as text: where it is installed nothing is built. */
async function make(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [`${ROOT_PATH}pages/inspect/main.ts`],
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
  const code = outputFiles[0]?.text ?? "";
  if (/<(?:\/?script|!--)/i.test(code)) {
    throw new Error("The script of the page would end its own element");
  }
  const style = await Deno.readTextFile(`${ROOT_PATH}pages/inspect/page.css`);
  return `// Made from pages/inspect/ by \`npm run generate\`; edit that.
/** Script of the page, as text: it is inserted unchanged, and its hash into the policy. */
export const PAGE_SCRIPT: string = \`
${escaped(code)}\`;

/** Its style: light and dark, wide and narrow. */
export const PAGE_STYLE: string = \`
${escaped(style)}\`;
`;
}

function escaped(text: string): string {
  return text.replaceAll(/[`\\]|\$\{/g, (one) => `\\${one}`);
}
