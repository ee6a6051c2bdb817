import assert from "node:assert/strict";
import process from "node:process";
import { Deferred } from "@sluice/agent/extend";
import {
  CliExitError,
  type ExitReport,
  query,
  type Transport,
} from "@sluice/agent";
import { FakeClock } from "@sluice/agent/testing";
import { needsShell, script } from "../_children.ts";
import { rejectionOf } from "../_collect.ts";
import { test } from "../_harness.ts";
import { assistantLine, memoryCli, resultLine, turns } from "./_rig.ts";

const REPLY_TO_INITIALIZE = `read -r line
id=$(printf '%s' "$line" | sed 's/.*"request_id":"\\([^"]*\\)".*/\\1/')
printf '{"type":"control_response","response":{"subtype":"success","request_id":"%s","response":{}}}\\n' "$id"
`;

/** How a grandchild may hold the output: now and then, or as fast as it can. */
const NOISES: Readonly<Record<string, string>> = {
  "now and then": "while :; do echo noise; sleep 0.02; done",
  "as fast as it can": "yes",
};

for (const [how, noise] of Object.entries(NOISES)) {
  test(
    `a grandchild that writes ${how} does not keep the conversation of a CLI that is gone`,
    async () => {
      const { command, args } = script(
        `${REPLY_TO_INITIALIZE}read -r line
printf '%s\\n' "$1"
(${noise}) & echo $! >&2
exit 0`,
        JSON.stringify(resultLine({ result: "orphan" })),
      );
      let grandchild = 0;
      const conversation = query("x", {
        cliPath: [command, ...args],
        onStderr: (line) => void (grandchild = Number(line)),
      });
      try {
        assert.equal(await conversation.text(), "orphan");
        await conversation.close();
      } finally {
        end(grandchild);
      }
    },
    { skip: needsShell, ids: ["P-03"] },
  );
}

test(
  "a grandchild that writes does not keep a start whose CLI is gone",
  async () => {
    const { command, args } = script(
      `read -r line
(${NOISES["now and then"]}) & echo $! >&2
exit 3`,
    );
    let grandchild = 0;
    const conversation = query("x", {
      cliPath: [command, ...args],
      onStderr: (line) => void (grandchild = Number(line)),
    });
    try {
      const error = await rejectionOf(conversation.ready);
      assert.ok(error instanceof CliExitError, String(error));
      assert.equal(error.exitCode, 3);
    } finally {
      end(grandchild);
    }
  },
  { skip: needsShell, ids: ["P-03"] },
);

/** A memory CLI that reports its exit while its output continues. */
function leavingCli() {
  const exited = new Deferred<ExitReport>();
  const { transport, peer } = memoryCli({}, { staysOpen: true });
  const leaving: Transport = {
    open: async (launch, signal) => ({
      ...await transport.open(launch, signal),
      exited: exited.promise,
    }),
  };
  const leave = (code = 0) =>
    exited.resolve({ code, signal: null, stderrTail: "" });
  return { transport: leaving, peer, leave };
}

test(
  "an output that never rests after the exit ends at the limit",
  async () => {
    const clock = new FakeClock();
    const { transport, peer, leave } = leavingCli();
    const conversation = query("x", { transport, clock });
    const text = conversation.text();
    await conversation.ready;
    await peer.send(resultLine({ result: "done" }));
    leave();
    await turns(2);
    let isOver = false;
    void text.finally(() => isOver = true);
    let ms = 0;
    for (; !isOver && ms < 60_000; ms += 100) {
      void peer.send("noise\n");
      await clock.advance(100);
    }
    assert.equal(await text, "done");
    assert.ok(ms <= 5_100, `took ${ms} ms`);
    await conversation.close();
  },
  { ids: ["P-03"] },
);

test(
  "a chunk of bad lines lets the event loop turn, and does not outlast the limit after the exit",
  async () => {
    let ms = 0;
    // A bad line takes 10 ms.
    const logger = {
      debug: () => {},
      info: () => {},
      warn: () => {},
      error: () => void (ms += 10),
    };
    const clock = new FakeClock();
    const { transport, peer, leave } = leavingCli();
    const conversation = query("x", {
      transport,
      clock: {
        now: () => clock.now() + ms,
        sleep: (wait, signal) => clock.sleep(wait, signal),
      },
      logger,
    });
    const text = conversation.text();
    await conversation.ready;
    await peer.send(resultLine({ result: "done" }));
    leave();
    await turns(2);
    void peer.send("y\n".repeat(20_000));
    await turns(1);
    assert.ok(ms < 10_000, `${ms} ms without a turn of the event loop`);
    assert.equal(await text, "done");
    assert.ok(ms < 20_000, `took ${ms} ms`);
    await conversation.close();
  },
  { ids: ["P-03"] },
);

for (const output of ["noisy", "silent"] as const) {
  for (const code of [0, 3]) {
    test(
      `a CLI that is gone is no stall: its ${output} output, held by another, ends the conversation as exit code ${code} says`,
      async () => {
        const clock = new FakeClock();
        const { transport, peer, leave } = leavingCli();
        const conversation = query("x", {
          transport,
          clock,
          health: { onIdle: "fail", idleMs: 100, checkMs: 50 },
        });
        const text = conversation.text().catch((error) => error);
        await conversation.ready;
        await peer.send(resultLine({ result: "done" }));
        leave(code);
        await turns(2);
        let isOver = false;
        void text.finally(() => isOver = true);
        for (let ms = 0; !isOver && ms < 60_000; ms += 50) {
          if (output === "noisy") void peer.send("noise\n");
          await clock.advance(50);
        }
        const outcome = await text;
        if (code === 0) assert.equal(outcome, "done");
        else assert.ok(outcome instanceof CliExitError, String(outcome));
        await conversation.close();
      },
      { ids: ["P-10"] },
    );
  }
}

test(
  "a CLI that is gone before its last words are is no stall, and its exit code counts",
  async () => {
    // It leaves a process that keeps writing to its stderr only.
    const { command, args } = script(
      `${REPLY_TO_INITIALIZE}read -r line
printf '%s\\n' "$1"
echo dying >&2
(exec >&-; while :; do echo noise >&2; sleep 0.02; done) &
exit 3`,
      JSON.stringify(resultLine({ result: "orphan" })),
    );
    const conversation = query("x", {
      cliPath: [command, ...args],
      // Less than the noise is listened to, and more than a busy machine takes from one line to the next.
      health: { onIdle: "fail", idleMs: 3_000, checkMs: 20 },
    });
    const error = await rejectionOf(conversation.text());
    assert.ok(error instanceof CliExitError, String(error));
    assert.equal(error.exitCode, 3);
    assert.match(error.stderrTail, /^dying$/m);
    await conversation.close();
  },
  { skip: needsShell, ids: ["P-10"] },
);

test("the output of a CLI before its exit is delivered to a slow consumer", async () => {
  const clock = new FakeClock();
  const { transport, peer, leave } = leavingCli();
  const conversation = query("x", { transport, clock });
  await conversation.ready;
  void peer.send(...Array.from({ length: 5 }, (_, n) => assistantLine(`${n}`)));
  void peer.send(resultLine());
  const messages = conversation[Symbol.asyncIterator]();
  await messages.next();
  leave();
  await turns(3);
  let count = 1;
  for (;;) {
    // Slower than any limit, message by message.
    await clock.advance(60_000);
    const next = messages.next();
    await clock.advance(60_000);
    if ((await next).done) break;
    count++;
  }
  assert.equal(count, 6);
  await conversation.close();
});

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It may have ended on its own, because its reader is gone.
  }
}
