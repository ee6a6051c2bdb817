import assert from "node:assert/strict";
import { appendFile, mkdir, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { directoryTranscripts } from "@sluice/agent/transcripts";
import { test } from "../_harness.ts";
import { withFolder } from "../session/_chats.ts";

const KEY = {
  projectKey: "-home-Ada",
  sessionId: "7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11",
};
const FILE = `-home-+ada/${KEY.sessionId}.jsonl`;
const isWindows = process.platform === "win32";

function line(at: number) {
  return { type: "user", uuid: `line-${at}` };
}

test("a folder is made for this user alone, by a path or a URL", () =>
  withFolder(async (folder) => {
    const store = directoryTranscripts(pathToFileURL(join(folder, "new")));
    await store.append(KEY, [line(0)]);
    const path = join(folder, "new", FILE);
    assert.equal(await readFile(path, "utf8"), `${JSON.stringify(line(0))}\n`);
    if (isWindows) return;
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    assert.equal((await stat(join(folder, "new"))).mode & 0o777, 0o700);
  }));

test("two at once that find a line cut off add no empty lines between torn ones", () =>
  withFolder(async (folder) => {
    const store = directoryTranscripts(folder);
    await store.append(KEY, [line(0)]);
    await appendFile(join(folder, FILE), "{");
    await Promise.all([1, 2, 3].map((at) => store.append(KEY, [line(at)])));
    assert.equal(
      (await readFile(join(folder, FILE), "utf8")).match(/^$/gm)?.length,
      1,
    );
    assert.equal((await store.load(KEY))?.length, 4);
  }));

test("no name leads out of the folder", () =>
  withFolder(async (folder) => {
    const inner = join(folder, "a", "b");
    const store = directoryTranscripts(inner);
    const odd = [
      "..",
      "../..",
      "/etc",
      "\\\\host\\x",
      "C:\\x",
      "a\0b",
      "~",
      ".",
    ];
    for (const text of odd) {
      await store.append({ ...KEY, projectKey: text }, [line(0)]);
      await store.append({ ...KEY, sessionId: text }, [line(0)]);
      await store.append({ ...KEY, subpath: `x/${text.replaceAll("/", "")}` }, [
        line(0),
      ]);
    }
    assert.deepEqual(await readdir(folder), ["a"]);
    assert.deepEqual(await readdir(join(folder, "a")), ["b"]);
    await assert.rejects(store.append({ ...KEY, subpath: "/etc" }, [line(0)]));
    await store.delete({ ...KEY, sessionId: ".." });
    assert.ok((await store.listSessions("..")).length > 0);
  }));

test("files that are none of the store's are left alone", () =>
  withFolder(async (folder) => {
    const store = directoryTranscripts(folder);
    await store.append(KEY, [line(0)]);
    const project = join(folder, "-home-+ada");
    await appendFile(join(project, "NOTES.jsonl"), "x\n");
    await appendFile(join(project, "notes.txt"), "x\n");
    await mkdir(join(project, "folder.jsonl"));
    assert.deepEqual(
      (await store.listSessions(KEY.projectKey)).map((one) => one.sessionId),
      [KEY.sessionId],
    );
    await assert.rejects(
      store.load({ ...KEY, sessionId: "folder" }),
      /is no file/,
    );
  }));

test("a folder that cannot be made, or written, is the system's error", () =>
  withFolder(async (folder) => {
    await appendFile(join(folder, "file"), "x");
    const store = directoryTranscripts(join(folder, "file"));
    await assert.rejects(
      store.append(KEY, [line(0)]),
      (error: Error & { code?: string }) =>
        ["ENOTDIR", "EEXIST", "ENOENT"].includes(error.code ?? ""),
    );
    assert.deepEqual(await store.listSessions(KEY.projectKey), []);
  }));
