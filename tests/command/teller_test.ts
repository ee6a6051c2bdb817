import assert from "node:assert/strict";
import type { Program } from "../../src/runtime/program.ts";
import { screen } from "../../src/command/command_line.ts";
import { teller } from "../../src/command/teller.ts";
import { query } from "../../src/query.ts";
import { fakeCli } from "../../src/testing/fake_cli.ts";
import { FakeClock } from "../../src/testing/fake_clock.ts";
import { collect } from "../_collect.ts";
import { test } from "../_harness.ts";

test("The line about what goes on stays away after the result, until something goes on again", async () => {
  const fake = fakeCli("Over.");
  const { items } = await collect(query("Hi", { cliPath: fake.cliPath }));
  await fake.close();
  const texts: string[] = [];
  const put = (text: string | Uint8Array) => {
    texts.push(
      typeof text === "string" ? text : new TextDecoder().decode(text),
    );
    return Promise.resolve();
  };
  const self = {
    env: {},
    terminals: { stdin: true, stdout: true, stderr: true },
    columns: () => 80,
    write: put,
    writeError: put,
  } as unknown as Program;
  const clock = new FakeClock();
  const { showActivity, tell } = teller(screen(self), { clock });
  const hide = showActivity();
  const drawn = async () => {
    const before = texts.length;
    await clock.advance(1_000);
    return texts.slice(before).join("").includes("Ctrl-C interrupts");
  };
  assert.equal(await drawn(), true);
  for (const message of items) await tell(message);
  assert.match(texts.join(""), /tokens in/);
  assert.equal(await drawn(), false);
  const again = items.find((message) => message.type === "assistant");
  assert.ok(again?.type === "assistant");
  // It says nothing, so that no text stands in the line.
  await tell({ ...again, message: { ...again.message, content: [] } });
  assert.equal(await drawn(), true);
  hide();
});
