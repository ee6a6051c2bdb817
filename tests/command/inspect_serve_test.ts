import assert from "node:assert/strict";
import { once } from "node:events";
import { appendFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { test } from "../_harness.ts";
import { run, start, told } from "./_program.ts";
import { hostile, LINES, textOf, withFolder } from "./_recording.ts";
import { statusOf } from "./_requests.ts";

/** A page of a recording that is followed, as a browser asks for it. */
interface Followed {
  readonly file: string;
  /** Where it is, with its token. */
  readonly address: string;
  /** Waits for an event that fits. */
  event(accept: (data: string) => boolean): Promise<string>;
}

/** Serves a recording, reads its events, and ends the program; its exit code has to be that of Ctrl-C. */
async function following(
  lines: readonly object[],
  use: (followed: Followed) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const file = join(folder, "run.jsonl");
    await writeFile(file, textOf(lines));
    const running = start(["inspect", "--serve", file], { input: null });
    try {
      await running.said("Ctrl-C ends it");
      const [address = ""] =
        /http:\/\/127\.0\.0\.1:\d+\/[-\w]+\//.exec(running.texts().stdout) ??
          [];
      const { body } = await fetch(`${address}events`);
      const reader = (body as ReadableStream<Uint8Array>).getReader();
      const decoder = new TextDecoder();
      let text = "";
      const event: Followed["event"] = async (accept) => {
        for (;;) {
          const [first = "", ...rest] = text.split("\n\n");
          if (rest.length === 0) {
            const { done, value } = await reader.read();
            assert.equal(done, false, text);
            text += decoder.decode(value, { stream: true });
          } else {
            text = rest.join("\n\n");
            if (accept(first)) return first;
          }
        }
      };
      try {
        await use({ file, address, event });
      } finally {
        await reader.cancel();
      }
    } finally {
      running.interrupt();
      await running.ended;
    }
    const { code, stderr } = await running.ended;
    assert.equal(code, 130, stderr);
  });
}

test("sluice inspect --serve follows a recording for holders of the token under this machine's own name", async () => {
  await following(LINES.slice(0, 4), async ({ address, event, file }) => {
    const { host, origin, pathname, port } = new URL(address);
    const page = await fetch(address);
    assert.match(
      page.headers.get("content-security-policy") ?? "",
      /connect-src 'self'.*frame-ancestors 'none'/,
    );
    assert.match(await page.text(), /Delegate/);
    for (const name of ["evil.example", `evil.example:${port}`, `x.${host}`]) {
      assert.notEqual(await statusOf(address, { host: name }), 200, name);
      const events = await statusOf(`${address}events`, { host: name });
      assert.notEqual(events, 200, name);
    }
    const local = { host: `localhost:${port}` };
    assert.equal(await statusOf(address, local), 200);
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
      assert.equal(await statusOf(address, { host }, method), 405, method);
    }
    const token = pathname.slice(1, -1);
    for (
      const path of [
        ...["/", "/events", "/wrong/", "/wrong/events"],
        `/${token.slice(0, -1)}/`,
        `/${token}x/`,
        `/${token}/../${token.slice(1)}/`,
        `/${token}/other`,
      ]
    ) {
      assert.equal(await statusOf(origin + path, { host }), 404, path);
    }
    assert.equal(await statusOf(`${origin}//`, { host }), 400);
    const taken = await run(["inspect", "--serve", "--port", port, file]);
    assert.equal(taken.code, 2);
    assert.match(taken.stderr, /Cannot listen on port/);
    await event((data) => data.includes("Delegate"));
    await appendFile(file, textOf(LINES.slice(4)));
    await event((data) => data.includes("It was denied."));
    const newer = { t: 1, dir: "meta", event: "cassette", version: 99 };
    await appendFile(file, textOf([newer]));
    await event((data) => data.includes("unknown version: 99"));
  });
  const { code, stderr } = await told(["inspect", "x.jsonl", "--port", "3000"]);
  assert.equal(code, 2);
  assert.match(stderr, /^error: --port goes with --serve\n/);
});

test("A recording that is followed may be written anew, go away and come back", async () => {
  await following(LINES.slice(0, 4), async ({ event, file }) => {
    await event((data) => data.includes("Delegate"));
    await writeFile(file, "");
    await event((data) => data === 'data: {"isAnew":true}');
    await writeFile(
      file,
      textOf(LINES.slice(0, 3)).replace("Delegate", "Anew"),
    );
    await event((data) => data.includes("Anew") && !data.includes("Delegate"));
    await rm(file);
    await writeFile(file, textOf(LINES.slice(0, 2)));
    await event((data) => data === 'data: {"isAnew":true}');
    await appendFile(file, textOf(LINES.slice(2)));
    await event((data) => data.includes("The CLI ended with 1"));
  });
});

test("Browsers that leave, and one that reads nothing, do not delay others", async () => {
  await following(LINES.slice(0, 4), async ({ address, event, file }) => {
    const { hostname, pathname, port } = new URL(address);
    // This one never reads what it is sent.
    const silent = connect(Number(port), hostname);
    silent.write(
      `GET ${pathname}events HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`,
    );
    silent.pause();
    for (let at = 0; at < 20; at++) {
      const gone = new AbortController();
      const { body } = await fetch(`${address}events`, { signal: gone.signal });
      if (at % 2 === 0) await body?.cancel();
      gone.abort();
    }
    await appendFile(file, textOf(LINES.slice(4)));
    await event((data) => data.includes("It was denied."));
    silent.destroy();
    await once(silent, "close");
  });
});

test("No text of a recording can break out of its events", async () => {
  await following([], async ({ address, event, file }) => {
    await appendFile(file, hostile());
    const data = await event((one) => one.includes("script"));
    assert.deepEqual(data.split("\n").length, 1);
    assert.match(data, /^data: \{/);
    const page = await (await fetch(address)).text();
    assert.equal(page.match(/<script/g)?.length, 2);
  });
});
