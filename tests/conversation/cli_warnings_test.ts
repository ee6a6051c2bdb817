import assert from "node:assert/strict";
import { delimiter } from "node:path";
import process from "node:process";
import { Client } from "../../src/client.ts";
import { query } from "../../src/query.ts";
import { fakeCli } from "../../src/testing/fake_cli.ts";
import type { Logger } from "../../src/types/logger.ts";
import { test } from "../_harness.ts";
import { testPlaces } from "../cli/_installations.ts";
import { logSpy } from "./_rig.ts";

/** A logger, and the first warning that fits. */
function firstWarning(pattern: RegExp): {
  readonly logger: Logger;
  readonly warned: Promise<string>;
} {
  const nothing = () => {};
  let tell: (text: string) => void = nothing;
  const warned = new Promise<string>((resolve) => tell = resolve);
  const warn = (text: string) => {
    if (pattern.test(text)) tell(text);
  };
  return {
    logger: { debug: nothing, info: nothing, error: nothing, warn },
    warned,
  };
}

testPlaces(
  "query() and connect() tell the logger of several CLIs, and of which one is used",
  async ({ at, script }) => {
    const fake = fakeCli(["Hello.", "Hello."]);
    const words = fake.cliPath.map((word) => `'${word}'`).join(" ");
    const used = await script("first/claude", `exec ${words} "$@"`);
    const other = await script("second/claude", "exit 1");
    const env = {
      PATH: [at("first"), at("second"), process.env["PATH"]].join(delimiter),
      CLAUDE_CLI_PATH: undefined,
    };
    const asked = firstWarning(/Several CLIs/);
    const conversation = query("x", { env, logger: asked.logger });
    const text = await asked.warned;
    assert.ok(text.includes(`"${used}"`) && text.includes(`"${other}"`), text);
    assert.ok(text.indexOf(used) < text.indexOf(other), "in order");
    await conversation.close();

    const connected = firstWarning(/Several CLIs/);
    const client = new Client({ env, logger: connected.logger });
    await client.connect();
    assert.match(await connected.warned, /the first one is used/);
    await client.close();
    await fake.close();
  },
  { ids: ["D-05"] },
);

test("query() tells the logger of a CLI that is too old", async () => {
  const fake = fakeCli({ initialize: { claude_code_version: "1.0.117" } });
  const { logger, warned } = firstWarning(/older than/);
  const conversation = query("x", { cliPath: fake.cliPath, logger });
  const text = await warned;
  assert.match(text, /is 1\.0\.117; update it/);
  assert.ok(text.includes(fake.cliPath[0] ?? "?"), text);
  await conversation.close();
  await fake.close();
}, { ids: ["D-03"] });

test(
  "query() has nothing to say of a CLI that is named and new enough",
  async () => {
    const fake = fakeCli("Hello.");
    const { logger, lines } = logSpy();
    await query("x", { cliPath: fake.cliPath, logger }).text();
    assert.deepEqual(lines.filter(({ level }) => level === "warn"), []);
    await fake.close();
  },
  { ids: ["D-03", "D-05"] },
);
