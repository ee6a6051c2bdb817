import assert from "node:assert/strict";
import * as fleetModule from "@sluice/fleet";
import { fakeCli } from "@sluice/agent/testing";
import { JOB_STATES as STATES_OF_FLEET } from "../../fleet/src/machine.ts";
import { asked, withFleet } from "../../fleet/tests/_fleet.ts";
import { reasonWithoutNats } from "../../fleet/tests/_nats.ts";
import {
  type FleetPackage,
  fleetPackage,
} from "../../src/command/fleet_package.ts";
import { JOB_STATES } from "../../src/command/flags.ts";
import { main } from "../../src/command/main.ts";
import { type Program, program } from "../../src/runtime/program.ts";
import { test } from "../_harness.ts";

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command line in this program; what it wrote. */
async function sluice(
  words: readonly string[],
  more: Partial<Program> = {},
): Promise<Ran> {
  let [out, err] = ["", ""];
  const decoder = new TextDecoder();
  const self: Program = {
    ...program(),
    env: { NO_COLOR: "1" },
    write: (bytes) => {
      out += decoder.decode(bytes);
      return Promise.resolve();
    },
    writeError: (text) => {
      err += text;
      return Promise.resolve();
    },
    ...more,
  };
  return { code: await main(words, self), out, err };
}

/** Runs `sluice jobs` on the fleet "test". */
function jobsOn(url: string) {
  return (...words: readonly string[]) =>
    sluice(["jobs", ...words, "--fleet", "test", "--server", url]);
}

test(
  "sluice jobs shows, follows, answers, cancels and retries jobs of a fleet",
  () =>
    withFleet(async (rig) => {
      const jobs = jobsOn(rig.url);
      // The program takes the usual lease.
      const fleet = await rig.fleet({ leaseMs: 30_000 });
      const { cliPath } = fakeCli([[
        { tool: "Bash", input: { command: "ls" } },
        "Listed.",
      ]]);
      const options = { cliPath };
      await fleet.submit("x", { id: "one", approvals: true, options });
      const two = await fleet.submit("x", { id: "two", delayMs: 60_000 });
      const worker = await fleet.work();
      await asked(fleet, await fleet.job("one"));
      assert.match(
        (await jobs("show", "one")).out,
        /running.*waits for 1 answer\n.*attempt 1[^]*Bash \{"command":"ls"\}/,
      );
      const waiting = await jobs("list", "--state", "waiting");
      assert.match(waiting.out, /^running .* one .*waits for 1 answer\n$/);
      assert.equal((await jobs("approve", "one")).code, 0);
      const followed = await jobs("follow", "one", "--json");
      assert.equal(followed.code, 0);
      const lines = followed.out.trim().split("\n")
        .map((line) => JSON.parse(line));
      const messages = lines.filter(({ message }) => message !== undefined);
      assert.equal(messages[0].seq, 1);
      assert.ok(messages.some(({ message }) => message.type === "result"));
      const { status } = lines.findLast((line) => line.status !== undefined);
      assert.deepEqual([status.state, status.cost.turns], ["done", 1]);
      assert.equal((await jobs("cancel", "two", "--reason", "late")).code, 0);
      const cancelled = await jobs("list", "--state", "cancelled", "--json");
      assert.equal(JSON.parse(cancelled.out).reason, "late");
      // Or it would have begun by the time of the look.
      await worker.drain();
      assert.equal((await jobs("retry", "two")).code, 0);
      assert.equal((await two.status()).state, "queued");
      assert.equal((await jobs("list", "--state", "dead")).out, "");
      assert.match((await jobs("list")).out, /done .* one\n/);
      const shown = (await jobs("show", "one")).out;
      assert.match(shown, /^done .*\n {2}attempt 1 on .* done\n$/);
      assert.equal((await jobs("approve", "one")).code, 1);
    }),
  { skip: reasonWithoutNats },
);

test(
  "sluice jobs refuses what does not fit, and takes the lease of a fleet",
  () =>
    withFleet(async (rig) => {
      const jobs = jobsOn(rig.url);
      await rig.fleet({ leaseMs: 30_000 });
      const cases: readonly (readonly [string, number, string | RegExp])[] = [
        ["show none", 1, /No job has this id: "none"/],
        ["show", 2, /needs an id/],
        ["show one --state done", 2, /--state is for jobs list, not for show/],
        ["list --name x", 0, /no such jobs in the fleet "test"/],
        ["list --name x --json", 0, ""],
      ];
      for (const [line, code, expected] of cases) {
        const ran = await jobs(...line.split(" "));
        assert.equal(ran.code, code, line);
        if (typeof expected === "string") assert.equal(ran.out, expected, line);
        else assert.match(ran.err, expected);
      }
      await rig.fleet({ name: "quick", leaseMs: 2_000 });
      const quick = ["list", "--fleet", "quick", "--server", rig.url];
      assert.equal((await sluice(["jobs", ...quick])).code, 0);
    }),
  { skip: reasonWithoutNats },
);

test(
  "sluice jobs says where the key of a sealed fleet belongs",
  () =>
    withFleet(async (rig) => {
      const key = btoa("0123456789abcdef0123456789abcdef");
      const fleet = await rig.fleet({ leaseMs: 30_000, key });
      await fleet.submit("x", { id: "one", delayMs: 60_000 });
      const words = ["jobs", "list", "--fleet", "test", "--server", rig.url];
      const refused = await sluice(words);
      assert.equal(refused.code, 1);
      assert.match(refused.err, /SLUICE_FLEET_KEY/);
      const env = { NO_COLOR: "1", SLUICE_FLEET_KEY: key };
      assert.match((await sluice(words, { env })).out, /^queued .* one\n$/);
    }),
  { skip: reasonWithoutNats },
);

test("sluice jobs names the flag that is wrong or missing, and the package that is not installed", async () => {
  const unreachable = await jobsOn("nats://127.0.0.1:1")("list");
  assert.equal(unreachable.code, 1);
  assert.match(unreachable.err, /Cannot reach.*--server.*NATS_URL/);
  assert.equal((await sluice(["jobs", "list"])).code, 2);
  const misnamed = await sluice(["jobs", "list", "--fleet", "a.b"]);
  assert.equal(misnamed.code, 2);
  assert.match(misnamed.err, /--fleet must be 1 to 64 letters/);
  const missing = () => Promise.reject(new Error("Cannot find module"));
  await assert.rejects(fleetPackage(missing), {
    message:
      /^Cannot load @sluice\/fleet: install it .*npm install @sluice\/fleet.*deno add jsr:@sluice\/fleet.*: Cannot find module$/,
  });
});

test("sluice takes @sluice/fleet as it is", async () => {
  const used: FleetPackage = fleetModule;
  assert.equal((await fleetPackage()).Fleet, used.Fleet);
  assert.deepEqual(JOB_STATES, STATES_OF_FLEET);
});
