import { connect, type NatsConnection } from "@nats-io/transport-node";
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { test } from "../_harness.ts";
import { readSource } from "../_examples.ts";
import { Fleet } from "../../src/fleet/fleet.ts";
import type { Logger } from "../../src/types/observe.ts";
import { faultyCli as fakeCli } from "../_faulty_cli.ts";
import { all, asked, SHORT_LEASE_MS, withFleet } from "./_fleet.ts";
import { reasonWithoutDisks, reasonWithoutNats } from "./_nats.ts";

const skip = reasonWithoutNats;

/** Runs a body with something that greets as a NATS server does, and can do nothing else. */
async function withGreeter(
  info: object,
  use: (servers: string) => Promise<void>,
  answer: (socket: Socket, bytes: Uint8Array) => void = pong,
): Promise<void> {
  const greeter = createServer((socket) => {
    socket.on("error", () => {});
    const facts = {
      server_id: "x",
      headers: true,
      max_payload: 1_048_576,
      ...info,
    };
    socket.write(`INFO ${JSON.stringify(facts)}\r\n`);
    socket.on("data", (bytes) => answer(socket, bytes));
  });
  greeter.listen(0, "127.0.0.1");
  await once(greeter, "listening");
  const address = greeter.address();
  const port = typeof address === "object" ? address?.port : 0;
  try {
    await use(`nats://127.0.0.1:${port}`);
  } finally {
    greeter.close();
  }
}

function pong(socket: Socket, bytes: Uint8Array): void {
  if (String(bytes).includes("PING")) socket.write("PONG\r\n");
}

test("A server that is too old, or has no JetStream, is refused by its version", async () => {
  for (const version of ["2.9.10", "2.10.26", "1.4.0"]) {
    await withGreeter(
      { version, jetstream: true },
      (servers) =>
        assert.rejects(Fleet.connect({ servers, name: "x" }), {
          name: "FleetError",
          fault: "version",
          message:
            `NATS server is too old: ${version}; needed is 2.10.27 or later`,
        }),
    );
  }
  await withGreeter(
    { version: "2.12.0" },
    (servers) =>
      assert.rejects(Fleet.connect({ servers, name: "x" }), {
        fault: "settings",
        message: /JetStream/,
      }),
  );
});

test(
  "Wrong credentials are refused, and no password shows",
  () =>
    withFleet(async (rig) => {
      const credentials = { user: "one", password: "right" };
      const fleet = await rig.fleet({ credentials });
      await fleet.submit("x");
      for (
        const wrong of [undefined, { user: "one", password: "wrong-secret" }]
      ) {
        await assert.rejects(
          rig.fleet({ credentials: wrong }),
          (error: Error) => {
            assert.match(
              error.message,
              /does not let this program in.*credentials/,
            );
            assert.doesNotMatch(error.message, /secret/);
            return true;
          },
        );
      }
    }, { config: "authorization { user: one, password: right }" }),
  { skip },
);

test("An address with tls:// sends nothing to a server that offers no TLS", async () => {
  const received: string[] = [];
  await withGreeter(
    { version: "2.10.27", jetstream: true, auth_required: true },
    async (address) => {
      const credentials = { user: "one", password: "the-secret" };
      const secure = address.replace("nats:", "tls:");
      const plain = address.replace("nats://", "");
      for (
        const options of [
          { servers: secure },
          { servers: secure.replace("tls", "TLS") },
          { servers: [plain, secure] },
          { servers: address, tls: {} },
        ]
      ) {
        await assert.rejects(
          Fleet.connect({ ...options, name: "x", credentials }),
          { fault: "settings", message: /offers no TLS.*nats:\/\// },
        );
      }
    },
    (_, bytes) => received.push(String(bytes)),
  );
  assert.deepEqual(received, []);
});

test("An address of another scheme, or with a password, is refused without showing it", async () => {
  for (
    const servers of [
      "tsl://127.0.0.1:1",
      "wss://127.0.0.1:1",
      "nats://one:the-secret@127.0.0.1:1",
      ["nats://127.0.0.1:1", "one:the-secret@127.0.0.1"],
      "nats://a b",
    ]
  ) {
    await assert.rejects(
      Fleet.connect({ servers, name: "x" }),
      (error: Error) => {
        assert.equal(error.name, "ConfigError");
        assert.match(error.message, /"servers.*tls:\/\/host:port.*credentials/);
        assert.doesNotMatch(error.message, /secret/);
        return true;
      },
    );
  }
});

test("A server that refuses a program and breaks the connection ends the call alone", async () => {
  await withGreeter(
    { version: "2.10.27", auth_required: true },
    async (servers) => {
      for (let times = 0; times < 10; times++) {
        await assert.rejects(Fleet.connect({ servers, name: "x" }), {
          fault: "refused",
        });
      }
    },
    (socket) => {
      socket.write("-ERR 'Authorization Violation'\r\n");
      socket.resetAndDestroy();
    },
  );
});

test(
  "A stream that somebody else has made, a lease of another length and too many replicas are refused by what differs",
  () =>
    withFleet(async (rig) => {
      await withConnection(rig.url, {}, async (connection) => {
        const body = { name: "SLUICE_a_rows", subjects: ["sluice.a.row.>"] };
        const text = JSON.stringify({ ...body, max_msgs_per_subject: 5 });
        await connection.request("$JS.API.STREAM.CREATE.SLUICE_a_rows", text);
      });
      await assert.rejects(rig.fleet({ name: "a" }), {
        fault: "settings",
        message: /SLUICE_a_rows.*"max_msgs_per_subject" is 5, needed is 1/,
      });
      await rig.fleet({ name: "b" });
      await assert.rejects(rig.fleet({ name: "b", leaseMs: 5_000 }), {
        fault: "settings",
        message: /"leaseMs" has to be the same/,
      });
      await assert.rejects(rig.fleet({ name: "c", replicas: 3 }), {
        fault: "settings",
        message: /"replicas" is 3, which takes a cluster of as many servers/,
      });
    }),
  { skip },
);

test(
  "A write that nobody on the server takes is tried again until somebody does",
  () =>
    withFleet(async (rig) => {
      const engine = await rig.engine();
      await withConnection(rig.url, {}, async (connection) => {
        const name = "SLUICE_test_rows";
        const info = await connection.request(`$JS.API.STREAM.INFO.${name}`);
        const { config } = info.json<{ readonly config: object }>();
        await connection.request(`$JS.API.STREAM.DELETE.${name}`);
        const written = engine.put(["x"], new Uint8Array(1), 0);
        // Behind it on the same connection: the server has had the write, in vain.
        await assert.rejects(engine.get(["x"]), /stream not found/);
        const text = JSON.stringify(config);
        await connection.request(`$JS.API.STREAM.CREATE.${name}`, text);
        assert.ok(await written);
      });
    }),
  { skip },
);

test(
  "A full server refuses a job, and says so",
  () =>
    withFleet(async (rig) => {
      const fleet = await rig.fleet();
      await assert.rejects(async () => {
        for (let at = 0; at < 20; at++) await fleet.submit("x".repeat(500_000));
      }, { name: "FleetError", fault: "full" });
    }, { jetstream: "max_file_store: 3MB" }),
  { skip },
);

test(
  "While the disk of the server is full jobs are refused or let go, and go on when there is room",
  () =>
    withFleet(async (rig) => {
      const fleet = await rig.fleet();
      // The first one talks for as long as there is room.
      const endless = [{ repeat: 100_000, steps: ["word", { wait: 20 }] }];
      const fake = fakeCli({
        runs: [endless, ...Array.from({ length: 20 }, () => "done")],
      });
      const logger = logOf();
      await fleet.work({ options: { cliPath: fake.cliPath }, logger });
      const job = await fleet.submit("go", { id: "running" });
      await job.messages().getReader().read();
      for (let size = 500_000; size > 100;) {
        await fleet.submit("x".repeat(size), { delayMs: 600_000 }).catch(
          (error) => {
            assert.equal(error.fault, "full");
            size /= 2;
          },
        );
      }
      await logger.line(/"running" was let go: Server has no room/);
      await rig.makeRoom();
      const { attempts } = await job.result();
      assert.equal(attempts.at(-1)?.outcome, "done");
      assert.ok(attempts.length > 1);
      await fleet.submit("x".repeat(100_000));
    }, {
      leaseMs: SHORT_LEASE_MS,
      diskBytes: 6_000_000,
      jetstream: "max_file_store: 1GB",
    }),
  { skip: skip ?? reasonWithoutDisks() },
);

test(
  "A job that a later version has submitted is left to it",
  () =>
    withFleet(async (rig) => {
      const fleet = await rig.fleet();
      const job = await fleet.submit("x", { id: "new" });
      const engine = await rig.engine();
      const row = await engine.get(["job", "new"]);
      assert.ok(row);
      const text = new TextDecoder().decode(row.value)
        .replace('"format":1', '"format":2');
      await engine.put(
        ["job", "new"],
        new TextEncoder().encode(text),
        row.revision,
      );
      await assert.rejects(job.status(), {
        fault: "version",
        message: /later version/,
      });
      const logger = logOf();
      await fleet.work({ logger });
      await logger.line(/"new" is left to a later version/);
      assert.equal(await fleet.depth(), 1);
    }),
  { skip },
);

test(
  "With the permissions of docs/fleet.md a fleet works, and nobody of it reaches another",
  () => {
    const page = readSource("docs/fleet.md");
    const [, config = ""] = /```conf\n([^]*?)```/.exec(page) ?? [];
    return withFleet(async (rig) => {
      const credentials = { user: "operator", password: "operator-secret" };
      for (const name of ["reviews", "payroll"]) {
        await rig.fleet({ name, credentials });
      }
      const operator = await rig.fleet({ name: "payroll", credentials });
      await operator.submit("SALARIES", { id: "secret" });
      const own = { user: "reviews", password: "reviews-secret" };
      const fleet = await rig.fleet({ name: "reviews", credentials: own });
      const { cliPath } = fakeCli({ turns: ["done"], record: false });
      const asks = fakeCli([[{ tool: "Bash", input: {} }, "done"], "more"]);
      // All that a fleet can do, so that each subject is asked for.
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
      const { sessionId = "" } =
        (await question.result(), await question.status());
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
      await assert.rejects(rig.fleet({ name: "payroll", credentials: own }), {
        name: "FleetError",
      });
      const user = { user: own.user, pass: own.password };
      await withConnection(rig.url, user, async (connection) => {
        const last = JSON.stringify({
          last_by_subj: "sluice.payroll.row.job.secret",
        });
        const attacks: readonly (readonly [string, string])[] = [
          ["$JS.API.STREAM.MSG.GET.SLUICE_payroll_rows", last],
          ["$JS.API.DIRECT.GET.SLUICE_payroll_rows", last],
          ["$JS.API.STREAM.PURGE.SLUICE_payroll_queue", ""],
          ["$JS.API.STREAM.DELETE.SLUICE_payroll_rows", ""],
          ["$JS.API.STREAM.NAMES", ""],
          ["$JS.API.STREAM.LIST", ""],
          ["$JS.API.STREAM.INFO.SLUICE_payroll_rows", ""],
          ["$JS.API.STREAM.MSG.DELETE.SLUICE_payroll_logs", '{"seq":1}'],
          ["$JS.API.STREAM.MSG.DELETE.SLUICE_reviews_logs", '{"seq":1}'],
          ["$JS.API.STREAM.UPDATE.SLUICE_reviews_rows", "{}"],
          ["$JS.API.STREAM.RESTORE.SLUICE_reviews_copy", "{}"],
          ["$JS.API.CONSUMER.DELETE.SLUICE_payroll_queue.normal", ""],
          ["$JS.API.CONSUMER.PAUSE.SLUICE_reviews_queue.normal", "{}"],
          ["$JS.ACK.SLUICE_payroll_queue.normal.1.1.1.1.1", "+TERM"],
          ["sluice.payroll.log.job.secret.controls", "forged"],
          ["sluice.payroll.signal.job.secret", ""],
          ["$SYS.REQ.SERVER.PING", ""],
          ["sluice.payroll.row.job.secret", "forged"],
          ["sluice.payroll.queue.high", "secret"],
          [
            "$JS.API.CONSUMER.MSG.NEXT.SLUICE_payroll_queue.normal",
            '{"batch":1,"no_wait":true}',
          ],
          [
            "$JS.API.STREAM.CREATE.SLUICE_reviews_copy",
            '{"name":"SLUICE_reviews_copy","mirror":{"name":"SLUICE_payroll_rows"}}',
          ],
          [
            "$JS.API.CONSUMER.CREATE.SLUICE_reviews_queue.x",
            '{"stream_name":"SLUICE_reviews_queue","config":{"durable_name":"x","deliver_subject":"sluice.payroll.queue.high","ack_policy":"none"}}',
          ],
        ];
        for (const [subject, text] of attacks) {
          const options = { timeout: 60_000 };
          await assert.rejects(
            connection.request(subject, text, options),
            { message: /Permissions Violation/ },
            subject,
          );
        }
        for (
          const subject of [
            "sluice.payroll.>",
            "sluice.*.signal.>",
            "_INBOX.>",
            "_INBOX.sluice.payroll.>",
            ">",
            "$JS.>",
            "$SYS.>",
          ]
        ) {
          const closed = await connection.subscribe(subject).closed;
          assert.ok(closed instanceof Error, subject);
        }
      });
      const secret = await operator.job("secret");
      assert.equal((await secret.status()).state, "queued");
    }, { config });
  },
  { skip },
);

async function withConnection(
  servers: string,
  options: object,
  use: (connection: NatsConnection) => Promise<void>,
): Promise<void> {
  const connection = await connect({
    servers,
    inboxPrefix: "_INBOX.sluice.reviews",
    ...options,
  });
  try {
    await use(connection);
  } finally {
    await connection.close();
  }
}

/** A logger of which a line can be waited for. */
function logOf(): Logger & { line(like: RegExp): Promise<void> } {
  const said: string[] = [];
  let heard = () => {};
  const note = (one: string) => {
    said.push(one);
    heard();
  };
  return {
    debug: note,
    info: note,
    warn: note,
    error: note,
    async line(like) {
      while (!said.some((one) => like.test(one))) {
        await new Promise<void>((resolve) => heard = resolve);
      }
    },
  };
}
