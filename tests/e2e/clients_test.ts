import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { type Client, CliExitError, memoryApprovals } from "@sluice/agent";
import { directoryTranscripts } from "@sluice/agent/transcripts";
import { type ClientKey, type Clients, clients } from "@sluice/agent/ui";
import { isGoneWithin } from "../_children.ts";
import { rejectionOf } from "../_collect.ts";
import type { RealCli } from "../_real_cli.ts";
import { CALL } from "./_deferred.ts";
import { realTest } from "./_real.ts";

/** Asks as a user; gives the client once it is idle. */
async function ask(agents: Clients, key: ClientKey, prompt: string) {
  const client = await agents.get(key);
  await client.text(prompt);
  await client.settled();
  return client;
}

/** Request that the model got with the last prompt. */
function seen({ model }: RealCli): string {
  const { body } = model.requests.findLast(({ isSide }) => !isSide) ?? {};
  return JSON.stringify(body?.messages);
}

/** Waits until the model was asked a text. */
async function untilAsked({ model }: RealCli, text: string) {
  for (let count = 1;; count++) {
    const { lastText } = await model.waitForRequest(count);
    if (lastText.includes(text)) return;
  }
}

async function assertGone(pids: readonly (number | undefined)[]) {
  for (const pid of pids) assert.ok(await isGoneWithin(0, pid ?? 0));
}

realTest(
  "evicted sessions continue, here and on another machine that has the store alone, and after /clear as new ones",
  [{ text: "Noted.", repeat: true }],
  async (cli) => {
    const pids: (number | undefined)[] = [];
    const store = directoryTranscripts(`${cli.cwd}-store`);
    const transcripts = { store, projectKey: "chat" };
    const settings = { max: 1, transcripts };
    const here = clients(cli.options, settings);
    const thread = (thread: string) => ({ user: "anna", thread });
    pids.push((await ask(here, thread("1"), "The number is 42.")).pid);
    pids.push((await ask(here, thread("2"), "A second thread.")).pid);
    assert.ok(!seen(cli).includes("42"));
    pids.push((await ask(here, thread("1"), "Which number?")).pid);
    assert.match(seen(cli), /The number is 42\..*Noted\..*Which number\?/);
    const id = await here.sessionId(thread("1"));
    await here.close();
    await assertGone(pids.splice(0));

    const home = `${cli.env["HOME"]}-2`;
    const cwd = `${cli.cwd}-2`;
    for (const path of [home, cwd]) await mkdir(path);
    const env = { ...cli.env, HOME: home };
    const there = clients({ ...cli.options, env, cwd }, settings);
    assert.equal(await there.sessionId(thread("1")), id);
    pids.push((await ask(there, thread("1"), "Still known?")).pid);
    assert.match(seen(cli), /The number is 42\..*Which number.*Still known\?/);
    const cleared = await there.get(thread("1"));
    await cleared.ask("/clear");
    await cleared.settled();
    await there.close();
    await assertGone(pids.splice(0));

    const again = clients(cli.options, settings);
    assert.notEqual(await again.sessionId(thread("1")), id);
    await ask(again, thread("1"), "Anything left?");
    assert.match(seen(cli), /Anything left\?/);
    assert.ok(!seen(cli).includes("42"), seen(cli));
    await again.close();
  },
);

realTest(
  "a call that was approved after it was deferred runs with the next message of its user",
  [{ tools: [CALL] }, "It ran.", "Second."],
  async ({ options, cwd }) => {
    const store = memoryApprovals();
    const permissions = { approvals: { store, waitMs: 0 } };
    const agents = clients({ ...options, permissions }, { max: 1 });
    const first = await agents.get("anna");
    assert.equal((await first.ask("Go.")).stop_reason, "tool_deferred");
    const [{ request } = assert.fail("No request")] = await store.list();
    assert.ok(await store.answer(request.id, { behavior: "allow" }));
    const next = await agents.get("anna");
    assert.notEqual(next, first);
    assert.equal(first.state, "closed");
    await next.ask("And?");
    assert.equal(await readFile(join(cwd, "marker"), "utf8"), "x\n");
    assert.deepEqual((await store.list()).map(({ isTaken }) => isTaken), [
      true,
    ]);
    await next.settled();
    assert.equal(await agents.get("anna"), next);
    await agents.close();
  },
);

realTest(
  "without a store a session continues after its CLI was killed, between turns and in one, and after a restart",
  ["One.", { text: "never", hang: true, match: "hang" }, {
    text: "More.",
    repeat: true,
  }],
  async (cli) => {
    const agents = clients(cli.options, { max: 2 });
    const kill = ({ pid = 0 }: Client) => process.kill(pid, "SIGKILL");
    const first = await ask(agents, "anna", "First.");
    kill(first);
    for await (const _activity of first.watch());
    const second = await ask(agents, "anna", "Second.");
    assert.match(seen(cli), /First\..*One\..*Second\./);
    const turn = rejectionOf(second.text("hang"));
    await untilAsked(cli, "hang");
    kill(second);
    assert.ok(await turn instanceof CliExitError);
    await ask(agents, "anna", "Third.");
    assert.match(seen(cli), /First\..*Second\..*More\..*Third\./);
    await agents.close();
    const restarted = clients(cli.options, { max: 2 });
    const last = await ask(restarted, "anna", "Fourth.");
    assert.match(seen(cli), /First\..*Third\..*Fourth\./);
    await restarted.close();
    await assertGone([first.pid, second.pid, last.pid]);
  },
);

realTest(
  "a CLI that is killed before it has kept anything begins the session again",
  [{ text: "never", hang: true, match: "hang" }, "Begun."],
  async (cli) => {
    const agents = clients(cli.options, { max: 1 });
    const client = await agents.get("anna");
    const turn = rejectionOf(client.text("hang"));
    await untilAsked(cli, "hang");
    process.kill(client.pid ?? 0, "SIGKILL");
    assert.ok(await turn instanceof CliExitError);
    const again = await agents.get("anna");
    assert.equal(await again.text("Hello?"), "Begun.");
    assert.equal(again.sessionId, await agents.sessionId("anna"));
    await agents.close();
  },
);

realTest(
  "a session whose file holds no message begins under another id, which the key keeps",
  [{ text: "Noted.", repeat: true }],
  async (cli) => {
    const agents = clients(cli.options, { max: 1 });
    const id = await agents.sessionId("anna");
    const project = cli.cwd.replaceAll(/[^a-zA-Z0-9]/g, "-");
    const folder = `${cli.env["HOME"]}/.claude/projects/${project}`;
    await mkdir(folder, { recursive: true });
    const line = {
      type: "queue-operation",
      operation: "enqueue",
      sessionId: id,
    };
    await writeFile(`${folder}/${id}.jsonl`, `${JSON.stringify(line)}\n`);
    await (await ask(agents, "anna", "The number is 42.")).close();
    await ask(agents, "anna", "Which number?");
    assert.match(seen(cli), /The number is 42\..*Which number/);
    assert.notEqual(await agents.sessionId("anna"), id);
    // A CLI that was killed early leaves an empty file.
    await writeFile(`${folder}/${await agents.sessionId("ben")}.jsonl`, "");
    assert.equal(await (await agents.get("ben")).text("Hello?"), "Noted.");
    await agents.close();
  },
);

realTest(
  "three users share two CLIs with overlapping requests, and each sees its own session alone",
  [{ text: "Noted.", repeat: true }],
  async (cli) => {
    const agents = clients(cli.options, { max: 2, waitMs: Infinity });
    const users = ["ann", "ben", "cat"];
    const pids = new Set<number | undefined>();
    for (const round of [1, 2]) {
      await Promise.all(users.map(async (user) => {
        const client = await agents.get(user);
        pids.add(client.pid);
        await client.text(`I am ${user}, round ${round}.`);
      }));
    }
    for (const user of users) {
      const all = cli.model.requests.filter(({ lastText }) =>
        lastText.includes(`I am ${user}, round 2`)
      );
      assert.equal(all.length, 1);
      const text = JSON.stringify(all[0]?.body["messages"]);
      for (const other of users) {
        assert.equal(text.includes(`I am ${other},`), other === user, text);
      }
      assert.ok(text.includes(`I am ${user}, round 1`));
    }
    assert.ok(agents.stats().clients <= 2);
    await agents.close();
    await assertGone([...pids]);
  },
);
