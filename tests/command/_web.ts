import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { Locator, Page } from "playwright-core";
import { isGoneWithin, needsProc } from "../_children.ts";
import { reasonWithoutChromium, withChromium } from "../_chromium.ts";
import { test } from "../_harness.ts";
import { type RealCli, reasonWithoutCli, withRealCli } from "../_real_cli.ts";
import { type Running, start } from "./_program.ts";

/** Why these tests are left out. */
export const skip: string | undefined = reasonWithoutCli ?? needsProc ??
  reasonWithoutChromium;

/** `sluice web` with the real CLI and a scripted model, and a browser. */
export interface Web {
  readonly real: RealCli;
  /** Address of the page, with its token. */
  readonly address: string;
  /** Opens a page in a tab of its own. */
  open(query?: string): Promise<Page>;
  /** Programs that `sluice web` started and that run, by their ids. */
  children(): Promise<readonly number[]>;
  /** Sends JSON as a page does, with other headers if given; resolves with the status. */
  post(path: string, body: unknown, headers?: object): Promise<number>;
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
    { skip },
  );
}

/** Runs `sluice web` and a browser; after Ctrl-C the program and its CLIs are gone, and no page has asked for anything elsewhere or failed. */
export async function withWeb(
  real: RealCli,
  use: (web: Web) => Promise<void>,
  flags: readonly string[] = [],
): Promise<void> {
  const { cliPath, cwd, env } = real;
  const words = ["web", "--cli", cliPath, "--no-open", ...flags];
  const running = start(words, { cwd, env, input: null });
  try {
    await running.said("Ctrl-C ends it");
    const [address = ""] =
      /http:\/\/127\.0\.0\.1:\d+\/[-\w]+\//.exec(running.texts().stdout) ?? [];
    const { origin } = new URL(address);
    await withChromium(async (browser) => {
      const context = await browser.newContext();
      context.setDefaultTimeout(60_000);
      const faults: string[] = [];
      context.on("request", (request) => {
        if (!request.url().startsWith(`${origin}/`)) faults.push(request.url());
      });
      context.on("weberror", (error) => faults.push(String(error.error())));
      await use({
        real,
        address,
        async open(query = "") {
          const page = await context.newPage();
          await page.goto(address + query);
          await page.locator("html[data-ready]").waitFor();
          return page;
        },
        children: () => childrenOf(running),
        async post(path, body, headers = { origin }) {
          const { body: rest, status } = await fetch(address + path, {
            method: "POST",
            headers: { "content-type": "application/json", ...headers },
            body: typeof body === "string" ? body : JSON.stringify(body),
          });
          await rest?.cancel();
          return status;
        },
      });
      assert.deepEqual(faults, []);
      const children = await childrenOf(running);
      running.interrupt();
      const { code, stderr } = await running.ended;
      assert.equal(code, 130, stderr);
      // Its watchdog hears of the end.
      for (const pid of children) assert.ok(await isGoneWithin(5_000, pid));
    });
  } finally {
    running.child.kill("SIGKILL");
    await running.ended;
  }
}

async function childrenOf({ pid }: Running): Promise<readonly number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
  return text.trim().split(/\s+/).filter((one) => one !== "").map(Number);
}

/** Sends a prompt from a page. */
export async function prompt(page: Page, text: string): Promise<void> {
  await page.locator("#prompt").fill(text);
  await page.locator("#prompt").press("Enter");
}

/** Waits until the steps of a page show a text. */
export async function says(page: Page, text: string | RegExp): Promise<void> {
  await page.locator("main").getByText(text).first().waitFor();
}

/** The button of a card that allows its call, or sends its answers. */
export function yes(page: Page | Locator): Locator {
  return page.locator("button.yes");
}

/** Brings all of a card to the screen. */
export async function look(card: Locator): Promise<void> {
  const more = card.getByText("Show what was not seen yet");
  while (await more.isEnabled()) await more.dispatchEvent("click");
}
