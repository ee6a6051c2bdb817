import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { look, prompt, testWeb } from "./_web.ts";

/** Texts after a blank that may end a row: with a letter of another width, of another font, with an escape, and punctuation that a row does not begin with. */
const NEXT = ["é-", "漢-", "e\u0301-", ")("];
/** As long as a row of some of the widths. */
const HEAD = "rm -r /srv/archiv";
const WIDTHS = Array.from({ length: 5 }, (_, at) => 120 + 8 * at);

/** Texts that differ in blanks. */
const PAIRS = NEXT.flatMap((next) => [
  [`${HEAD}${next}alt`, `${HEAD} ${next}alt`],
  [`${HEAD} ${next}alt`, `${HEAD}   ${next}alt`],
]);
const OPTIONS = [...PAIRS.slice(0, 1), ...PAIRS.slice(2, 3)].flat().map((
  label,
  at,
) => {
  const preview = at % 2 === 0 ? "rm-r/srv/archiv-x" : "rm-r/srv/archiv\n-x";
  return { label, description: label, preview };
});

testWeb(
  "On a card of sluice web, texts that differ in blanks or lines look different, wherever a row ends",
  [
    {
      tool: "Bash",
      input: { command: PAIRS.flat().join("\n"), description: "remove" },
    },
    {
      tool: "AskUserQuestion",
      input: {
        questions: [{
          question: "Which?",
          header: "One",
          multiSelect: false,
          options: OPTIONS,
        }],
      },
    },
  ],
  async ({ open }) => {
    const page = await open();
    await prompt(page, "Go");
    const card = page.locator(".card");
    await card.getByText("May the agent use Bash?").waitFor();
    await differ(page, card.locator(".block .line"), PAIRS.length);
    await look(card);
    await card.locator("button.no").click();
    await card.getByText("The agent asks").waitFor();
    await differ(page, card.locator(".choice strong"), 2);
    await differ(page, card.locator(".choice .prose"), 2);
    await differ(page, card.locator(".choice .block:not(.prose)"), 2);
  },
);

/** Draws pairs of neighbours at one place, in boxes of several widths. */
async function differ(
  page: Page,
  texts: Locator,
  pairs: number,
): Promise<void> {
  const equal: string[] = [];
  for (let at = 0; at < pairs; at++) {
    const one = texts.nth(2 * at);
    const other = texts.nth(2 * at + 1);
    for (const width of WIDTHS) {
      const image = await drawn(page, one, width);
      if (image === await drawn(page, other, width)) {
        equal.push(`${width} ${await other.textContent()}`);
      }
    }
  }
  assert.deepEqual(equal, []);
  // Two equal ones are equal.
  const first = texts.nth(0);
  assert.equal(await drawn(page, first, 120), await drawn(page, first, 120));
}

async function drawn(
  page: Page,
  text: Locator,
  width: number,
): Promise<string> {
  await style(
    text,
    `display: block; position: fixed; top: 0; left: 0; width: ${width}px;
    height: 70px; z-index: 9; background: white; overflow: visible`,
  );
  const image = await page.screenshot({
    clip: { x: 0, y: 0, width: width + 4, height: 70 },
  });
  await style(text, "");
  return image.toString("base64");
}

async function style(text: Locator, css: string): Promise<void> {
  await text.evaluate(
    (node: { readonly style: { cssText: string } }, css) => {
      node.style.cssText = css;
    },
    css,
  );
}
