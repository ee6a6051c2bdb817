import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { look, prompt, says, testWeb, type Web, withWeb, yes } from "./_web.ts";

/** The folder of a test, for the answers of its model. */
let cwd = "";
const path = (name: string) => join(cwd, name);

/** A text whose words differ. */
const NUMBERS = Array.from({ length: 300 }, (_, at) => `${1_000 + at} `)
  .join("");

/** A call of Bash. */
function bash(command: string) {
  return { tool: "Bash", input: { command, description: "run it" } };
}

/** Text of the steps of a page. */
async function steps(page: Awaited<ReturnType<Web["open"]>>): Promise<string> {
  return await page.locator("main").innerText();
}

testWeb(
  "On the page of sluice web text streams, clicks allow and deny calls, and all tabs and a reload show the same",
  [
    bash("touch a.txt"),
    bash("touch b.txt"),
    { text: "one two three", hang: true },
  ],
  async ({ open, real }) => {
    const pages = [await open(), await open(), await open()] as const;
    const [first, second, third] = pages;
    await prompt(first, "Make files");
    for (const page of pages) {
      await page.locator(".card").getByText("touch a.txt").first().waitFor();
    }
    await second.reload();
    assert.match(await second.title(), /sluice/);
    await yes(second).click();
    await first.locator(".card").getByText("touch b.txt").first().waitFor();
    assert.equal(await first.locator(".card").count(), 1);
    await third.locator(".card input[aria-label^=Why]").fill("never b");
    await third.locator(".card button.no").click();
    // The model stops in the middle.
    for (const page of pages) {
      await says(page, "one two three");
      assert.equal(await page.locator(".card").count(), 0);
    }
    await first.reload();
    await says(first, "one two three");
    await first.locator("#doing").getByText("The agent works").waitFor();
    real.model.release();
    for (const page of pages) {
      await says(page, /The turn ended · \$\d/);
      const text = await steps(page);
      assert.match(text, /permission\s+Bash\?: allowed[^]*Bash\?: denied/);
      assert.match(text, /one two three/);
      assert.equal(await page.locator("#live").isVisible(), false);
      assert.match(await page.locator(".facts").innerText(), /Cost\s*\$/);
    }
    assert.deepEqual(
      [
        existsSync(join(real.cwd, "a.txt")),
        existsSync(join(real.cwd, "b.txt")),
      ],
      [true, false],
    );
    const { lastText } = real.model.requests.at(-1) ?? {};
    assert.match(lastText ?? "", /never b/);
  },
);

testWeb(
  "The page of sluice web stops a turn, and the session goes on after its CLI was killed",
  [
    { text: NUMBERS, chunks: 300, delayMs: 300 },
    bash("touch c.txt"),
    "Back again.",
  ],
  async ({ children, open }) => {
    const page = await open();
    await prompt(page, "Begin");
    const live = page.locator("#live pre");
    await live.getByText("1002 ").waitFor();
    await page.locator("#prompt").fill("not sent");
    await page.reload();
    await live.getByText("1004 ").waitFor();
    const written = await live.innerText();
    assert.equal(written, NUMBERS.slice(0, written.length));
    assert.equal(await page.locator("#prompt").inputValue(), "not sent");
    await page.locator("#stop").click();
    await page.locator("#doing").getByText("Ready").waitFor();
    await says(page, /Failed/);
    await prompt(page, "More");
    await page.locator(".card").getByText("touch c.txt").first().waitFor();
    await page.locator("#stop").click();
    await page.locator(".card").waitFor({ state: "detached" });
    await page.locator("#doing").getByText("Ready").waitFor();
    const [cli = 0] = await children();
    process.kill(cli, "SIGKILL");
    await page.locator("#failure").getByText(/SIGKILL|exit/).waitFor();
    await prompt(page, "Again");
    await says(page, "Back again.");
    assert.match(await steps(page), /Begin[^]*Again[^]*Back again\./);
    assert.notDeepEqual(await children(), [cli]);
  },
);

testWeb(
  "Nothing is allowed on a page before all of it was on the screen, and a file that changed is shown again",
  [
    () => ({
      tool: "Write",
      input: {
        file_path: path("long.txt"),
        content: Array.from({ length: 400 }, (_, at) => `line ${at}`).join(
          "\n",
        ),
      },
    }),
    () => ({
      tool: "Edit",
      input: {
        file_path: path("f.txt"),
        old_string: "one\u202e\ntwo",
        new_string: "one\u202e\nthree",
      },
    }),
    "Done.",
  ],
  async (web) => {
    const { open, real } = web;
    cwd = real.cwd;
    await writeFile(path("f.txt"), "one\u202e\ntwo\n");
    const page = await open();
    await prompt(page, "Write");
    const card = page.locator(".card");
    await card.getByText("line 0", { exact: false }).first().waitFor();
    assert.match(await card.innerText(), /a new file:[^]*\+line 399/);
    assert.equal(await yes(card).isDisabled(), true);
    // To its end, with nearly all of it skipped.
    await yes(card).scrollIntoViewIfNeeded();
    await page.waitForTimeout(700);
    assert.equal(await yes(card).isDisabled(), true);
    // Another one writes the file meanwhile.
    await writeFile(path("long.txt"), "line 0\nother\n");
    await look(card);
    await yes(card).click();
    await card.getByText("changes of the file that is there").waitFor();
    assert.match(await card.innerText(), /-other/);
    assert.equal(existsSync(path("long.txt")), true);
    await card.locator("button.no").click();
    await card.getByText("f.txt").first().waitFor();
    assert.match(await card.innerText(), /-two\n\+three/);
    assert.ok((await card.innerText()).includes("one\\u{202e}"));
    await card.locator("button.no").click();
    await says(page, "Done.");
    const call = page.locator(".step.tool").filter({ hasText: "Edit" });
    await call.locator("summary").click();
    assert.equal(await call.locator(".line.added").innerText(), "+three");
  },
);

testWeb(
  "A page of sluice web asks the model's questions, and grants what is chosen",
  [
    {
      tool: "AskUserQuestion",
      input: {
        questions: [
          {
            question: "Tea or coffee?",
            header: "Drink",
            multiSelect: false,
            options: [
              { label: "Tea", description: "green" },
              { label: "Coffee", description: "black" },
            ],
          },
          {
            question: "Which cakes?",
            header: "Cake",
            multiSelect: true,
            options: [
              { label: "Plum", description: "sweet" },
              { label: "Lemon", description: "sour" },
            ],
          },
          {
            question: "Which place?",
            header: "Place",
            multiSelect: false,
            options: [
              { label: "Here", description: "inside" },
              { label: "There", description: "outside" },
            ],
          },
        ],
      },
    },
    bash("make > a.txt"),
    bash("touch a.txt"),
    bash("touch a.txt"),
    "Done.",
  ],
  async ({ open, real }) => {
    const page = await open();
    await prompt(page, "Ask");
    const card = page.locator(".card");
    await card.getByText("Tea or coffee?").waitFor();
    await card.getByText("Coffee", { exact: true }).click();
    await card.getByText("Plum", { exact: true }).click();
    await card.getByText("Lemon", { exact: true }).click();
    await look(card);
    assert.equal(await yes(card).isDisabled(), true);
    await card.locator("input.words").nth(2).fill("In the garden");
    await yes(card).click();
    await card.getByText("make > a.txt").first().waitFor();
    const { lastText = "" } = real.model.requests.at(-1) ?? {};
    assert.match(lastText, /Coffee[^]*Plum, Lemon[^]*In the garden/);
    const note = card.getByText("These may not be enough");
    assert.equal(await note.count(), 1);
    await card.locator("button.no").click();
    await card.getByText("touch a.txt").first().waitFor();
    await look(card);
    await card.getByText(/allow the Bash command/).click();
    await yes(card).click();
    // A granted call is not asked about again.
    await says(page, "Done.");
    assert.equal(existsSync(join(real.cwd, ".claude")), false);
  },
);

testWeb(
  "A page of sluice web shows the plan that a yes would begin",
  [
    (request) => {
      // The CLI names the file, and takes the plan from there.
      const [file = ""] = /[^\s"\\]+\/plans\/[\w-]+\.md/
        .exec(JSON.stringify(request.body)) ?? [];
      const content = "1. Look.\n- Leap.";
      return { tool: "Write", input: { file_path: file, content } };
    },
    { tool: "ExitPlanMode", input: {} },
    "Begun.",
  ],
  async ({ open }) => {
    const page = await open();
    await prompt(page, "Plan");
    const card = page.locator(".card");
    await card.getByText("May the agent use ExitPlanMode?").waitFor();
    assert.match(await card.innerText(), /1\. Look\.\n- Leap\./);
    assert.equal(await card.locator(".removed").count(), 0);
    await look(card);
    await yes(card).click();
    await says(page, "Begun.");
  },
  ["--mode", "plan"],
);

testWeb(
  "Past sessions open on the page of sluice web, also in another run of it, and go on",
  ["First.", "Second.", "Other."],
  async (web) => {
    const { open, real } = web;
    const page = await open();
    await prompt(page, "Name a river");
    await says(page, "First.");
    await says(page, "The turn ended");
    const other = await open();
    await other.locator("#new").click();
    await other.locator("h1").getByText("New session").waitFor();
    await withWeb(real, async (again) => {
      const past = await again.open();
      await past.locator("#past").click();
      await past.locator("#sessions a").first().click();
      await says(past, "Name a river");
      await says(past, "First.");
      await prompt(past, "Another");
      await says(past, "Second.");
    });
    await prompt(other, "Something else");
    await says(other, "Other.");
    assert.doesNotMatch(await steps(other), /river/);
    const projects = join(real.env["HOME"] ?? "", ".claude", "projects");
    const [project = ""] = await readdir(projects);
    const id = crypto.randomUUID();
    await writeFile(join(projects, project, `${id}.jsonl`), "hello\nworld\n");
    const broken = await open(`?session=${id}`);
    await broken.locator("#warnings").getByText("none of its 2 lines")
      .waitFor();
    assert.equal(await broken.locator("#failure").isVisible(), false);
    await prompt(broken, "Go on");
    await broken.locator("#failure").getByText("begin a new session").waitFor();
    const resumed = real.model.requests.filter(({ lastText }) =>
      lastText.includes("Another")
    );
    assert.match(JSON.stringify(resumed.at(-1)?.body), /Name a river/);
  },
);
