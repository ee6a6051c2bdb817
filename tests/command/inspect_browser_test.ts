import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { test } from "../_harness.ts";
import { run } from "./_program.ts";
import {
  assistant,
  hostile,
  LINES,
  prompt,
  result,
  storyOf,
  textOf,
  tool,
  withFolder,
} from "./_recording.ts";

const CHROMIUM = ["chromium", "chromium-browser", "google-chrome"]
  .find((name) => spawnSync(name, ["--version"]).status === 0);
const needsChromium = CHROMIUM === undefined ? "needs Chromium" : undefined;

/** The findings of a page that drives another one, in a frame. */
async function drive(
  folder: string,
  page: string,
  hash: string,
  steps: string,
  { isReady = 'dataset.ready === "yes"', width = 400 } = {},
): Promise<string> {
  const driver = join(folder, "driver.html");
  const address = `${pathToFileURL(page).href}${hash}`;
  await writeFile(
    driver,
    `<!doctype html><title>driver</title><iframe src="${address}" width="${width}" height="900"></iframe><pre id="found"></pre><script>
const frame = document.querySelector("iframe");
const wait = setInterval(() => {
  const page = frame.contentDocument;
  if (!page || !(page.documentElement.${isReady})) return;
  clearInterval(wait);
  const shown = () => [...page.querySelectorAll(".step")].filter((one) => !one.closest("[hidden]")).length;
  const press = (key) => (page.activeElement || page.body).dispatchEvent(new frame.contentWindow.KeyboardEvent("keydown", { key, bubbles: true }));
  const found = {};
  try {
${steps}
  } catch (error) {
    found.error = String(error);
  }
  document.querySelector("#found").textContent = "FOUND:" + JSON.stringify(found) + ":END";
}, 20);
</script>`,
  );
  const { stdout } = spawnSync(CHROMIUM ?? "", [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-web-security",
    "--allow-file-access-from-files",
    `--user-data-dir=${join(folder, "profile")}`,
    "--virtual-time-budget=10000",
    "--dump-dom",
    pathToFileURL(driver).href,
  ], { encoding: "utf8", timeout: 150_000 });
  const found = /FOUND:(.*?):END</s.exec(
    stdout.slice(stdout.indexOf('id="found"')),
  )?.[1];
  assert.ok(found, stdout.slice(0, 2_000));
  assert.doesNotMatch(found, /"error"/);
  return found.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll(
    "&amp;",
    "&",
  );
}

test(
  "In a browser the page of inspect searches, filters, follows a link, moves by keys, and runs no text of the recording",
  async () => {
    await withFolder(async (folder) => {
      const file = join(folder, "run.jsonl");
      await writeFile(file, textOf(LINES));
      const { code, stdout } = await run(["inspect", file]);
      assert.deepEqual([code, stdout], [0, `${file}.html\n`]);
      const { steps } = await storyOf(LINES);
      const bash = steps.find(({ title }) => title === "Bash: ls")?.id;
      const found = JSON.parse(
        await drive(
          folder,
          `${file}.html`,
          `#s${bash}`,
          `
  found.all = shown();
  const linked = page.querySelector("#s${bash}").parentElement;
  found.linked = linked.open && linked.querySelector("pre").textContent;
  found.focus = page.activeElement.id;
  press("k");
  found.moved = page.activeElement.id;
  const input = page.querySelector("input");
  input.value = "denied";
  input.dispatchEvent(new frame.contentWindow.Event("input"));
  found.searched = shown();
  input.value = "";
  input.dispatchEvent(new frame.contentWindow.Event("input"));
  const button = [...page.querySelectorAll("#filters button")].find((one) => one.textContent.startsWith("permission"));
  button.click();
  found.permissions = shown();
  found.pressed = [...page.querySelectorAll("#filters button")].filter((one) => one.getAttribute("aria-pressed") === "true").length;
  const ground = () => frame.contentWindow.getComputedStyle(page.body).backgroundColor;
  const before = ground();
  page.querySelector("#theme").click();
  found.themed = before !== ground();
  found.wide = page.documentElement.scrollWidth <= 400;
  found.plot = page.querySelector(".plot polyline") !== null;
  found.rows = page.querySelectorAll("tbody tr").length;`,
        ),
      );
      assert.equal(found.all, steps.length);
      assert.match(found.linked, /"command": "ls"/);
      assert.equal(found.focus, `s${bash}`);
      assert.notEqual(found.moved, found.focus);
      // The permission and the agent around it, the answer, the result.
      assert.equal(found.searched, 4);
      // The one permission inside of the agent.
      assert.equal(found.permissions, 2);
      assert.equal(found.pressed, 1);
      assert.deepEqual([found.themed, found.wide, found.plot, found.rows], [
        true,
        true,
        true,
        2,
      ]);

      const bad = join(folder, "bad.jsonl");
      await writeFile(bad, hostile());
      assert.equal((await run(["inspect", bad])).code, 0);
      const broken = JSON.parse(
        await drive(
          folder,
          `${bad}.html`,
          "",
          `
  for (const one of page.querySelectorAll("details")) one.open = true;
  found.title = page.title;
  found.images = page.querySelectorAll("img, main script").length;`,
        ),
      );
      assert.equal(broken.title, `${bad} - sluice`);
      assert.equal(broken.images, 0);
    });
  },
  { skip: needsChromium },
);

test(
  "In a browser a page of 20 000 steps makes only those near the screen, and leads to all",
  async () => {
    await withFolder(async (folder) => {
      const file = join(folder, "run.jsonl");
      const long = Array.from({ length: 20_000 }, (_, at) =>
        assistant(
          5_000 + at,
          at % 4_000 === 0
            ? tool(`c${at}`, "Agent", {})
            : { type: "text", text: `word${at}\n${"x".repeat(200)}` },
          at % 4_000 === 0 || at % 4_000 > 2_000 ? null : `c${at - at % 4_000}`,
          at,
        ));
      const prompts = Array.from({ length: 1_000 }, (_, at) => [
        prompt(30_000 + at, `P${at}`),
        result(30_000 + at, { is_error: at === 999 }),
      ]).flat();
      await writeFile(
        file,
        textOf([...LINES.slice(0, 4), ...long, ...prompts]),
      );
      assert.equal((await run(["inspect", file])).code, 0);
      const found = JSON.parse(
        await drive(
          folder,
          `${file}.html`,
          "#s15000",
          `
  const inner = frame.contentWindow;
  const input = page.querySelector("input");
  const search = (text) => {
    input.value = text;
    input.dispatchEvent(new inner.Event("input"));
  };
  found.linked = page.activeElement.id;
  found.opened = page.activeElement.parentElement.open;
  found.top = Math.round(page.activeElement.getBoundingClientRect().top);
  found.elements = page.getElementsByTagName("*").length;
  found.turns = page.querySelector("#turns h2").textContent;
  found.points = page.querySelector(".plot polyline").getAttribute("points").split(" ").length;
  press("j");
  found.next = page.activeElement.id;
  press("k");
  press("k");
  found.back = page.activeElement.id;
  press("e");
  found.failure = page.activeElement.closest(".step").className;
  search("word19001");
  found.count = page.querySelector("#found").textContent;
  found.shown = [...page.querySelectorAll(".step .title")].map((one) => one.textContent.slice(0, 9));
  search("word1");
  found.all = page.querySelector("#found").textContent;
  inner.location.hash = "#s100";
  inner.dispatchEvent(new inner.Event("hashchange"));
  found.unfiltered = [input.value, page.activeElement.id, page.activeElement.closest(".step").style.getPropertyValue("--depth")];
  inner.scrollTo(0, page.documentElement.scrollHeight);
  inner.dispatchEvent(new inner.Event("scroll"));
  found.last = page.querySelector(".chunk:last-child .step:last-child .kind").textContent;
  found.elementsAtEnd = page.getElementsByTagName("*").length;`,
        ),
      );
      assert.deepEqual([found.linked, found.opened], ["s15000", true]);
      assert.ok(found.top >= 0 && found.top < 200, `${found.top}`);
      assert.ok(found.elements < 8_000, `${found.elements} elements`);
      assert.ok(found.elementsAtEnd < 10_000, `${found.elementsAtEnd}`);
      assert.equal(found.turns, "The last 500 of 1,000 turns");
      assert.ok(found.points <= 720, `${found.points}`);
      assert.deepEqual([found.next, found.back], ["s15001", "s14999"]);
      assert.equal(found.failure, "step result error");
      assert.deepEqual([found.count, found.shown], [
        "1 of 22002 steps",
        ["word19001"],
      ]);
      assert.equal(found.all, "11109 of 22002 steps");
      assert.deepEqual(found.unfiltered, ["", "s100", "1"]);
      assert.equal(found.last, "result");
    });
  },
  { skip: needsChromium },
);

test(
  "axe finds no fault in a page, wide and at 400 px, light and dark, with every step open",
  async () => {
    await withFolder(async (folder) => {
      const file = join(folder, "run.jsonl");
      await writeFile(file, `${textOf(LINES)}{"broken":\n`);
      assert.equal((await run(["inspect", file])).code, 0);
      const path = createRequire(import.meta.url).resolve("axe-core");
      const axe = (await readFile(path, "utf8")).replaceAll("</", "<\\/");
      const page = await readFile(`${file}.html`, "utf8");
      const policy = /<meta http-equiv="Content-Security-Policy"[^>]*>/;
      assert.match(page, policy);
      // Its policy would not let axe run.
      await writeFile(
        `${file}.html`,
        page.replace(policy, "").replace(
          "</body>",
          () =>
            `<script>${axe}</script><script>
(async () => {
  const { dataset } = document.documentElement;
  const found = {};
  for (const one of document.querySelectorAll("details")) one.open = true;
  await new Promise((done) => setTimeout(done, 50));
  for (const theme of ["light", "dark"]) {
    dataset.theme = theme;
    const { passes, violations } = await axe.run(document);
    found[theme] = {
      passes: passes.map(({ id }) => id),
      violations: violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html.slice(0, 100)).join(" | ")),
    };
  }
  dataset.axe = JSON.stringify(found);
})();
</script></body>`,
        ),
      );
      for (const width of [400, 1_000]) {
        const found = JSON.parse(
          await drive(
            folder,
            `${file}.html`,
            "",
            `Object.assign(found, JSON.parse(page.documentElement.dataset.axe));
  found.pre = page.querySelectorAll("pre").length;
  found.wide = page.documentElement.scrollWidth <= ${width};`,
            { isReady: "dataset.axe", width },
          ),
        );
        assert.ok(found.pre > 10 && found.wide, `${found.pre} ${found.wide}`);
        for (const theme of ["light", "dark"]) {
          const { passes, violations } = found[theme];
          assert.deepEqual(violations, [], `${theme}, ${width}`);
          assert.ok(passes.includes("color-contrast"), passes.join());
        }
      }
    });
  },
  { skip: needsChromium },
);
