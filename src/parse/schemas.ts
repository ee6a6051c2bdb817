import { asObject, isObject } from "../errors/text.ts";
import { compileSchema, type SchemaCheck } from "../json_schema/compile.ts";
import { protocolSchema } from "../protocol/schema.ts";
import type { JsonObject } from "../types/json.ts";
import { type BlockPlace, isArray, Problem } from "./fields.ts";

/** Names of the shapes of messages, by type and subtype. */
const SHAPES: ReadonlyMap<string, string> = new Map(
  protocolSchema["x-messages"].map(({ type, subtype, def }) => [
    kindOf(type, subtype),
    def,
  ]),
);

const CHECKS = new Map<string, SchemaCheck>();

/** Compares a message with the shape of its kind; empty when it fits, and for a kind that has none. */
export function deviations(message: JsonObject): readonly Problem[] {
  const name = shapeOf(message);
  if (name === undefined) return [];
  let check = CHECKS.get(name);
  if (check === undefined) CHECKS.set(name, check = compileShape(name));
  return (check(message) ?? []).map(({ path, message: fact }) =>
    new Problem(path, fact, blockAt(path, message))
  );
}

/** The content block of the message that a path leads into. */
function blockAt(
  path: string,
  { message }: JsonObject,
): BlockPlace | undefined {
  const index = Number(/^message\.content\[(\d+)\]/.exec(path)?.[1]);
  if (!isObject(message) || !isArray(message.content)) return undefined;
  const block = message.content[index];
  if (block === undefined) return undefined;
  const { type } = asObject(block);
  return { type: typeof type === "string" ? type : undefined, index };
}

function shapeOf(
  { type, subtype, isReplay }: JsonObject,
): string | undefined {
  if (type === "user") {
    return isReplay === true ? "UserMessageReplay" : "UserMessage";
  }
  return SHAPES.get(kindOf(type, subtype)) ?? SHAPES.get(kindOf(type)) ??
    (type === "result" ? "ResultFields" : undefined);
}

function kindOf(type: unknown, subtype?: unknown): string {
  return subtype === undefined ? String(type) : `${type}/${subtype}`;
}

/** The check of one shape, with the shapes that it names alone. */
function compileShape(name: string): SchemaCheck {
  const $defs: Record<string, unknown> = {};
  const open = [name];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (Object.hasOwn($defs, one)) continue;
    $defs[one] = protocolSchema.$defs[one];
    for (
      const [, other] of JSON.stringify($defs[one]).matchAll(
        /"\$ref":"#\/\$defs\/(\w+)"/g,
      )
    ) open.push(other as string);
  }
  const { $schema } = protocolSchema;
  return compileSchema({ $schema, $ref: `#/$defs/${name}`, $defs });
}
