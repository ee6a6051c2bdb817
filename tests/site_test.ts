import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { reasonWithoutChromium, withChromium } from "./_chromium.ts";
import { test } from "./_harness.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
/** Searches of users, and the page that comes first, or the beginning of its path. */
const SEARCHES: Readonly<Record<string, string>> = {
  "docker": "/docs/docker",
  "resume a session": "/docs/resuming",
  "stop after an amount of money": "/docs/limits",
  "permission callback": "/docs/",
  "approve a tool from a web page": "/docs/permissions",
  "hooks": "/docs/hooks",
  "custom tool": "/docs/mcp",
  "mcp server": "/docs/mcp_servers",
  "oauth": "/docs/oauth",
  "structured output": "/docs/structured_output",
  "express": "/docs/web_server",
  "configure the pool": "/docs/pool",
  "run agents on many machines": "/docs/fleet",
  "timeout": "/docs/",
  "test without an api key": "/docs/",
  "official sdk": "/docs/migrating",
  "subagents": "/docs/subagents",
  "cost": "/docs/costs",
  "errors": "/docs/errors",
  "install on deno": "/docs/runtimes",
  "transcript": "/docs/transcripts",
  "sluice doctor": "/docs/",
  "createMcpServer": "/api/@sluice/agent/mcp/",
  "PoolOptions": "/api/@sluice/agent/namespaces/pool",
  "can_use_tool": "/docs/controls",
  "sandbox bash": "/docs/sandbox",
  "websocket": "/docs/web_server",
  "todo list": "/docs/activity",
  "health check kubernetes": "/docs/kubernetes",
  "rate limit 429": "/docs/reliability",
  "429": "/docs/reliability",
  "CLI not found": "/docs/runtimes",
  "ENOENT": "/docs/runtimes",
  "disallow tools": "/docs/permissions",
  "forbid a tool": "/docs/permissions",
  "upgrade": "/docs/",
  "upgrade sluice": "/docs/runtimes",
  "what changed": "/CHANGELOG",
  "serverless lambda": "/docs/serverless",
  "vercel": "/docs/serverless",
  "run agents in parallel": "/docs/pool",
  "choose model": "/docs/models",
  "fallback model": "/docs/models",
  "webpack": "/docs/bundling",
  "commonjs require": "/docs/runtimes",
  "list of recipes": "/docs/cookbook",
  "custom logger": "/docs/logging",
  "partial messages": "/docs/streaming",
  "limits": "/docs/limits",
  "cwd": "/docs/environment",
  "repl": "/docs/repl",
  "sse": "/docs/web_server",
  "http server": "/docs/web_server",
  "mock": "/docs/test",
  "k8s": "/docs/kubernetes",
  "opentelemetry tracing": "/docs/observability",
  "otel": "/docs/observability",
  "ag-ui": "/docs/web.",
};

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

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".png": "image/png",
};

test(
  "The site finds what users type, has no fault that axe takes seriously, and fetches nothing from elsewhere",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "sluice-site-"));
    const out = join(folder, "site");
    const { status, stdout, stderr } = spawnSync("node", [
      ...["scripts/with_deno.mjs", "run", "-A", "scripts/docs.ts"],
      `--out=${out}`,
    ], { cwd: ROOT, encoding: "utf8" });
    const server = await serve(out);
    const { port } = server.address() as AddressInfo;
    const address = `http://127.0.0.1:${port}`;
    try {
      assert.equal(status, 0, `${stdout}\n${stderr}`);
      await withChromium(async (browser) => {
        const foreign: string[] = [];
        const context = await browser.newContext();
        context.on("request", (request) => {
          if (!request.url().startsWith(address)) foreign.push(request.url());
        });
        const page = await context.newPage();
        assert.deepEqual(await searchFaults(page, address), []);
        assert.deepEqual(await axeFaults(page, address), []);
        assert.deepEqual(foreign, []);
      });
    } finally {
      server.close();
      await rm(folder, { recursive: true });
    }
  },
  {
    skip: "Deno" in globalThis ? reasonWithoutChromium : "runs on Deno alone",
    timeoutMs: 600_000,
  },
);

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

/** The site, as any server of files would give it. */
function serve(folder: string): Promise<Server> {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url?.split("?")[0] ?? "");
    const file = path.endsWith("/") ? `${path}index.html` : path;
    readFile(folder + file).then((bytes) => {
      response.setHeader(
        "content-type",
        TYPES[extname(file)] ?? "application/octet-stream",
      );
      response.end(bytes);
    }, () => {
      response.statusCode = 404;
      response.end();
    });
  });
  return new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve(server))
  );
}
