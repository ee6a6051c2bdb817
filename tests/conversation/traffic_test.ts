import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { query } from "@sluice/agent";
import { FakeClock } from "@sluice/agent/testing";
import { needsShell, script } from "../_children.ts";
import { collect } from "../_collect.ts";
import { test } from "../_harness.ts";
import { assistantLine, metricsSpy, resultLine } from "./_rig.ts";

/** A CLI that keeps a copy of every byte of its pipes, beside whatever this package counts. */
const COPYING = script(
  `cd "$COPIES" || exit 1
printf '%s' "$$" >pid
say() { printf '%s\\n' "$1" | tee -a stdout; }
IFS= read -r line
printf '%s\\n' "$line" >stdin
id=$(printf '%s' "$line" | sed 's/.*"request_id":"\\([^"]*\\)".*/\\1/')
say "{\\"type\\":\\"control_response\\",\\"response\\":{\\"subtype\\":\\"success\\",\\"request_id\\":\\"$id\\",\\"response\\":{}}}"
say "$FIRST"
say 'no JSON: ü'
say "$LAST"
printf 'one\\ntwo\\nthree\\n' >&2
exec cat >>stdin`,
);

const encoder = new TextEncoder();

function linesOf(text: string): readonly string[] {
  return text.trimEnd().split("\n");
}

test(
  "health() and metrics count every message and every byte of a process, both ways",
  async () => {
    const copies = await mkdtemp(join(tmpdir(), "traffic-"));
    const clock = new FakeClock();
    const startedMs = clock.now();
    const spy = metricsSpy();
    try {
      const conversation = query("Grüße 🎉", {
        cliPath: [COPYING.command, ...COPYING.args],
        clock,
        metrics: spy.metrics,
        env: {
          COPIES: copies,
          FIRST: JSON.stringify(assistantLine("schöne Grüße 🎉")),
          LAST: JSON.stringify(resultLine()),
        },
      });
      const { error } = await collect(conversation);
      assert.equal(error, undefined);
      await conversation.close();
      const [stdin = "", stdout = "", pid = ""] = await Promise.all(
        ["stdin", "stdout", "pid"].map((name) =>
          readFile(join(copies, name), "utf8")
        ),
      );
      const [sent, received] = [linesOf(stdin), linesOf(stdout)];
      assert.equal(received.length, 4);
      assert.ok(stdin.includes("Grüße 🎉"));
      assert.deepEqual(conversation.health(), {
        pid: Number(pid),
        startedAt: new Date(startedMs),
        lastActivityAt: new Date(startedMs),
        bytesRead: encoder.encode(stdout).length,
        bytesWritten: encoder.encode(stdin).length,
        stderrLines: 3,
        messagesReceived: received.length,
        messagesSent: sent.length,
        pendingRequests: 0,
        state: "gone",
      });
      const bytes = (name: string) =>
        spy.of(name).map(([bytes]) => Number(bytes));
      assert.deepEqual(
        bytes("transport.messageSent"),
        sent.map((line) => encoder.encode(line).length + 1),
      );
      assert.deepEqual(
        bytes("transport.messageReceived"),
        received.map((line) => encoder.encode(line).length),
      );
    } finally {
      await rm(copies, { recursive: true });
    }
  },
  { skip: needsShell, ids: ["P-08", "E-10", "OB-07"] },
);
