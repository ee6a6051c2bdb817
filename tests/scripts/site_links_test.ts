import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "../_harness.ts";

test(
  "Dead links of the site are found",
  async () => {
    const { findDeadLinks } = await import("../../scripts/site/links.ts");
    const folder = await mkdtemp(join(tmpdir(), "site-"));
    try {
      await mkdir(join(folder, "docs"));
      const pages = {
        "index.html":
          '<a href="docs/a.html#here">a</a> <a class="x" href="docs/gone.html">b</a> <a href="https://example.com/">c</a>',
        "docs/a.html":
          '<h2 id="here">A</h2><img src="../no.png"><a href="#there">d</a><a href="../index.html">e</a>',
      };
      for (const [path, text] of Object.entries(pages)) {
        await writeFile(join(folder, path), text);
      }
      const dead = await findDeadLinks(folder);
      assert.deepEqual([...dead].sort(), [
        "docs/a.html links #there: no such place",
        "docs/a.html links ../no.png: no such file",
        "index.html links docs/gone.html: no such file",
      ]);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
  { only: "deno" },
);
