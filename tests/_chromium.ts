import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";
import type { Browser } from "playwright-core";

const CHROMIUM = (process.env["PATH"] ?? "").split(delimiter).flatMap((path) =>
  ["chromium", "chromium-browser", "google-chrome"].map((name) =>
    join(path, name)
  )
).find((path) => existsSync(path));

/** Why tests with a browser are left out; undefined where there is one. */
export const reasonWithoutChromium: string | undefined = CHROMIUM === undefined
  ? "needs Chromium"
  : undefined;

/** Runs a test body with a headless browser. */
export async function withChromium(
  use: (browser: Browser) => Promise<void>,
): Promise<void> {
  const { chromium } = await import("playwright-core");
  const browser = await chromium.launch({
    executablePath: CHROMIUM ?? "",
    args: ["--no-sandbox"],
  });
  try {
    await use(browser);
  } finally {
    await browser.close();
  }
}
