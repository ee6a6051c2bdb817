import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import process from "node:process";
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
