import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { test } from "../_harness.ts";
import { type RealCli, reasonWithoutCli, withRealCli } from "../_real_cli.ts";
import { type Running, start } from "./_program.ts";

const CHROMIUM = (process.env["PATH"] ?? "").split(delimiter).flatMap((path) =>
  ["chromium", "chromium-browser", "google-chrome"].map((name) =>
    join(path, name)
  )
).find((path) => existsSync(path));

/** Why tests in a browser are left out. */
export const needsBrowser: string | undefined = reasonWithoutCli ??
  (CHROMIUM === undefined ? "needs Chromium" : undefined);

/** `sluice web` that runs, with the real CLI and a scripted model. */
export interface Web {
  readonly real: RealCli;
  readonly running: Running;
  /** Address of the page, with its token. */
  readonly address: string;
  readonly context: BrowserContext;
  /** A new page of the session. */
  open(path?: string): Promise<Page>;
  /** Ends the program as Ctrl-C does; it must exit with 130. */
  end(): Promise<void>;
}

/** Declares a test of `sluice web` in a browser, with the answers of the model. */
export function testWeb(
  name: string,
  turns: Parameters<typeof withRealCli>[0],
  use: (web: Web) => Promise<void>,
  flags: readonly string[] = [],
): void {
  test(
    name,
    () => withRealCli(turns, (real) => withWeb(real, use, flags)),
    { skip: needsBrowser },
  );
}

/** Runs `sluice web`, and a browser. */
export async function withWeb(
  real: RealCli,
  use: (web: Web) => Promise<void>,
  flags: readonly string[] = [],
): Promise<void> {
  const { cliPath, cwd, env } = real;
  const running = start(["web", "--cli", cliPath, ...flags], {
    ...{ cwd, env },
    input: null,
  });
  let browser: Browser | undefined;
  try {
    await running.said("Ctrl-C ends it");
    const [address = ""] =
      /http:\/\/127\.0\.0\.1:\d+\/[-\w]+\//.exec(running.texts().stdout) ?? [];
    const { chromium } = await import("playwright-core");
    browser = await chromium.launch({
      executablePath: CHROMIUM ?? "",
      args: ["--no-sandbox"],
    });
    const context = await browser.newContext();
    const foreign: string[] = [];
    context.on("request", (request) => {
      const { origin } = new URL(request.url());
      if (!address.startsWith(origin)) foreign.push(request.url());
    });
    const faults: string[] = [];
    context.on("weberror", (error) => faults.push(String(error.error())));
    const end = async () => {
      running.interrupt();
      const { code, stderr } = await running.ended;
      assert.equal(code, 130, stderr);
    };
    await use({
      ...{ real, running, address, context, end },
      async open(path = "") {
        const page = await context.newPage();
        await page.goto(address + path);
        await page.locator("html[data-ready]").waitFor();
        return page;
      },
    });
    assert.deepEqual([foreign, faults], [[], []]);
    await end();
  } finally {
    await browser?.close();
    running.child.kill("SIGKILL");
    await running.ended;
  }
}

/** Sends a prompt. */
export async function prompt(page: Page, text: string): Promise<void> {
  await page.locator("#prompt").fill(text);
  await page.locator("#prompt").press("Enter");
}

/** Waits until the page shows a text in its steps. */
export async function says(page: Page, text: string): Promise<void> {
  await page.locator("main").getByText(text).first().waitFor();
}
