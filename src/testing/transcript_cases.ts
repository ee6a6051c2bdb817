import { show } from "../errors/text.ts";
import type {
  TranscriptEntry,
  TranscriptKey,
  TranscriptStore,
} from "../transcripts/store.ts";
import { casesOf, holds, same, type StoreCase } from "./store_cases.ts";

/**
 * Tests the contract of a transcript store, as cases for any test runner; cases of optional methods pass without them.
 *
 * @param make Returns the store, which the cases may share
 * @returns The cases
 *
 * @example Test your own store
 * ```ts
 * import { transcriptStoreCases } from "@sluice/agent/testing";
 * import { memoryTranscripts } from "@sluice/agent/transcripts";
 * import assert from "node:assert/strict";
 *
 * for (const { name, run } of transcriptStoreCases(() => memoryTranscripts())) {
 *   await assert.doesNotReject(run, name);
 * }
 * ```
 */
export function transcriptStoreCases(
  make: () => TranscriptStore | Promise<TranscriptStore>,
): readonly StoreCase[] {
  return casesOf(make, newKey, CASES);
}

type Case = (store: TranscriptStore, key: TranscriptKey) => Promise<void>;

const CASES: Readonly<Record<string, Case>> = {
  "an unknown session is null": async (store, key) => {
    same(await store.load(key), null);
    same(await store.load({ ...key, subpath: "subagents/agent-1" }), null);
  },
  "entries come back in their order": async (store, key) => {
    const all = lines(25);
    await store.append(key, all.slice(0, 10));
    await store.append(key, all.slice(10, 11));
    await store.append(key, all.slice(11));
    same(await store.load(key), all);
  },
  "appending nothing has no effect": async (store, key) => {
    await store.append(key, lines(1));
    await store.append(key, []);
    same(await store.load(key), lines(1));
  },
  "entries appended twice are not lost": async (store, key) => {
    for (let time = 0; time < 2; time++) await store.append(key, lines(2));
    const ids = (await store.load(key) ?? []).map(({ uuid }) => uuid);
    same([...new Set(ids)], ["line-0", "line-1"]);
  },
  "entries of any content come back unchanged": async (store, key) => {
    const odd: TranscriptEntry[] = [
      { type: "user", text: 'a "quoted"\nline\r\n\u0000\u2028\ud83d\ude00 \\' },
      { type: "user", none: null, no: false, zero: 0, empty: "", list: [[]] },
      { type: "user", big: 12_345_678_901_234, small: -0.125, tiny: 1e-300 },
      JSON.parse(
        '{"type":"user","__proto__":{"a":1},"constructor":{"prototype":{"b":2}},"toString":"c"}',
      ),
      { type: "user", text: "true" },
      { type: "user", "": { "a.b": { "$c": 1, "d:e": [{}] } } },
    ];
    await store.append(key, odd);
    same(await store.load(key), odd);
  },
  "a line of a megabyte, and many lines at once, come back": async (
    store,
    key,
  ) => {
    const long = [{ type: "user", text: "x\u00e9".repeat(500_000) }];
    await store.append(key, long);
    await store.append(key, lines(2_000));
    same(await store.load(key), [...long, ...lines(2_000)]);
  },
  "calls at the same time lose nothing": async (store, key) => {
    const all = lines(40);
    await Promise.all(all.map((one) => store.append(key, [one])));
    const ids = (await store.load(key) ?? []).map(({ uuid }) => String(uuid));
    same(ids.sort(), all.map(({ uuid }) => String(uuid)).sort());
  },
  "sessions, parts and projects do not mix": (store, key) =>
    keepsApart(store, [
      key,
      { ...key, subpath: "subagents/agent-1" },
      { ...key, subpath: "subagents/agent-2" },
      { ...key, subpath: "subagents/workflows/run/agent-1" },
      { ...key, sessionId: crypto.randomUUID() },
      { ...key, projectKey: `${key.projectKey}-more` },
    ]),
  "keys are never paths or patterns": (store, key) =>
    keepsApart(store, [
      { ...key, projectKey: `${key.projectKey}..` },
      { ...key, projectKey: `../${key.projectKey}` },
      { ...key, projectKey: `/${key.projectKey}` },
      { ...key, projectKey: `${key.projectKey}:1*?` },
      { ...key, projectKey: key.projectKey.toUpperCase() },
      { ...key, sessionId: `con.${key.sessionId}` },
      { ...key, subpath: "Subagents/agent-1" },
      { ...key, subpath: "subagents/Agent-1" },
    ]),
  "listSessions() names the sessions of one project": async (store, key) => {
    if (store.listSessions === undefined) return;
    const { projectKey } = key;
    same(await store.listSessions(projectKey), []);
    const second = crypto.randomUUID();
    await store.append(key, lines(1));
    await store.append({ ...key, subpath: "subagents/agent-1" }, lines(1));
    await store.append({ ...key, sessionId: second }, lines(1));
    await store.append({ ...key, projectKey: `${projectKey}-2` }, lines(1));
    const found = await store.listSessions(projectKey);
    const ids = found.map(({ sessionId }) => sessionId);
    same(ids.toSorted(), [key.sessionId, second].sort());
    for (const { mtime } of found) {
      const isTime = Number.isFinite(mtime) &&
        Math.abs(mtime - Date.now()) < 86_400_000;
      holds(isTime, `mtime is milliseconds since 1970: ${show(mtime)}`);
    }
  },
  "listSessions() gives a later time after a change": async (store, key) => {
    if (store.listSessions === undefined) return;
    const second = { ...key, sessionId: crypto.randomUUID() };
    const timeOf = async ({ sessionId }: TranscriptKey) => {
      const found = await store.listSessions?.(key.projectKey) ?? [];
      return found.find((one) => one.sessionId === sessionId)?.mtime ?? NaN;
    };
    await store.append(key, lines(1));
    await store.append(second, lines(1));
    const before = await timeOf(key);
    // Clocks of storages may tick slowly.
    do await store.append(key, lines(1)); while (await timeOf(key) === before);
    holds(await timeOf(key) > before, "a change makes it newer");
    holds(await timeOf(key) >= await timeOf(second), "and the newest");
  },
  "listSubkeys() names the parts of one session": async (store, key) => {
    if (store.listSubkeys === undefined) return;
    same(await store.listSubkeys(key), []);
    const parts = ["subagents/agent-1", "subagents/run/agent-2", "notes"];
    await store.append(key, lines(1));
    for (const subpath of parts) {
      await store.append({ ...key, subpath }, lines(1));
      await store.append({ ...key, subpath }, lines(1));
    }
    const other = { ...key, sessionId: crypto.randomUUID() };
    await store.append({ ...other, subpath: "subagents/agent-3" }, lines(1));
    same((await store.listSubkeys(key)).toSorted(), parts.toSorted());
  },
  "delete() removes a part alone, a session with its parts": async (
    store,
    key,
  ) => {
    if (store.delete === undefined) return;
    const part = { ...key, subpath: "subagents/agent-1" };
    const other = { ...key, sessionId: crypto.randomUUID() };
    await store.delete(key);
    for (const one of [key, part, other]) await store.append(one, lines(2));
    await store.delete(part);
    same(await store.load(part), null);
    same(await store.load(key), lines(2));
    await store.append(part, lines(1));
    await store.delete(key);
    same(await store.load(key), null);
    same(await store.load(part), null);
    same(await store.load(other), lines(2));
    same(await store.listSubkeys?.(key) ?? [], []);
  },
  "a session that was deleted can begin again": async (store, key) => {
    if (store.delete === undefined) return;
    await store.append(key, lines(3));
    await store.delete(key);
    await store.append(key, lines(1));
    same(await store.load(key), lines(1));
  },
};

async function keepsApart(
  store: TranscriptStore,
  keys: readonly TranscriptKey[],
): Promise<void> {
  for (const [at, key] of keys.entries()) {
    await store.append(key, [{ type: "user", at }]);
  }
  for (const [at, key] of keys.entries()) {
    same(await store.load(key), [{ type: "user", at }]);
  }
  for (const key of keys) await store.delete?.(key);
}

function newKey(): TranscriptKey {
  return {
    projectKey: `-case-${crypto.randomUUID().slice(0, 8)}`,
    sessionId: crypto.randomUUID(),
  };
}

function lines(count: number): TranscriptEntry[] {
  return Array.from({ length: count }, (_, at) => ({
    type: "user",
    uuid: `line-${at}`,
    message: { role: "user", content: `Line ${at}` },
  }));
}
