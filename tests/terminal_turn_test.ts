import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { takeTurn } from "../src/runtime/terminal_turn.ts";
import { test } from "./_harness.ts";

const skip = process.platform === "linux" ? undefined : "needs Linux";
const { signal } = new AbortController();

test(
  "takeTurn() waits for another holder, says so once, and gives up with what helps",
  async () => {
    const name = `sluice-test-${randomUUID()}`;
    const notices: string[] = [];
    const settings = {
      signal,
      onNotice: (text: string) => void notices.push(text),
      noticeMs: 0,
    };
    const end = await takeTurn(name, settings);
    assert.deepEqual(notices, []);
    const helps = new RegExp(`ss -xlp \\| grep ${name}`);
    await assert.rejects(
      takeTurn(name, { ...settings, longestMs: 300 }),
      helps,
    );
    assert.equal(notices.length, 1);
    assert.match(notices[0] ?? "", helps);
    const given = new AbortController();
    const waiting = takeTurn(name, { ...settings, signal: given.signal });
    given.abort(new Error("taken back"));
    await assert.rejects(waiting);
    const next = takeTurn(name, settings);
    end();
    (await next)();
  },
  { skip },
);

const BUN = fileURLToPath(
  new URL("../node_modules/bun/bin/bun.exe", import.meta.url),
);
const HOLD = fileURLToPath(new URL("./fixtures/hold_turn.ts", import.meta.url));

test(
  "takeTurn() waits for a program of Bun, whose longest name is shorter, and the other way round",
  async () => {
    const name = `sluice-test-${randomUUID()}`;
    const settings = { signal, onNotice() {}, longestMs: 300 };
    const bun = () => {
      const child = spawn(BUN, ["run", HOLD, name]);
      const held = new Promise((resolve) => child.stdout.once("data", resolve));
      const ended = new Promise((resolve) => child.once("close", resolve));
      return { child, held, ended };
    };
    const first = bun();
    await first.held;
    await assert.rejects(takeTurn(name, settings), /has been asking/);
    first.child.stdin.write("x");
    await first.ended;
    const end = await takeTurn(name, settings);
    const second = bun();
    let isHeld = false;
    const held = second.held.then(() => isHeld = true);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    assert.equal(isHeld, false);
    end();
    await held;
    second.child.stdin.write("x");
    await second.ended;
  },
  { skip: skip ?? (existsSync(BUN) ? undefined : "needs Bun") },
);
