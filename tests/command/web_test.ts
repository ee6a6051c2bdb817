import assert from "node:assert/strict";
import { prompt, says, testWeb } from "./_web.ts";

testWeb(
  "On the page of sluice web text streams, a click allows a call, and its result and cost are seen",
  [{ tool: "Bash", input: { command: "touch made.txt" } }, "All done."],
  async ({ open }) => {
    const page = await open();
    await prompt(page, "Make a file");
    const card = page.locator(".card");
    page.on("console", (m) => console.log("CONSOLE", m.text()));
    await card.waitFor({ timeout: 8000 }).catch(async () => { console.log(await page.locator("body").innerText()); await page.screenshot({ path: "/tmp/web/shot.png" }); });
    console.log(await page.locator("body").innerText());
    await card.getByText("Yes, allow it").click();
    await says(page, "All done.");
    await page.screenshot({ path: "/tmp/web/shot.png" });
    console.log(await page.locator("body").innerText());
    assert.ok(true);
  },
);
