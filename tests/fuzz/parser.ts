import assert from "node:assert/strict";
import type { AgentError, JsonObject, JsonValue } from "@sluice/agent";
import { JsonDecoder } from "@sluice/agent/unstable-streams";
import { Parser } from "../../src/parse/parser.ts";
import { Router } from "../../src/wire/router.ts";
import { pick, textOf } from "../options/_random.ts";
import { recordedMessages } from "../parse/_transcripts.ts";
import type { FuzzTarget } from "./_target.ts";

const recorded = [...(await recordedMessages()).values()].flat();

const SCALARS: readonly JsonValue[] = [
  null,
  true,
  0,
  -1.5,
  "",
  "assistant",
  "__proto__",
  [],
  {},
  [[{}]],
];
const NAMES: readonly string[] = [
  "type",
  "subtype",
  "content",
  "message",
  "request",
  "request_id",
  "constructor",
  "toString",
  "__proto__",
];
const NOISE: readonly string[] = [...'{}[]":,\\ aé\u2028🎉\0'];

/** Lines to messages: whatever comes, each object is delivered, reported or routed, and nothing throws. */
export const parser: FuzzTarget = {
  name: "parser",
  tryOne(random) {
    const lines = Array.from(
      { length: 1 + Math.floor(random() * 6) },
      () => lineOf(random),
    );
    const errors: AgentError[] = [];
    let bad = 0;
    let routed = 0;
    const decoder = new JsonDecoder({
      maxTextLength: 2_000,
      onBadText: () => bad++,
    });
    const route = () => void routed++;
    const router = new Router({
      onRequest: route,
      onCancel: route,
      onResponse: route,
      report: (error) => errors.push(error),
    });
    const parser = new Parser({ report: (error) => errors.push(error) });
    const values = [...decoder.push(lines), ...decoder.end()];
    assert.ok(values.length + bad <= lines.length);
    const silent = values.filter((value) => isKind(value, SILENT)).length;
    const controls = values.filter((value) => isKind(value, CONTROLS)).length;
    const count = values.length;
    const messages = parser.push(router.push(values));
    assert.equal(routed, controls);
    // A result with an outcome is delivered although its fault is reported as well.
    const told = messages.filter(({ type }) => type === "result").length;
    const seen = messages.length + errors.length + routed + silent;
    assert.ok(seen >= count && seen <= count + told, `${seen} of ${count}`);
    for (const message of messages) assert.equal(typeof message.type, "string");
    for (const error of errors) assert.ok(error.message.length < 1_000);
  },
};

const CONTROLS: ReadonlySet<unknown> = new Set([
  "control_request",
  "control_response",
  "control_cancel_request",
]);
const SILENT: ReadonlySet<unknown> = new Set([
  "keep_alive",
  "transcript_mirror",
]);

function isKind(value: JsonValue, kinds: ReadonlySet<unknown>): boolean {
  return typeof value === "object" && value !== null && "type" in value &&
    !Array.isArray(value) && kinds.has(value.type);
}

function lineOf(random: () => number): string {
  if (random() < 0.05) return textOf(random, NOISE, 30);
  const changes = Math.floor(random() * 4);
  let value: JsonValue = pick(random, recorded);
  for (let i = 0; i < changes; i++) value = changed(value, random);
  if (random() < 0.1 && typeof value === "object") {
    const kind = pick(random, [...CONTROLS, ...SILENT]);
    value = { ...value as JsonObject, type: String(kind) };
  }
  const text = JSON.stringify(value);
  if (random() > 0.15) return text;
  const at = Math.floor(random() * text.length);
  return random() < 0.5
    ? text.slice(0, at)
    : text.slice(0, at) + pick(random, NOISE) + text.slice(at + 1);
}

/** The value with one part somewhere in it that is gone, another, or new. */
function changed(value: JsonValue, random: () => number): JsonValue {
  if (typeof value !== "object" || value === null || random() < 0.1) {
    return pick(random, SCALARS);
  }
  const entries = Object.entries(value) as [string, JsonValue][];
  const at = Math.floor(random() * (entries.length + 1));
  const entry = entries[at];
  if (entry === undefined) {
    entries.push([pick(random, NAMES), pick(random, SCALARS)]);
  } else if (random() < 0.2) entries.splice(at, 1);
  else entry[1] = changed(entry[1], random);
  return Array.isArray(value)
    ? entries.map(([, part]) => part)
    // Not by assigning: that would set the prototype.
    : Object.fromEntries(entries);
}
