import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { JsonObject } from "@sluice/agent";
import { prewarm } from "@sluice/agent/compat";
import { test } from "../_harness.ts";
import { playedCli } from "./_process.ts";

test("a relative directory of a claim is one of the program", async () => {
  const cli = playedCli();
  const spare = await prewarm({ options: { ...cli.options, cwd: tmpdir() } });
  const run = spare.claim({ prompt: "Hi", options: { cwd: "sub/folder" } });
  const { request } = await cli.until(({ request }) =>
    (request as JsonObject | undefined)?.["subtype"] === "claim_session"
  );
  const { cwd } = request as JsonObject;
  assert.equal(cwd, join(process.cwd(), "sub", "folder"));
  await run.return();
});

test("settings of a claim are sent ahead of it, and one that is refused stops it", async () => {
  const subtypeOf = ({ request }: JsonObject) =>
    (request as JsonObject | undefined)?.["subtype"];
  for (const isRefused of [false, true]) {
    const cli = playedCli();
    const spare = await prewarm({ options: { ...cli.options, cwd: tmpdir() } });
    const settings = { deniedMcpServers: [{ serverName: "x" }] };
    const run = spare.claim({ prompt: "Hi", options: { cwd: ".", settings } });
    const asked = await cli.until((line) =>
      subtypeOf(line) === "apply_flag_settings"
    );
    assert.equal(
      cli.received.some((one) => subtypeOf(one) === "claim_session"),
      false,
    );
    cli.say({
      type: "control_response",
      response: {
        subtype: isRefused ? "error" : "success",
        request_id: asked["request_id"],
        ...isRefused ? { error: "no" } : { response: {} },
      },
    });
    if (isRefused) {
      await assert.rejects(spare.claimed, {
        message: /^settings_not_applied: no — the prompt was not sent/,
      });
    } else {
      await cli.until((line) => subtypeOf(line) === "claim_session");
      await run.return();
    }
    const sent = cli.received.filter(({ type }) => type === "user");
    assert.deepEqual(sent, []);
  }
});
