import assert from "node:assert/strict";
import * as fleetModule from "@sluice/fleet";
import {
  type FleetPackage,
  fleetPackage,
} from "../../src/command/fleet_package.ts";
import { JOB_STATES } from "../../src/command/job_words.ts";
import { JOB_STATES as STATES_OF_FLEET } from "../../fleet/src/machine.ts";
import { main } from "../../src/command/main.ts";
import { type Program, program } from "../../src/runtime/program.ts";
import { fakeCli } from "@sluice/agent/testing";
import { asked, outcomes, withFleet } from "../../fleet/tests/_fleet.ts";
import { reasonWithoutNats } from "../../fleet/tests/_nats.ts";
import { test } from "../_harness.ts";

/** Runs a command line in this program; what it wrote. */
function sluice(
  ...words: readonly string[]
): Promise<{ code: number; out: string; err: string }> {
  return sluiceWith({}, words);
}

async function sluiceWith(
  more: Partial<Program>,
  words: readonly string[],
): Promise<{ code: number; out: string; err: string }> {
  const said = { out: "", err: "" };
  const decoder = new TextDecoder();
  const self: Program = {
    ...program(),
    env: { NO_COLOR: "1" },
    write: (bytes) => {
      said.out += decoder.decode(bytes);
      return Promise.resolve();
    },
    writeError: (text) => {
      said.err += text;
      return Promise.resolve();
    },
    ...more,
  };
  return { code: await main(words, self), ...said };
}

test(
  "sluice jobs shows, follows, answers, cancels and retries what a fleet does",
  () =>
    withFleet(async (rig) => {
      const at = ["--fleet", "test", "--server", rig.url];
      // The program takes the usual lease.
      const fleet = await rig.fleet({ leaseMs: 30_000 });
      const fake = fakeCli([[
        { tool: "Bash", input: { command: "ls" } },
        "Listed.",
      ]]);
      await fleet.submit("x", {
        id: "one",
        approvals: true,
        options: { cliPath: fake.cliPath },
      });
      const two = await fleet.submit("x", { id: "two", delayMs: 60_000 });
      const worker = await fleet.work();
      const job = await fleet.job("one");
      await asked(fleet, job);
      const shown = await sluice("jobs", "show", "one", ...at);
      assert.match(
        shown.out,
        /running.*waits for 1 answer\n.*attempt 1[^]*Bash \{"command":"ls"\}/,
      );
      const waiting = await sluice("jobs", "list", "--state", "waiting", ...at);
      assert.match(waiting.out, /^running .* one .*waits for 1 answer\n$/);
      assert.equal((await sluice("jobs", "approve", "one", ...at)).code, 0);
      const followed = await sluice("jobs", "follow", "one", "--json", ...at);
      assert.equal(followed.code, 0);
      const lines = followed.out.trim().split("\n").map((line) =>
        JSON.parse(line)
      );
      const messages = lines.filter(({ message }) => message !== undefined);
      assert.equal(messages[0].seq, 1);
      assert.ok(messages.some(({ message }) => message.type === "result"));
      const statuses = lines.filter(({ status }) => status !== undefined);
      assert.equal(statuses.at(-1).status.state, "done");
      assert.equal(statuses.at(-1).status.cost.turns, 1);
      assert.equal(
        (await sluice("jobs", "cancel", "two", "--reason", "late", ...at)).code,
        0,
      );
      const cancelled = await sluice(
        "jobs",
        "list",
        "--state",
        "cancelled",
        "--json",
        ...at,
      );
      assert.equal(JSON.parse(cancelled.out).reason, "late");
      // Or it would have begun by the time that somebody looks.
      await worker.drain();
      assert.equal((await sluice("jobs", "retry", "two", ...at)).code, 0);
      assert.equal((await two.status()).state, "queued");
      assert.equal((await sluice("jobs", "dead", ...at)).out, "");
      assert.match((await sluice("jobs", "list", ...at)).out, /done .* one\n/);
      assert.match((await sluice("jobs", "show", "one", ...at)).out, /1 turn:/);
      assert.equal((await sluice("jobs", "approve", "one", ...at)).code, 1);
      const unknown = await sluice("jobs", "show", "none", ...at);
      assert.equal(unknown.code, 1);
      assert.match(unknown.err, /No job has this id: "none"/);
      assert.equal((await sluice("jobs", "show", ...at)).code, 2);
      assert.equal((await sluice("jobs", "list")).code, 2);
      const wrong = await sluice(
        "jobs",
        "show",
        "one",
        "--state",
        "done",
        ...at,
      );
      assert.match(wrong.err, /--state is for jobs list, not for show/);
      assert.equal(wrong.code, 2);
      const limit = ["jobs", "limit", "review", "--json", ...at];
      const set = await sluice(...limit, "--most", "3");
      assert.deepEqual(JSON.parse(set.out), { name: "review", most: 3 });
      assert.equal(
        (await sluice("jobs", "limit", ...at)).out,
        "   3  review\n",
      );
      const any = await sluice(...limit, "--most", "any");
      assert.deepEqual(JSON.parse(any.out), { name: "review", most: "any" });
      const free = await sluice("jobs", "limit", "review", ...at);
      assert.equal(free.out, " any  review\n");
      assert.equal((await sluice("jobs", "limit", ...at)).out, "");
      assert.equal((await sluice(...limit, "--most", "0")).code, 2);
      const other = ["--server", rig.url, "--fleet", "quick"];
      await rig.fleet({ name: "quick", leaseMs: 2_000 });
      const slow = await sluice("jobs", "list", ...other);
      assert.match(slow.err, /; --lease 2000\n/);
      assert.equal(
        (await sluice("jobs", "list", "--lease", "2000", ...other)).code,
        0,
      );
      const misnamed = await sluice("jobs", "list", "--fleet", "a.b");
      assert.equal(misnamed.code, 2);
      assert.match(misnamed.err, /--fleet must be 1 to 64 letters/);
      const none = await sluice("jobs", "list", "--name", "x", ...at);
      assert.match(none.err, /no such jobs in the fleet "test"/);
      const still = await sluice(
        "jobs",
        "list",
        "--name",
        "x",
        "--json",
        ...at,
      );
      assert.deepEqual(still, { code: 0, out: "", err: "" });
    }),
  { skip: reasonWithoutNats },
);

test(
  "sluice worker drains when its terminal is gone, and gives back what runs when it is told twice",
  () =>
    withFleet(async (rig) => {
      const fleet = await rig.fleet({ leaseMs: 30_000 });
      const { cliPath } = fakeCli([["Begun.", { wait: "forever" }]]);
      const job = await fleet.submit("x", { options: { cliPath } });
      const ends = new Map<string, () => void>();
      const working = sluiceWith({
        onSignal(name, listener) {
          ends.set(name, listener);
          return () => void ends.delete(name);
        },
      }, ["worker", "--fleet", "test", "--server", rig.url, "--json"]);
      await job.messages().getReader().read();
      ends.get("SIGHUP")?.();
      ends.get("SIGINT")?.();
      const { code, out } = await working;
      assert.equal(code, 0);
      const types = out.trim().split("\n").map((line) => JSON.parse(line).type);
      assert.deepEqual(types, ["ready", "begin", "drain", "end"]);
      assert.deepEqual(outcomes(await job.status()), ["released"]);
      assert.equal(ends.size, 0);
    }),
  { skip: reasonWithoutNats },
);

test(
  "sluice jobs says where the key of a sealed fleet belongs",
  () =>
    withFleet(async (rig) => {
      const key = btoa("0123456789abcdef0123456789abcdef");
      const fleet = await rig.fleet({ leaseMs: 30_000, key });
      await fleet.limit("review", 3);
      const words = ["jobs", "limit", "--fleet", "test", "--server", rig.url];
      const refused = await sluice(...words);
      assert.equal(refused.code, 1);
      assert.match(refused.err, /SLUICE_FLEET_KEY/);
      const env = { NO_COLOR: "1", SLUICE_FLEET_KEY: key };
      const read = await sluiceWith({ env }, words);
      assert.equal(read.out, "   3  review\n");
    }),
  { skip: reasonWithoutNats },
);

test(
  "sluice jobs says how to reach a server, and what the wrong ones lack",
  async () => {
    const at = ["--fleet", "test", "--server", "nats://127.0.0.1:1"];
    const { code, err } = await sluice("jobs", "list", ...at);
    assert.equal(code, 1);
    assert.match(err, /Cannot reach.*--server.*NATS_URL/);
  },
);

test("sluice uses of @sluice/fleet what is there", async () => {
  // What it is typed as is what the package is.
  const used: FleetPackage = fleetModule;
  assert.equal((await fleetPackage()).Fleet, used.Fleet);
  assert.deepEqual(JOB_STATES, STATES_OF_FLEET);
});

test("sluice names the package of fleets when it is not installed", async () => {
  const missing = () => Promise.reject(new Error("Cannot find module"));
  await assert.rejects(fleetPackage(missing), {
    name: "FleetPackageError",
    code: "fleet_package",
    message:
      /^Cannot load @sluice\/fleet: install it .*npm install @sluice\/fleet.*deno add jsr:@sluice\/fleet.*: Cannot find module$/,
  });
});
