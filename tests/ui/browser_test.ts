import assert from "node:assert/strict";
import { Client } from "@sluice/agent";
import { fakeCli } from "@sluice/agent/testing";
import { sseResponse } from "@sluice/agent/ui";
import type { Page } from "playwright-core";
import { reasonWithoutChromium, withChromium } from "../_chromium.ts";
import { test } from "../_harness.ts";
import { proxyOf } from "./_cuts.ts";
import { serveWeb } from "./_server.ts";

/** A page without packages: it collects what `EventSource` gives. */
const PAGE = `<!doctype html><title>Tab</title><pre></pre><script>
const seen = globalThis.seen = { texts: [], names: [], opens: 0 };
const source = new EventSource("/events");
source.onopen = () => seen.opens++;
source.onmessage = ({ data }) => {
  const message = JSON.parse(data);
  if (message.type === "assistant") {
    for (const { text } of message.message.content) {
      seen.texts.push(text);
      document.querySelector("pre").append(text, "\\n");
    }
  }
};
for (const name of ["failure", "reset", "end"]) {
  source.addEventListener(name, () => {
    seen.names.push(name);
    if (name === "end") source.close();
  });
}
</script>`;

interface Seen {
  readonly texts: readonly string[];
  readonly names: readonly string[];
  readonly opens: number;
}

function seen(page: Page): Promise<Seen> {
  return page.evaluate("globalThis.seen");
}

async function has(page: Page, text: string): Promise<void> {
  await page.waitForFunction(
    `globalThis.seen?.texts.includes(${JSON.stringify(text)})`,
  );
}

const NASTY =
  '<img src=x onerror="window.hacked = true">\n\nevent: end\ndata: x';

test(
  "three tabs see one turn, each text once: one reloads, one loses its connection, one stays",
  async () => {
    const step = { wait: { control: "set_model" } };
    const { cliPath } = fakeCli([["a", step, "b", NASTY, step, "c"]]);
    const client = new Client({ cliPath });
    await client.connect("x");
    const server = await serveWeb(({ url, headers }) =>
      new URL(url).pathname === "/events"
        ? sseResponse(client, {
          lastEventId: headers.get("last-event-id"),
          onLeave: "park",
          heartbeatMs: 20,
        })
        : new Response(PAGE, { headers: { "content-type": "text/html" } })
    );
    const proxy = await proxyOf(server.url);
    try {
      await withChromium(async (browser) => {
        const [one, other, third] = await Promise.all(
          [server.url, server.url, proxy.url].map(async (url) => {
            const page = await browser.newPage();
            page.setDefaultTimeout(60_000);
            await page.goto(url);
            await has(page, "a");
            return page;
          }),
        ) as [Page, Page, Page];
        await client.setModel("opus");
        for (const page of [one, other, third]) await has(page, NASTY);
        await other.reload();
        await has(other, NASTY);
        proxy.cut();
        await third.waitForFunction("globalThis.seen.opens === 2");
        await client.setModel("opus");
        for (const page of [one, other, third]) {
          await page.waitForFunction('globalThis.seen.names.includes("end")');
          const { texts, names } = await seen(page);
          assert.deepEqual(texts, ["a", "b", NASTY, "c"]);
          assert.deepEqual(names, ["end"]);
          assert.equal(await page.evaluate("window.hacked"), undefined);
        }
      });
    } finally {
      await proxy.close();
      await server.close();
      await client.close();
    }
  },
  { skip: reasonWithoutChromium },
);
