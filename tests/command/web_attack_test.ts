import assert from "node:assert/strict";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "../_harness.ts";
import { withRealCli } from "../_real_cli.ts";
import { HOSTILE } from "./_recording.ts";
import { run, start } from "./_program.ts";
import { statusOf } from "./_requests.ts";
import { look, prompt, says, skip, testWeb, yes } from "./_web.ts";

/** Where hostile text stands that no markup may come of. */
const QUESTION = {
  questions: [{
    question: `Which? ${HOSTILE}`,
    header: HOSTILE,
    multiSelect: true,
    options: [
      { label: `A ${HOSTILE}`, description: HOSTILE, preview: HOSTILE },
      // Higher than the screen.
      { label: `B ${HOSTILE} ${"more ".repeat(1_600)}`, description: HOSTILE },
    ],
  }],
};

testWeb(
  "No text of an agent becomes markup on the page of sluice web, and axe finds nothing serious on it",
  [
    {
      thinking: HOSTILE,
      text: HOSTILE,
      tool: "Bash",
      input: { command: `echo ${HOSTILE}`, description: HOSTILE },
    },
    { tool: `no${HOSTILE}`.slice(0, 60), input: { [HOSTILE]: HOSTILE } },
    {
      tool: "Write",
      input: { file_path: `/sluice/${HOSTILE}`, content: HOSTILE },
    },
    { tool: "AskUserQuestion", input: QUESTION },
    { error: { status: 400, message: HOSTILE } },
  ],
  async ({ open }) => {
    const page = await open();
    await prompt(page, HOSTILE);
    const card = page.locator(".card");
    await card.getByText("May the agent use Bash?").waitFor();
    await look(card);
    await axe(page);
    await card.locator("input[aria-label^=Why]").fill(HOSTILE);
    const titles: string[] = [];
    for (;;) {
      const isOver = page.locator(".step.result").first();
      await isOver.or(card).first().waitFor();
      if (await isOver.isVisible()) break;
      const [title] = await card.locator("h2").allInnerTexts();
      // An answered card may leave meanwhile.
      if (title === undefined || title === titles.at(-1)) continue;
      titles.push(title);
      await look(card);
      if (title.includes("asks")) {
        await axe(page);
        await card.locator("input.words").fill(HOSTILE);
        await yes(card).click();
      } else await card.locator("button.no").click();
      await card.getByText(title, { exact: true }).waitFor({
        state: "detached",
      });
    }
    assert.deepEqual(titles, [
      "May the agent use Bash?",
      "May the agent use Write?",
      "The agent asks",
    ]);
    await page.locator("#all").click();
    await page.locator("#past").click();
    await page.locator("#sessions a").first().waitFor();
    for (const one of await page.locator("main summary").all()) {
      await one.click();
    }
    await axe(page);
    assert.doesNotMatch(await page.title(), /^BROKEN/);
    const made = await page.locator("img, main script, main svg").count();
    assert.equal(made, 0);
    await page.reload();
    await says(page, "BROKEN");
    assert.doesNotMatch(await page.title(), /^BROKEN/);
  },
);

type Page = Parameters<typeof prompt>[0];

/** Fails for what axe takes seriously, and for a page that is wider than the screen. */
async function axe(page: Page): Promise<void> {
  const path = createRequire(import.meta.url).resolve("axe-core");
  const code = await readFile(path, "utf8");
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    for (const width of [1_440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      // The policy of the page lets no script element run.
      await page.evaluate(code);
      const faults = await page.evaluate<readonly string[]>(
        `axe.run().then(({ violations }) => violations
          .filter(({ impact }) => ["serious", "critical"].includes(impact))
          .map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html.slice(0, 200)).join(" | ")))`,
      );
      assert.deepEqual(faults, [], `${colorScheme} ${width}`);
      const isWide = "document.documentElement.scrollWidth > innerWidth";
      assert.equal(await page.evaluate(isWide), false, `${width}`);
    }
  }
}

testWeb(
  "Only pages of sluice web itself answer a question, once, and for what they showed",
  [
    { tool: "Bash", input: { command: "touch a.txt" } },
    { tool: "Bash", input: { command: "touch b.txt" } },
    "Done.",
  ],
  async ({ address, open, post }) => {
    const page = await open();
    const { host, origin, port } = new URL(address);
    let answer:
      | { readonly session: string; readonly answer: object }
      | undefined;
    page.on("request", (request) => {
      if (request.url().endsWith("/answer")) answer = request.postDataJSON();
    });
    await prompt(page, "Go");
    const card = page.locator(".card");
    await card.getByText("touch a.txt").first().waitFor();
    // One that the page never sends.
    const session = new URL(page.url()).searchParams.get("session");
    const bodies: readonly (readonly [unknown, number])[] = [
      ["", 400],
      ["{", 400],
      ["[]", 400],
      [{}, 404],
      [{ session: "x", answer: {} }, 404],
      [{ session: crypto.randomUUID(), answer: {} }, 404],
      [{ session }, 400],
      [{ session, answer: { id: "x", digest: "x" } }, 400],
      [{ session, answer: { id: "x", digest: "x", isAllowed: "yes" } }, 400],
      [{ session, answer: { id: "x", digest: "x", isAllowed: true } }, 404],
      ["x".repeat(20_000_001), 400],
    ];
    for (const [body, status] of bodies) {
      const text = JSON.stringify(body).slice(0, 80);
      assert.equal(await post("answer", body), status, text);
    }
    await look(card);
    await yes(card).click();
    await card.getByText("touch b.txt").first().waitFor();
    assert.ok(answer);
    // The same again, and the digest of another call.
    assert.equal(await post("answer", answer), 409);
    const id = (await card.locator("h2").getAttribute("id"))?.slice(6);
    const other = { ...answer, answer: { ...answer.answer, id } };
    assert.equal(await post("answer", other), 409);
    const wrong = { ...answer, answer: { ...answer.answer, id, grants: [99] } };
    assert.notEqual(await post("answer", wrong), 204);

    const path = new URL(address).pathname;
    const json = { "content-type": "application/json" };
    const sent = { host, origin, ...json };
    const refused: readonly (readonly [string, object, number])[] = [
      [address, { ...sent, origin: "https://evil.example" }, 403],
      [address, { ...sent, origin: "null" }, 403],
      [address, { host, ...json }, 403],
      [address, { ...sent, host: `evil.example:${port}` }, 403],
      [`${origin}/${crypto.randomUUID()}/`, sent, 404],
      [address, { ...sent, "content-type": "text/plain" }, 415],
    ];
    for (const name of ["answer", "prompt", "interrupt"]) {
      for (const [base, headers, status] of refused) {
        const got = await statusOf(
          `${base}${name}`,
          headers as never,
          "POST",
          "{}",
        );
        assert.equal(got, status, JSON.stringify([name, base, headers]));
      }
      assert.equal(await statusOf(`${address}${name}`, { host }), 405);
    }
    for (const name of ["", `events?session=${session}`, "sessions"]) {
      const foreign = { host, origin: "https://evil.example" };
      assert.equal(await statusOf(`${address}${name}`, foreign), 403, name);
      const renamed = { host: `evil.example:${port}` };
      assert.equal(await statusOf(`${address}${name}`, renamed), 403, name);
      assert.equal(await statusOf(`${origin}/x/${name}`, { host }), 404, name);
    }
    assert.equal(await statusOf(origin + path.slice(0, -1), { host }), 404);
    assert.equal(await statusOf(`${address}?session=../x`, { host }), 400);
    assert.equal(await statusOf(`${address}events?session=x`, { host }), 400);
    assert.equal(await card.getByText("touch b.txt").first().isVisible(), true);
    await card.locator("button.no").click();
    await says(page, "Done.");
  },
);

testWeb(
  "Of more than four pages the oldest is paused, and comes back when it is looked at",
  ["One.", "Two."],
  async ({ open }) => {
    const pages = [];
    for (let at = 0; at < 5; at++) pages.push(await open());
    const [first, , , , last] = pages;
    assert.ok(first && last);
    await first.locator("#failure").getByText("Paused").waitFor();
    await prompt(last, "Go");
    await says(last, "One.");
    assert.equal(await first.getByText("One.").count(), 0);
    await first.locator("h1").click();
    await says(first, "One.");
    assert.equal(await first.locator("#failure").isVisible(), false);
  },
);

test(
  "sluice web opens a browser by a file that only its user reads, prints JSON, and refuses what it cannot do",
  () =>
    withRealCli([], async (real) => {
      const bin = join(real.cwd, "bin");
      await mkdir(bin);
      const opened = join(real.cwd, "opened");
      const script =
        `#!/bin/sh\nstat -c %a "$1" > '${opened}.new'\ncat "$1" >> '${opened}.new'\nmv '${opened}.new' '${opened}'\n`;
      await writeFile(join(bin, "xdg-open"), script);
      await chmod(join(bin, "xdg-open"), 0o755);
      const { cliPath, cwd, env } = real;
      const settings = {
        ...{ cwd, input: null },
        env: { ...env, PATH: `${bin}:${env["PATH"]}` },
      };
      const words = ["web", "--cli", cliPath, "--json", "--open"];
      const running = start(words, settings);
      try {
        await running.said("Ctrl-C ends it");
        const { type, url } = JSON.parse(running.texts().stdout);
        assert.equal(type, "listening");
        let text = "";
        while (text === "") {
          text = await readFile(opened, "utf8").catch(() => "");
        }
        assert.match(text, /^600\n/);
        assert.ok(text.includes(`url=${url}"`), text);
      } finally {
        running.interrupt();
        assert.equal((await running.ended).code, 130);
      }
      const none = await run(
        ["web", "--cli", cliPath, "--resume", crypto.randomUUID()],
        settings,
      );
      assert.equal(none.code, 2);
      assert.match(none.stderr, /this folder has no session with that id/);
      const missing = await run(["web", "--cli", "/nowhere"], settings);
      assert.equal(missing.code, 1);
      assert.match(missing.stderr, /nowhere/);
    }),
  { skip },
);
