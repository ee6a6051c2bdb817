import { connect, type NatsConnection } from "@nats-io/transport-node";
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { test as plainTest } from "../../tests/_harness.ts";
import { Fleet } from "@sluice/fleet";
import type { Logger } from "@sluice/agent";
import { fakeCli } from "@sluice/agent/testing";
import { repeated } from "../../tests/_steps.ts";
import { SHORT_LEASE_MS, test } from "./_fleet.ts";
import { reasonWithoutDisks } from "./_nats.ts";

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

plainTest(
  "A server that is too old, or has no JetStream, is refused by its version",
  async () => {
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
  },
);

test("Wrong credentials are refused, and no password shows", async (rig) => {
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
}, { config: "authorization { user: one, password: right }" });

plainTest(
  "An address with tls:// sends nothing to a server that offers no TLS",
  async () => {
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
  },
);

plainTest(
  "A server that refuses a program and breaks the connection ends the call alone",
  async () => {
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
  },
);

test(
  "A foreign stream, a lease of another length and too many replicas are refused with the difference",
  async (rig) => {
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
  },
);

test("A write that the server does not accept is repeated until it does", async (rig) => {
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
});

test("A full server refuses a job, and says so", async (rig) => {
  const fleet = await rig.fleet();
  await assert.rejects(async () => {
    for (let at = 0; at < 20; at++) await fleet.submit("x".repeat(500_000));
  }, { name: "FleetError", fault: "full" });
}, { jetstream: "max_file_store: 3MB" });

test(
  "While the disk of the server is full, jobs are refused or released, and continue when there is room",
  async (rig) => {
    const fleet = await rig.fleet();
    // The first one talks for as long as there is room.
    const endless = [repeated(10_000, "word", { wait: 20 })];
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
  },
  {
    leaseMs: SHORT_LEASE_MS,
    diskBytes: 6_000_000,
    jetstream: "max_file_store: 1GB",
    skip: reasonWithoutDisks(),
  },
);

test("A job that a later version has submitted is left to it", async (rig) => {
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
});

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
