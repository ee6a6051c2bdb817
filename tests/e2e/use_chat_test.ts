import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client, memoryApprovals } from "@sluice/agent";
import { approvalResponse, sseResponse } from "@sluice/agent/ui";
import type { Page } from "playwright-core";
import { collect } from "../_collect.ts";
import { reasonWithoutChromium, withChromium } from "../_chromium.ts";
import { test } from "../_harness.ts";
import { reasonWithoutCli, withRealCli } from "../_real_cli.ts";
import { serveWeb, type WebServer } from "../ui/_server.ts";
import { after, bash } from "./_real.ts";

const PAGE = fileURLToPath(
  new URL("../fixtures/use_chat_page.mjs", import.meta.url),
);
const ESBUILD = createRequire(import.meta.url).resolve("esbuild/bin/esbuild");

/** The page with its packages, as one script. */
function bundled(): string {
  const { status, stdout, stderr } = spawnSync("node", [
    ESBUILD,
    PAGE,
    "--bundle",
    "--format=esm",
    "--target=es2022",
    '--define:process.env.NODE_ENV="production"',
  ], { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  assert.equal(status, 0, stderr);
  return stdout;
}

/** Serves one chat, as a program would. */
function serveChat(
  chat: {
    readonly client: Client;
    readonly onLeave: "close" | "park";
  },
  store: ReturnType<typeof memoryApprovals>,
): Promise<WebServer> {
  const script = bundled();
  const history: unknown[] = [];
  const { client } = chat;
  const turn = () =>
    sseResponse(client, {
      format: "ai-sdk",
      approvals: store,
      onLeave: chat.onLeave,
    });
  return serveWeb(async (request) => {
    const { pathname } = new URL(request.url);
    const { sessionId } = client;
    switch (`${request.method} ${pathname}`) {
      case "GET /":
        return new Response(
          '<!doctype html><title>Chat</title><div id="root"></div><script type="module" src="/page.js"></script>',
          { headers: { "content-type": "text/html; charset=utf-8" } },
        );
      case "GET /page.js":
        return new Response(script, {
          headers: { "content-type": "text/javascript; charset=utf-8" },
        });
      case "GET /history":
        return Response.json(history);
      case "POST /chat": {
        const { messages } = await request.json();
        const message = messages.at(-1);
        history.push(message);
        await client.sendMessage(message.parts[0].text);
        return turn();
      }
      case "GET /chat/chat/stream":
        return turn();
      case "POST /approve":
        return await approvalResponse(store, request, { sessionId });
      default:
        return new Response("", { status: 404 });
    }
  });
}

async function send(page: Page, text: string): Promise<void> {
  await page.fill("input", text);
  await page.press("input", "Enter");
}

function ready(page: Page): Promise<void> {
  return page.waitForFunction('globalThis.shown?.status === "ready"')
    .then(() => {});
}

test(
  "useChat shows text, thinking and tools of the real CLI, answers permissions, continues after a reload, and a closed tab ends the CLI",
  () =>
    withRealCli(
      [
        {
          thinking: "Let me see.",
          text: "I make it.",
          ...bash("echo made > made.txt"),
        },
        "Made <script>window.hacked = true</script> it.",
        bash("echo never > never.txt"),
        "Then not.",
        { text: "Wait.", ...bash(after("go.txt", "echo gone")) },
        "It is there.",
        { text: "Endless.", ...bash(after("never_there.txt", "true")) },
      ],
      async ({ options, cwd }) => {
        const store = memoryApprovals();
        const client = new Client({
          ...options,
          includePartialMessages: true,
          permissions: {
            approvals: {
              store,
              park: (_tool, { command }) =>
                !String(command).startsWith("while"),
            },
            approve: ["Bash"],
          },
        });
        await client.connect();
        const chat = { client, onLeave: "park" as "park" | "close" };
        let server: WebServer | undefined;
        try {
          server = await serveChat(chat, store);
          const { url } = server;
          await withChromium(async (browser) => {
            const page = await browser.newPage();
            page.setDefaultTimeout(15_000);
            const faults: string[] = [];
            page.on("pageerror", (error) => faults.push(error.message));
            await page.goto(url);
            await ready(page);

            await send(page, "Make it");
            await page.click("button.allow");
            await page.waitForSelector("text=Made");
            await ready(page);
            assert.ok(existsSync(join(cwd, "made.txt")));
            const parts = await page.locator(".assistant > *")
              .evaluateAll((all) => all.map(({ className }) => className));
            // The question may overtake the texts before its call.
            assert.deepEqual(
              parts.toSorted(),
              ["text", "text", "thinking", "tool output-available"],
            );
            assert.equal(parts.at(-1), "text");
            assert.equal(await page.evaluate("window.hacked"), undefined);

            await send(page, "Make another");
            await page.click("button.deny");
            await page.waitForSelector(".output-denied");
            await page.waitForSelector("text=Then not.");
            await ready(page);
            assert.ok(!existsSync(join(cwd, "never.txt")));

            await send(page, "Wait for it");
            await page.waitForSelector("text=Wait.");
            await page.waitForSelector(".input-available");
            await page.reload();
            await page.waitForSelector("text=Wait.");
            await page.waitForSelector(".input-available");
            spawnSync("touch", [join(cwd, "go.txt")]);
            await page.waitForSelector("text=It is there.");
            await ready(page);
            assert.match(
              await page.locator(".tool").last().innerText(),
              /"output":"gone"/,
            );

            chat.onLeave = "close";
            await send(page, "Do not end");
            await page.waitForSelector("text=Endless.");
            await page.waitForSelector(".input-available");
            const states = collect(client.watch());
            await page.close();
            assert.equal((await states).items.at(-1)?.state, "gone");
            assert.deepEqual(faults, []);
          });
        } finally {
          await server?.close();
          await client.close();
        }
      },
    ),
  { skip: reasonWithoutCli ?? reasonWithoutChromium },
);
