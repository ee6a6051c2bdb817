import { connect, type NatsConnection } from "@nats-io/transport-node";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { main } from "../../src/command/main.ts";
import {
  type Fleet,
  type FleetOptions,
  fleetServerConfig,
  type FleetServerOptions,
} from "@sluice/fleet";
import { deno } from "../../src/runtime/host.ts";
import { program } from "../../src/runtime/program.ts";
import { fakeCli } from "@sluice/agent/testing";
import { test } from "../../tests/_harness.ts";
import { all, asked, withFleet } from "./_fleet.ts";
import { reasonWithoutNats } from "./_nats.ts";

const skip = reasonWithoutNats ??
  (spawnSync("openssl", ["version"]).status === 0
    ? undefined
    : "needs openssl");
const ENV = {
  NATS_PASSWORD_REVIEWS: 'one-"secret"',
  NATS_PASSWORD_PAYROLL: "$two-secret",
};

/** Runs a command; what it prints. */
async function sluice(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  ...more: readonly string[]
): Promise<{ code: number; out: string; err: string }> {
  const said = { out: "", err: "" };
  const code = await main([...words, ...more], {
    ...program(),
    env: { NO_COLOR: "1", ...env },
    write: (bytes) => {
      said.out += new TextDecoder().decode(bytes);
      return Promise.resolve();
    },
    writeError: (text) => {
      said.err += text;
      return Promise.resolve();
    },
  });
  return { code, ...said };
}

/** A certificate of this machine, which is also the authority that signed it. */
function makeCertificate(folder: string): FleetOptions["tls"] & object {
  const files = {
    caFile: join(folder, "cert.pem"),
    certFile: join(folder, "cert.pem"),
    keyFile: join(folder, "key.pem"),
  };
  const made = spawnSync("openssl", [
    ...["req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=localhost"],
    ...["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"],
    ...["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"],
    ...["-keyout", files.keyFile, "-out", files.certFile],
  ]);
  assert.equal(made.status, 0, String(made.stderr));
  return files;
}

/** Does all that a fleet can do, so that each right is needed. */
async function useAll(fleet: Fleet): Promise<void> {
  const { cliPath } = fakeCli({ turns: "done", record: false });
  const asks = fakeCli([[{ tool: "Bash", input: {} }, "done"], "more"]);
  await fleet.limit("n", 1);
  assert.equal((await fleet.limits()).size, 1);
  const worker = await fleet.work({ metrics: { load() {} } });
  const job = await fleet.submit("x", {
    options: { cliPath },
    key: "k",
    name: "n",
    open: true,
    idleMs: 0,
  });
  await job.send("y".repeat(1_200_000));
  await job.end();
  await job.interrupt();
  await job.result();
  assert.ok((await all(job.messages())).length > 0);
  const question = await fleet.submit("x", {
    options: { cliPath: asks.cliPath },
    approvals: true,
  });
  const id = await asked(fleet, question);
  await fleet.approvals.answer(id, { behavior: "allow" });
  await question.result();
  const { sessionId = "" } = await question.status();
  const kept = { projectKey: "fleet", sessionId };
  await fleet.transcripts.append(kept, [{ type: "user" }]);
  await fleet.transcripts.delete?.(kept);
  for (const { request } of await fleet.approvals.list()) {
    await fleet.approvals.delete?.(request.id);
  }
  const late = await fleet.submit("x", { delayMs: 60_000 });
  await late.cancel();
  await late.retry();
  await late.cancel();
  for await (const { id } of fleet.jobs()) {
    await (await fleet.job(id)).remove();
  }
  await worker.drain();
  assert.ok(await fleet.depth() >= 0);
}

test(
  "With the configuration of fleetServerConfig() each fleet works over TLS, and its user reaches no other fleet",
  () => {
    let tls: FleetOptions["tls"] & object = {};
    return withFleet(async (rig) => {
      const servers = rig.url.replace("nats://", "tls://");
      const of = (name: "reviews" | "payroll") => ({
        servers,
        name,
        tls,
        key: btoa(name.padEnd(32, "x")),
        credentials: {
          user: name,
          password: ENV[
            name === "reviews"
              ? "NATS_PASSWORD_REVIEWS"
              : "NATS_PASSWORD_PAYROLL"
          ],
        },
      });
      const payroll = await rig.fleet(of("payroll"));
      const secret = await payroll.submit("SALARIES", { id: "secret" });
      await useAll(await rig.fleet(of("reviews")));
      for (
        const wrong of [
          { ...of("payroll"), credentials: of("reviews").credentials },
          { ...of("payroll"), credentials: undefined },
          // Deno emits the server's alert while the client has no listener for errors, which ends a program.
          ...deno ? [] : [{ ...of("reviews"), tls: { caFile: tls.caFile } }],
          { ...of("reviews"), servers: rig.url, tls: undefined },
        ]
      ) {
        await assert.rejects(rig.fleet(wrong as FleetOptions), {
          name: "FleetError",
        });
      }

      const listed = await sluice(
        ["jobs", "list", "--json"],
        {
          NATS_URL: servers,
          NATS_USER: "payroll",
          NATS_PASSWORD: ENV.NATS_PASSWORD_PAYROLL,
          NATS_CA: tls.caFile ?? "",
          NATS_CERT: tls.certFile ?? "",
          NATS_KEY: tls.keyFile ?? "",
          SLUICE_FLEET_KEY: of("payroll").key,
        },
        "--fleet",
        "payroll",
      );
      assert.match(listed.out, /"id":"secret"/, listed.err);

      const { user, password } = of("reviews").credentials;
      const connection = await connect({
        servers,
        user,
        pass: password,
        tls,
        inboxPrefix: "_INBOX.sluice.reviews",
      });
      try {
        await attack(connection);
        assert.equal((await secret.status()).state, "queued");
        assert.equal(await payroll.depth(), 1);
        await rig.fleet(of("payroll"));
        // The same aims at its own fleet, to see that it is one that hits.
        redirect(connection, "sluice.reviews.row.key");
        await connection.flush();
        await assert.rejects(rig.fleet(of("reviews")), { fault: "unreadable" });
      } finally {
        await connection.close();
      }
    }, {
      async file(port, folder) {
        tls = makeCertificate(folder);
        const { caFile, certFile = "", keyFile = "" } = tls;
        return await Promise.resolve(fleetServerConfig({
          fleets: [
            { name: "reviews", password: ENV.NATS_PASSWORD_REVIEWS },
            { name: "payroll", password: ENV.NATS_PASSWORD_PAYROLL },
          ],
          storeDir: join(folder, "store"),
          listen: `127.0.0.1:${port}`,
          tls: { certFile, keyFile, ...caFile && { caFile } },
        }));
      },
    });
  },
  { skip },
);

/** Lets the server write its answer to a request where the user of a fleet may not write. */
function redirect(connection: NatsConnection, reply: string): void {
  const subject = "$JS.API.STREAM.INFO.SLUICE_reviews_rows";
  connection.publish(subject, "", { reply });
}

async function attack(connection: NatsConnection): Promise<void> {
  for (
    const reply of [
      "sluice.payroll.row.key",
      "sluice.payroll.row.job.secret",
      "sluice.payroll.queue.high",
      "sluice.payroll.log.job.secret.controls",
      "$JS.API.STREAM.DELETE.SLUICE_payroll_rows",
      "$JS.API.STREAM.PURGE.SLUICE_payroll_queue",
    ]
  ) redirect(connection, reply);
  await connection.flush();
  const last = JSON.stringify({
    last_by_subj: "sluice.payroll.row.job.secret",
  });
  const requests: readonly (readonly [string, string])[] = [
    ["$JS.API.STREAM.MSG.GET.SLUICE_payroll_rows", last],
    ["$JS.API.DIRECT.GET.SLUICE_payroll_rows", last],
    ["$JS.API.STREAM.PURGE.SLUICE_payroll_queue", ""],
    ["$JS.API.STREAM.DELETE.SLUICE_payroll_rows", ""],
    ["$JS.API.STREAM.DELETE.SLUICE_reviews_rows", ""],
    ["$JS.API.STREAM.NAMES", ""],
    ["$JS.API.STREAM.LIST", ""],
    ["$JS.API.STREAM.INFO.SLUICE_payroll_rows", ""],
    ["$JS.API.STREAM.MSG.DELETE.SLUICE_reviews_logs", '{"seq":1}'],
    ["$JS.API.STREAM.UPDATE.SLUICE_reviews_rows", "{}"],
    ["$JS.API.STREAM.RESTORE.SLUICE_reviews_copy", "{}"],
    ["$JS.API.CONSUMER.DELETE.SLUICE_reviews_queue.normal", ""],
    ["$JS.API.CONSUMER.PAUSE.SLUICE_reviews_queue.normal", "{}"],
    ["$JS.ACK.SLUICE_payroll_queue.normal.1.1.1.1.1", "+TERM"],
    ["sluice.payroll.log.job.secret.controls", "forged"],
    ["sluice.payroll.row.job.secret", "forged"],
    ["$SYS.REQ.SERVER.PING", ""],
  ];
  for (const [subject, text] of requests) {
    await assert.rejects(
      connection.request(subject, text, { timeout: 60_000 }),
      { message: /Permissions Violation/ },
      subject,
    );
  }
  for (
    const subject of ["sluice.payroll.>", "_INBOX.>", ">", "$JS.>", "$SYS.>"]
  ) {
    const closed = await connection.subscribe(subject).closed;
    assert.ok(closed instanceof Error, subject);
  }
}

test("fleetServerConfig() refuses wrong options by their key, without a password", () => {
  const fleet = { name: "a", password: "the-secret" };
  const good: FleetServerOptions = { fleets: [fleet], storeDir: "/s" };
  const limited = { ...good, fleets: [{ ...fleet, maxBytes: 5_000 }] };
  const tls = { certFile: "/c", keyFile: "/k" };
  const config = JSON.parse(fleetServerConfig({ ...limited, tls }));
  assert.deepEqual(config.accounts.a.jetstream, { max_file: 5000 });
  assert.equal(config.listen, "0.0.0.0:4222");
  const files = { cert_file: "/c", key_file: "/k" };
  assert.deepEqual(config.tls, files);
  const clients = { ...good, tls: { ...tls, caFile: "/a" } };
  assert.deepEqual(
    JSON.parse(fleetServerConfig(clients)).tls,
    { ...files, ca_file: "/a", verify: true },
  );
  for (
    const [wrong, key] of [
      [{}, "storeDir"],
      [{ fleets: [] }, "fleets"],
      [{ fleets: [fleet, fleet] }, "fleets"],
      [{ fleets: [{ ...fleet, name: "a.b" }] }, "fleets[0].name"],
      [
        { fleets: [{ ...fleet, name: "a", password: "" }] },
        "fleets[0].password",
      ],
      [
        { fleets: [{ ...fleet, password: "the-secret\n" }] },
        "fleets[0].password",
      ],
      [{ fleets: [{ ...fleet, maxBytes: 0 }] }, "fleets[0].maxBytes"],
      [{ tls: { certFile: "/c" } }, "tls.keyFile"],
      [{ listen: "a\nb" }, "listen"],
      [{ other: 1 }, "other"],
    ] as const
  ) {
    const options = key === "storeDir"
      ? { fleets: [fleet] }
      : { ...good, ...wrong };
    assert.throws(
      () => fleetServerConfig(options as FleetServerOptions),
      (error: Error & { key?: string }) => {
        assert.equal(error.name, "ConfigError");
        assert.equal(error.key, key, error.message);
        assert.doesNotMatch(error.message, /the-secret/);
        return true;
      },
    );
  }
});
