import assert from "node:assert/strict";
import { fixture, host, textOf } from "./_children.ts";
import { test } from "./_harness.ts";

test("a transport that fails in a fresh program rejects ready and ends nothing else", async () => {
  const driver = new URL(
    "./fixtures/failing_transport_driver.ts",
    import.meta.url,
  );
  const child = await (await host()).spawn(fixture(driver));
  await child.stdin.end();
  const [said, complained, { code }] = await Promise.all([
    textOf(child.stdout),
    textOf(child.stderr),
    child.exited,
  ]);
  assert.deepEqual([said, code], ["CliError\n", 0], complained);
});
