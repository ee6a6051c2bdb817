import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { ModelTurn } from "@sluice/agent/testing";
import type { Page } from "playwright-core";
import { denoCache, host, isGoneWithin } from "../_children.ts";
import { reasonWithoutChromium, withChromium } from "../_chromium.ts";
import { test } from "../_harness.ts";
import { type RealCli, reasonWithoutCli, withRealCli } from "../_real_cli.ts";
import { processesBelow } from "./_query.ts";
import { after, bash } from "./_real.ts";

const { name: runtime } = await host();

const SERVER = new URL("../../examples/web/server.ts", import.meta.url);
const pathOf = (name: string) =>
  fileURLToPath(new URL(`../../${name}`, import.meta.url));

/** The turns of one page. */
const TURNS: readonly ModelTurn[] = [
  { text: "Hello <b>there</b>.", chunks: 5 },
  bash("echo made > made.txt"),
  "It is made.",
  {
    tool: "AskUserQuestion",
    input: {
      questions: [{
        question: "Tea or coffee?",
        header: "Drink",
        options: [
          { label: "Tea", description: "green" },
          { label: "Coffee", description: "black" },
        ],
        multiSelect: false,
      }],
    },
  },
  ({ lastText }) => `The answer was ${/Tea/.exec(lastText)?.[0]}.`,
  { text: "I wait.", ...bash(after("go.txt", "echo gone")) },
  "It is gone.",
  bash(after("never.txt", "true")),
];

/** Starts the server as a program of its own. */
async function withServer(
  { cliPath, env, cwd }: RealCli,
  use: (url: string) => Promise<void>,
): Promise<void> {
  const flags = runtime === "deno"
    ? ["run", "-A", "--no-check", "--quiet", "--config", pathOf("deno.json")]
    : [];
  const bundling = spawnSync("node", [pathOf("examples/web/bundle.mjs")]);
  assert.equal(bundling.status, 0, String(bundling.stderr));
  const child = spawn(process.execPath, [...flags, fileURLToPath(SERVER)], {
    cwd,
    env: { ...env, ...denoCache(), CLAUDE_CLI_PATH: cliPath, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  try {
    const lines = createInterface(child.stdout);
    const [url] = await Promise.race([
      once(lines, "line"),
      ended.then(([code]) => assert.fail(`Server ended: ${code}`)),
    ]);
    await use(url);
    const clis = processesBelow(child.pid ?? 0);
    assert.notEqual(clis.length, 0);
    process.kill(child.pid ?? 0, "SIGTERM");
    assert.deepEqual(await ended, [0, null]);
    for (const pid of clis) assert.ok(await isGoneWithin(5_000, pid));
  } finally {
    child.kill("SIGKILL");
  }
}

/** Chats on a page: text, a permission, a question, a reload in the middle, a stop. */
async function chat(page: Page, { cwd }: RealCli): Promise<void> {
  const ask = async (prompt: string) => {
    await page.getByLabel("Prompt").fill(prompt);
    await page.getByRole("button", { name: "Send" }).click();
  };
  const sees = (text: string) => page.getByText(text).first().waitFor();
  const click = (name: string) =>
    page.getByRole("button", { name, exact: true }).last().click();
  await ask("Say hello");
  await sees("Hello <b>there</b>.");
  await ask("Make a file");
  await click("Allow");
  await sees("It is made.");
  await ask("Make a drink");
  await click("Tea");
  await sees("The answer was Tea.");
  await ask("Wait for it");
  await click("Allow");
  await sees("I wait.");
  await page.reload();
  // All of before, and the turn that runs.
  for (
    const text of [
      ...["Say hello", "Hello <b>there</b>.", "The answer was Tea."],
      "I wait.",
    ]
  ) await sees(text);
  assert.equal(await page.getByText("I wait.").count(), 1);
  await writeFile(join(cwd, "go.txt"), "");
  await sees("It is gone.");
  await ask("Never end");
  await click("Allow");
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByRole("button", { name: "Stop", disabled: true }).waitFor();
  await ask("Another one");
  await sees("Still here.");
}

for (const path of ["", "use_chat.html"]) {
  test(
    `examples/web: /${path} in Chromium with the real CLI`,
    () =>
      withRealCli(
        [...TURNS, "Still here."],
        (cli) =>
          withServer(cli, (url) =>
            withChromium(async (browser) => {
              const page = await browser.newPage();
              page.setDefaultTimeout(20_000);
              const faults: string[] = [];
              page.on("pageerror", ({ message }) => faults.push(message));
              page.on("request", (request) => {
                if (!request.url().startsWith(url)) faults.push(request.url());
              });
              await page.goto(url + path);
              await chat(page, cli);
              assert.deepEqual(faults, []);
              // Another user sees nothing of it.
              const other = await (await browser.newContext()).newPage();
              await other.goto(url);
              const { status, body } = await other.evaluate(async () => {
                const response = await fetch("/messages/1/history");
                return { status: response.status, body: await response.text() };
              });
              assert.deepEqual([status, body], [200, "[]"]);
            })),
      ),
    { skip: reasonWithoutCli ?? reasonWithoutChromium },
  );
}
