/** Looks at the built site in Chromium: what its search finds, what axe finds, and what it fetches. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { serve } from "vitepress";
import { withChromium } from "../../tests/_chromium.ts";
import { ROOT_PATH } from "../project.ts";
import { SEARCHES } from "./searches.ts";

/** Report of axe on a page. */
interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

/** Looked at in each width and colour. */
const PAGES: readonly string[] = [
  "/",
  "/docs/permissions.html",
  "/api/@sluice/agent/namespaces/query/",
  "/docs/protocol.html",
  "/docs/protocol/hooks.html",
];

/** A line for each search with another first result, for each serious finding of axe, and for each file that another server has. */
export async function findBrowserFaults(): Promise<readonly string[]> {
  const { server } = await serve({ root: `${ROOT_PATH}scripts/site`, port: 0 });
  const { port } = server.address() as AddressInfo;
  const address = `http://127.0.0.1:${port}`;
  const faults: string[] = [];
  try {
    await withChromium(async (browser) => {
      // VitePress compresses the index of the search for seconds.
      const extraHTTPHeaders = { "accept-encoding": "identity" };
      const page = await browser.newPage({ extraHTTPHeaders });
      page.on("request", (request) => {
        if (request.url().startsWith(address)) return;
        faults.push(`${request.url()} is fetched from elsewhere`);
      });
      faults.push(...await searchFaults(page, address));
      faults.push(...await axeFaults(page, address));
    });
  } finally {
    server.close();
  }
  return faults;
}

/** At most two of the first five results are of one page, where others have hits. */
const MOST_OF_A_PAGE = 2;

/** Which searches have another first result, or a page in too many of the first places. */
async function searchFaults(page: Page, address: string): Promise<string[]> {
  const faults: string[] = [];
  await page.goto(address);
  await page.locator(".DocSearch-Button").first().click();
  for (const [words, expected] of Object.entries(SEARCHES)) {
    await page.locator("#localsearch-input").fill("");
    await page.locator(".result").first().waitFor({ state: "detached" });
    await page.locator("#localsearch-input").fill(words);
    const first = page.locator(".result").first();
    await first.waitFor();
    const found = await first.getAttribute("href");
    if (!found?.startsWith(expected)) {
      faults.push(`${words}: ${found}, not ${expected}`);
    }
    const links = await page.locator(".result").evaluateAll((found) =>
      found.map((one) => one.getAttribute("href")?.split("#")[0])
    );
    const shown = links.slice(0, 5);
    if (links.every((link) => shown.includes(link))) continue;
    for (const link of new Set(shown)) {
      const count = shown.filter((one) => one === link).length;
      if (count > MOST_OF_A_PAGE) faults.push(`${words}: ${count} of ${link}`);
    }
  }
  return faults;
}

/** Serious findings of axe, and pages that are wider than the screen. */
async function axeFaults(page: Page, address: string): Promise<string[]> {
  const faults: string[] = [];
  const axe = await readFile(
    createRequire(import.meta.url).resolve("axe-core"),
    "utf8",
  );
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    for (const width of [1_440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      for (const path of PAGES) {
        await page.goto(address + path, { waitUntil: "networkidle" });
        await page.evaluate(axe);
        const { violations } = await page.evaluate<AxeResult>("axe.run()");
        const found = violations
          .filter(({ impact }) => ["serious", "critical"].includes(impact))
          .map(({ id, nodes }) =>
            `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`
          );
        const isWide = "document.documentElement.scrollWidth > innerWidth";
        if (await page.evaluate(isWide)) found.push("wider than the screen");
        faults.push(
          ...found.map((one) => `${path} ${colorScheme} ${width}: ${one}`),
        );
      }
    }
  }
  return faults;
}
