import assert from "node:assert/strict";
import { Fleet, type FleetOptions } from "@sluice/fleet";
import { test } from "./_fleet.ts";

const WRONG_WORDS = [
  ...["", "x".repeat(129), 5, "a\nb", "a\r", "\0", "\u009b", "\ud800"],
  "x\udfff",
];

test("Wrong options of a job or a limit are refused by their key, and nothing is stored", async (rig) => {
  const fleet = await rig.fleet();
  const submits: readonly (readonly [options: object, key: string])[] = [
    ...["id", "name", "key"].flatMap((key) =>
      WRONG_WORDS.map((word) => [{ [key]: word }, key] as const)
    ),
    [{ priority: "urgent" }, "priority"],
    [{ maxAttempts: 0 }, "maxAttempts"],
    [{ deadline: 5 }, "deadline"],
    [{ cwd: "/srv" }, "cwd"],
    [{ approvals: [] }, "approvals"],
    [{ approvals: "Bash" }, "approvals"],
    [{ approvals: [""] }, "approvals[0]"],
    [{ approvals: ["Read", "Bash(git *)"] }, "approvals[1]"],
    [{ approvals: ["mcp__*__push"] }, "approvals[0]"],
    [{ approvals: ["Read", "Bsah"] }, "approvals"],
    [{ approvals: ["Read", "bash*"] }, "approvals"],
    [{ open: 1 }, "open"],
    [{ idleMs: -1 }, "idleMs"],
    [{ idleMs: 2 ** 31 }, "idleMs"],
    [{ options: { hooks: { Stop: [() => {}] } } }, "options.hooks.Stop[0]"],
    [{ options: { signal: AbortSignal.abort() } }, "options.signal"],
    [{ options: { onStderr() {} } }, "options.onStderr"],
    [
      { options: { permissions: { canUseTool() {} } } },
      "options.permissions.canUseTool",
    ],
    [{ options: { maxTurns: -1 } }, "options.maxTurns"],
    [{ options: { modle: "x" } }, "options.modle"],
  ];
  for (const [options, key] of submits) {
    const wrong = { name: "ConfigError", key };
    await assert.rejects(fleet.submit("x", options), wrong, key);
  }
  await assert.rejects(fleet.submit("x", { cwd: "/srv" } as object), {
    message: /options of the agent go into "options": { cwd }/,
  });
  for (const word of WRONG_WORDS as string[]) {
    await assert.rejects(fleet.job(word), { name: "ConfigError", key: "id" });
    await assert.rejects(fleet.limit(word, 1), { key: "name" });
  }
  for (const most of [0, 1.5, 10_000]) {
    await assert.rejects(fleet.limit("a", most), { key: "most" });
  }
  await assert.rejects(fleet.submit(42 as never), { name: "ConfigError" });
  assert.equal(await fleet.depth(), 0);
  assert.equal((await fleet.limits()).size, 0);
  const approvals = ["Bash", "mcp__*", "Web*", "Quux"];
  await fleet.submit("x", { id: "ä/\u{1f600} .*>", approvals });
  assert.equal(await fleet.depth(), 1);
});

test("Wrong options of other calls are refused by their key", async (rig) => {
  const fleet = await rig.fleet();
  const filters: readonly (readonly [filter: object, key: string])[] = [
    [{ state: "over" }, "state"],
    [{ state: ["done", "over"] }, "state[1]"],
    [{ nam: "x" }, "nam"],
  ];
  for (const [filter, key] of filters) {
    assert.throws(() => fleet.jobs(filter), { name: "ConfigError", key });
  }
  const job = await fleet.submit("x", { open: true });
  for (const from of [0, NaN, 1.5, "1" as never]) {
    assert.throws(() => job.messages({ from }), { key: "from" });
  }
  for (const prompt of [42, {}, null, undefined, [5]]) {
    await assert.rejects(job.send(prompt as never), { name: "ConfigError" });
  }
  await assert.rejects(job.cancel(42 as never), { key: "reason" });
  assert.equal((await job.status()).state, "queued");
  await assert.rejects(fleet.work({ concurrency: 0 }), { key: "concurrency" });
  await assert.rejects(fleet.work({ model: "sonnet" } as object), {
    key: "model",
    message: /options of the agent go into "options": { model }/,
  });
});

test("Wrong options of a connection are refused by their key, and none shows a password", async (rig) => {
  const { servers } = rig.connect;
  const wrong: readonly (readonly [options: object, key: string])[] = [
    [{ name: "a.b" }, "name"],
    [{ key: "short" }, "key"],
    [{ leaseMs: 5 }, "leaseMs"],
    [{ credentials: { user: "a" } }, "credentials.password"],
    [{ credentials: "the-secret" }, "credentials"],
    [{ servers: undefined }, "servers"],
    [{ servers: [] }, "servers"],
    ...[
      "tsl://127.0.0.1:1",
      "wss://127.0.0.1:1",
      "nats://one:the-secret@127.0.0.1:1",
      ["nats://127.0.0.1:1", "one:the-secret@127.0.0.1"],
      "nats://a b",
    ].map((servers) => [{ servers }, "servers"] as const),
  ];
  for (const [options, key] of wrong) {
    const given = { servers, name: "x", ...options } as FleetOptions;
    await assert.rejects(Fleet.connect(given), (error: Error) => {
      assert.equal(error.name, "ConfigError");
      assert.equal(Reflect.get(error, "key"), key);
      assert.doesNotMatch(error.message, /secret/);
      return true;
    });
  }
  const credentials = { credsFile: "/nowhere/at.all" };
  await assert.rejects(rig.fleet({ credentials }), {
    name: "FleetError",
    fault: "settings",
    message: /credentials\.credsFile.*at\.all/,
  });
});
