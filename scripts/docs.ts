// Builds the site of the documents: README, docs/ and every exported name, with a search that needs no server.
import { build, serve } from "vitepress";
import {
  commandLine,
  conclude,
  filesBelow,
  ROOT_PATH,
  say,
} from "./project.ts";
import { reasonWithoutChromium } from "../tests/_chromium.ts";
import { correctAnchors } from "./site/anchors.ts";
import { writeApi } from "./site/api.ts";
import { findBrowserFaults } from "./site/browser.ts";
import { findDeadLinks } from "./site/links.ts";
import { copyPages, findUnlisted } from "./site/pages.ts";
import { findUnreachable } from "./site/unreachable.ts";

const HELP =
  `Builds site/: README, docs/ and every exported name, with a search.

  npm run docs                       builds it
  npm run docs -- --serve            builds it, and serves it on this machine
  npm run docs -- --serve --port=N   at this port; 4173
  npm run docs -- --check            builds it into a temporary folder: one line for each fault
  npm run docs -- --out=FOLDER       builds it there
`;
const MOST_BYTES = 15_000_000;

const { flags } = commandLine();
if (flags.has("help")) {
  say(HELP.trimEnd());
  Deno.exit(0);
}
const known = ["serve", "port", "check", "out"];
const unknown = [...flags.keys()].filter((key) => !known.includes(key));
if (unknown.length > 0) {
  conclude([`Unknown flag --${unknown.join(", --")}\n\n${HELP}`], "");
}

const unlisted = await findUnlisted();
if (unlisted.length > 0) conclude(unlisted, "");

await Deno.mkdir(`${ROOT_PATH}.site`, { recursive: true });
// Below the root, where packages are found.
const work = await Deno.makeTempDir({ dir: `${ROOT_PATH}.site` });
const isCheck = flags.has("check");
const out = isCheck ? `${work}/out` : flags.get("out") ?? `${ROOT_PATH}site`;
const problems: string[] = [];
let summary = "";
try {
  Deno.env.set("SLUICE_SITE_SOURCE", `${work}/pages`);
  Deno.env.set("SLUICE_SITE_OUT", out);
  await copyPages(`${work}/pages`);
  const names = await writeApi(`${work}/pages`);
  await correctAnchors(`${work}/pages/api`);
  await build(`${ROOT_PATH}scripts/site`);
  problems.push(
    ...await findDeadLinks(out),
    ...await findUnreachable(out, names),
  );
  const files = await filesBelow(out);
  const sizes = await Promise.all(
    files.map(async (path) => (await Deno.stat(`${out}/${path}`)).size),
  );
  const size = sizes.reduce((sum, one) => sum + one, 0);
  if (size > MOST_BYTES) {
    problems.push(`The site has ${size} bytes, more than ${MOST_BYTES}`);
  }
  if (isCheck && reasonWithoutChromium === undefined) {
    problems.push(...await findBrowserFaults());
  }
  const count = files.filter((path) => path.endsWith(".html")).length;
  const name = isCheck ? "The site" : `${out}/`;
  summary = `${name} has ${count} pages and ${
    (size / 1e6).toFixed(1)
  } MB; every link leads somewhere`;
  if (isCheck && reasonWithoutChromium !== undefined) {
    summary += `; not opened: ${reasonWithoutChromium}`;
  }
  if (flags.has("serve")) {
    const port = Number(flags.get("port") || 4173);
    await serve({ root: `${ROOT_PATH}scripts/site`, port });
  }
} finally {
  await Deno.remove(work, { recursive: true });
}
if (!flags.has("serve")) conclude(problems, summary);
for (const line of [...problems, summary]) say(line);
