import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import assert from "node:assert/strict";
import { deviations } from "../../src/parse/schemas.ts";
import { protocolSchema } from "@sluice/agent/protocol";
import type { JsonObject, JsonValue } from "@sluice/agent";
import { pick } from "../options/_random.ts";
import { recordedMessages } from "../parse/_transcripts.ts";
import type { FuzzTarget } from "./_target.ts";

const recorded = [...(await recordedMessages()).values()].flat();
const ajv = schemaCompiler();
const checks = new Map<string, ValidateFunction>();

/** Words that stand somewhere in the schema, so that a change may fit as well. */
const WORDS: readonly string[] = [
  ...JSON.stringify(protocolSchema).matchAll(/"enum":\[("[^\]]*")\]/g),
].flatMap(([, list]) => JSON.parse(`[${list}]`));

/** A recorded message, changed somewhere: `validation: "strict"` finds a fault where ajv does, with the published schema. */
export const strict: FuzzTarget = {
  name: "strict",
  tryOne(random) {
    let message: JsonObject = pick(random, recorded);
    const changes = Math.floor(random() * 4);
    for (let i = 0; i < changes; i++) {
      message = changed(message, random) as JsonObject;
    }
    // Unknown kinds are left to the parser.
    message = { ...message, type: pick(random, recorded).type as string };
    agrees(message);
  },
};

/** Ajv with the published schema. */
export function schemaCompiler(): Ajv2020 {
  // Each shape is compiled for a line or two: what makes that code fast costs more than it saves.
  return new Ajv2020({
    strict: false,
    inlineRefs: false,
    code: { optimize: false },
  }).addSchema(protocolSchema);
}

/** Compares the verdicts over one message. */
export function agrees(message: JsonObject): void {
  const ours = deviations(message);
  const def = shapeOf(message);
  if (def === undefined) return assert.deepEqual(ours, []);
  let check = checks.get(def);
  if (check === undefined) {
    check = ajv.compile({ $ref: `${protocolSchema.$id}#/$defs/${def}` });
    checks.set(def, check);
  }
  if ((ours.length === 0) !== check(message)) {
    assert.fail(`${def}: ${JSON.stringify({ ours, message })}`);
  }
}

/** The shape of a message by the index of the schema; a result of a new subtype has what all results have. */
function shapeOf(message: JsonObject): string | undefined {
  const { type, subtype } = message;
  const kinds = protocolSchema["x-messages"].filter((one) => one.type === type);
  const kind = kinds.find((one) => one.subtype === subtype) ??
    kinds.find((one) => one.subtype === undefined);
  if (type === "user") {
    return message.isReplay === true ? "UserMessageReplay" : "UserMessage";
  }
  return kind?.def ?? (type === "result" ? "ResultFields" : undefined);
}

const VALUES: readonly JsonValue[] = [
  ...[null, true, false, 0, -1.5, 2 ** 60, "", "text", [], {}, [{}]],
  { type: "text", text: "" },
  JSON.parse('{"__proto__":{"type":"text"}}'),
];

/** The value with one part of it that is gone, another, or new. */
function changed(value: JsonValue, random: () => number): JsonValue {
  if (typeof value !== "object" || value === null) {
    return random() < 0.4 ? pick(random, WORDS) : pick(random, VALUES);
  }
  const entries = Object.entries(value) as [string, JsonValue][];
  const at = Math.floor(random() * (entries.length + 1));
  const entry = entries[at];
  if (entry === undefined) {
    entries.push([pick(random, ["extra", "type", "__proto__"]), null]);
  } else if (random() < 0.2) entries.splice(at, 1);
  else {
    entry[1] = random() < 0.2 ? pick(random, VALUES) : changed(
      entry[1],
      random,
    );
  }
  return Array.isArray(value)
    ? entries.map(([, part]) => part)
    // Not by assigning: that would set the prototype.
    : Object.fromEntries(entries);
}
