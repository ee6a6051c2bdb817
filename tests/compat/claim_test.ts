import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { JsonObject } from "@sluice/agent";
import { type ClaimOptions, prewarm } from "@sluice/agent/compat";
import { Deferred } from "@sluice/agent/extend";
import { test } from "../_harness.ts";
import { messagesOf, openPrompts } from "./_compat.ts";
import { type PlayedCli, playedCli } from "./_process.ts";

/** Kinds of the lines that a CLI gets behind `initialize`. */
const kindsOf = ({ received }: PlayedCli) =>
  received.slice(1).map(({ type, request }) =>
    (request as JsonObject | undefined)?.["subtype"] ?? type
  );

const RESULT = { type: "result", subtype: "success", is_error: false };

/** A spare whose CLI refuses requests of some kinds, and answers a prompt; for some it does something else. */
async function spareOf(
  refused: readonly string[] = [],
  instead: Readonly<Record<string, (cli: PlayedCli) => void>> = {},
) {
  const cli = playedCli({
    onLine({ type, request_id, request }) {
      if (type === "user") cli.say(RESULT);
      const subtype = String((request as JsonObject | undefined)?.["subtype"]);
      if (type !== "control_request" || subtype === "initialize") return;
      if (instead[subtype] !== undefined) return instead[subtype](cli);
      cli.say({
        type: "control_response",
        response: refused.includes(subtype)
          ? { subtype: "error", request_id, error: `no ${subtype}` }
          : { subtype: "success", request_id, response: { session_id: "s" } },
      });
    },
  });
  const spare = await prewarm({ options: { ...cli.options, cwd: tmpdir() } });
  return { cli, spare };
}

const CLAIM = { sessionId: "s", cwd: tmpdir(), sdkMcpSettled: false };
const PARTING =
  "the prompt was not sent and the process was closed; start the session with query()";

test("a claim without a directory names none, unless the CLI does", async () => {
  const { spare } = await spareOf();
  const run = spare.claim({ prompt: "Hi", options: {} as ClaimOptions });
  await messagesOf(run);
  assert.equal((await spare.claimed).cwd, undefined);
});

/** Claims, and what becomes of them. */
const CASES: Readonly<
  Record<string, {
    readonly options?: Partial<ClaimOptions>;
    readonly refused?: readonly string[];
    /** Lines that the CLI gets. */
    readonly sent: readonly string[];
    readonly error?: string;
    /** Whether the error has the data of the claim. */
    readonly isClaimed?: boolean;
  }>
> = {
  "without settings": { sent: ["claim_session", "user"] },
  "with empty settings": {
    options: { settings: {} },
    sent: ["claim_session", "user"],
  },
  "with settings that decide what starts": {
    options: { settings: { deniedMcpServers: [{ serverName: "x" }] } },
    sent: ["apply_flag_settings", "claim_session", "user"],
  },
  "with settings that follow": {
    options: { settings: { fastMode: true } },
    sent: ["claim_session", "apply_flag_settings", "user"],
  },
  "with settings of both kinds": {
    options: { settings: { enabledPlugins: {}, permissions: {} } },
    sent: [
      "apply_flag_settings",
      "claim_session",
      "apply_flag_settings",
      "user",
    ],
  },
  "whose settings are refused ahead of it": {
    options: { settings: { enabledPlugins: {} } },
    refused: ["apply_flag_settings"],
    sent: ["apply_flag_settings"],
    error: `settings_not_applied: no apply_flag_settings — ${PARTING}`,
  },
  "whose settings are refused behind it": {
    options: { settings: { fastMode: true } },
    refused: ["apply_flag_settings"],
    sent: ["claim_session", "apply_flag_settings"],
    error: `settings_not_applied: no apply_flag_settings — ${PARTING}`,
    isClaimed: true,
  },
  "that is refused": {
    refused: ["claim_session"],
    sent: ["claim_session", "user"],
    error: "no claim_session",
  },
  "whose other options are refused": {
    options: { model: "m", maxThinkingTokens: 5, settings: { fastMode: true } },
    refused: ["set_model", "set_max_thinking_tokens"],
    sent: [
      "claim_session",
      "set_model",
      "set_max_thinking_tokens",
      "apply_flag_settings",
      "user",
    ],
    error:
      "option_not_applied: model: no set_model; maxThinkingTokens: no set_max_thinking_tokens — the prompt was sent and the session runs without these options",
    isClaimed: true,
  },
};

for (const [name, given] of Object.entries(CASES)) {
  test(`a claim ${name}`, async () => {
    const { cli, spare } = await spareOf(given.refused);
    const options = { cwd: tmpdir(), ...given.options };
    const run = spare.claim({ prompt: "Hi", options });
    const messages = messagesOf(run);
    if (given.error === undefined) {
      assert.deepEqual(await spare.claimed, CLAIM);
    } else {
      await assert.rejects(spare.claimed, (error: Error) => {
        assert.equal(error.message, given.error);
        const claim = "claim" in error ? error.claim : undefined;
        assert.deepEqual(claim, given.isClaimed ? CLAIM : undefined);
        return true;
      });
    }
    const isSent = given.sent.includes("user");
    assert.deepEqual(await messages, isSent ? [RESULT] : []);
    assert.deepEqual(kindsOf(cli), given.sent);
  });
}

test("a session that runs without a refused option gets the prompts that follow", async () => {
  const { cli, spare } = await spareOf(["set_model"]);
  const prompts = openPrompts();
  const options = { cwd: tmpdir(), model: "m" };
  const run = spare.claim({ prompt: prompts.stream, options });
  await assert.rejects(spare.claimed, { message: /^option_not_applied: / });
  for (const text of ["first", "second"]) {
    prompts.say(text);
    assert.deepEqual((await run.next()).value, RESULT);
  }
  prompts.end();
  assert.deepEqual(await messagesOf(run), []);
  assert.deepEqual(kindsOf(cli).filter((one) => one === "user").length, 2);
});

for (
  const [name, given, sent] of [
    [
      "a relative directory of a claim is one of the program",
      "sub/folder",
      join(process.cwd(), "sub", "folder"),
    ],
    [
      "a directory of a claim below the home directory is left to the CLI",
      "~/work",
      "~/work",
    ],
  ] as const
) {
  test(name, async () => {
    const { cli, spare } = await spareOf();
    await messagesOf(spare.claim({ prompt: "Hi", options: { cwd: given } }));
    const { cwd } = cli.received[1]?.["request"] as JsonObject;
    assert.equal(cwd, sent);
  });
}

/** A claim whose settings hold its prompt back. */
const HELD = { cwd: tmpdir(), settings: { enabledPlugins: {} } };
const NOT_SENT =
  "Failed to write to process stdin: Cannot write to terminated process";

for (
  const [kind, code, message] of [
    ["apply_flag_settings", 0, NOT_SENT],
    ["apply_flag_settings", 3, "Claude Code process exited with code 3"],
    ["claim_session", 0, NOT_SENT],
    ["claim_session", 3, "Claude Code process exited with code 3"],
  ] as const
) {
  test(`a CLI that exits with code ${code} at ${kind} fails the claim and its prompt`, async () => {
    const { spare } = await spareOf([], { [kind]: (cli) => cli.exit(code) });
    const run = spare.claim({ prompt: "Hi", options: HELD });
    await assert.rejects(messagesOf(run), { message });
    await assert.rejects(spare.claimed, { message });
  });
}

test("a spare that is closed while it is claimed ends like a closed query", async () => {
  const claiming = new Deferred<void>();
  const { spare } = await spareOf([], {
    claim_session: () => claiming.resolve(),
  });
  const run = spare.claim({ prompt: "Hi", options: HELD });
  await claiming.promise;
  spare.close();
  assert.deepEqual(await messagesOf(run), []);
  await assert.rejects(spare.claimed, {
    message: "Query closed before response received",
  });
});
