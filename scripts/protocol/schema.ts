/** Makes JSON Schema of the description. */
import type { Protocol } from "../../protocol/mod.ts";
import { PART_OF } from "../../protocol/words.ts";
import {
  membersOf,
  type Node,
  propertiesOf,
  shapeOf,
  type Shapes,
  wordsOf,
} from "./shapes.ts";

/** A value of JSON. */
type Json = unknown;

/** The published schema. */
export interface PublishedSchema extends Readonly<Record<string, Json>> {
  readonly $defs: Readonly<Record<string, Json>>;
}

/** The published schema, as `protocol.schema.json` has it. */
export function schemaOf(
  protocol: Protocol,
  shapes: Shapes,
): PublishedSchema {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: `urn:sluice:protocol:${protocol.version}`,
    title: `Stream-JSON protocol of the Claude Code CLI ${protocol.version}`,
    description:
      "Any line of either side. Every shape has its name in $defs; objects are open, because the CLI adds fields at any time. Own keywords: x-published (false = seen on the wire, not in the published types), x-since and x-until (versions of the CLI), x-source, x-known (words of a text that may hold others), x-made-here (what a reader makes of a kind that it does not know).",
    anyOf: [{ $ref: "#/$defs/StdoutLine" }, { $ref: "#/$defs/StdinLine" }],
    "x-messages": messagesOf(shapes),
    "x-controls": Object.fromEntries(
      protocol.controls.map(({ direction, subtype, request, reply }) => {
        const { node } = shapeOf(shapes, request);
        return [subtype, {
          direction,
          request,
          reply,
          published: isPublished(node),
          ...node["x-since"] !== undefined && { since: node["x-since"] },
        }];
      }),
    ),
    "x-hooks": Object.fromEntries(
      protocol.hooks.map(({ event, hasOutput }) => {
        const input = `${event}HookInput`;
        return [event, {
          input,
          output: hasOutput ? `${event}HookOutput` : null,
          published: isPublished(shapeOf(shapes, input).node),
        }];
      }),
    ),
    $defs: Object.fromEntries(
      [...shapes.values()].map(({ name, source, node }) => [
        name,
        { ...jsonOf(node, shapes) as object, "x-source": source },
      ]),
    ),
  };
}

/** Every kind of message, by the words that tell it from the others. */
function messagesOf(shapes: Shapes): Json {
  return membersOf(shapes, "Message").flatMap((def) => {
    const { node } = shapeOf(shapes, def);
    if (node["x-made-here"]) return [];
    const fields = propertiesOf(shapes, node);
    const [type] = wordsOf(shapes, fields.get("type")?.node);
    const published = isPublished(node);
    const subtypes = wordsOf(shapes, fields.get("subtype")?.node);
    return subtypes.length === 0
      ? [{ type, def, published }]
      : subtypes.map((subtype) => ({ type, subtype, def, published }));
  });
}

function isPublished(node: Node): boolean {
  return node["x-published"] !== false;
}

/** A node as JSON: flat, with references that a validator resolves. */
function jsonOf(node: Node, shapes: Shapes): Json {
  const about = node.description === undefined
    ? {}
    : { description: sentence(node.description) };
  const part = node[PART_OF];
  const whole = part === undefined ? node : shapeOf(shapes, part.name).node;
  const { anyOf, items, additionalProperties, properties, $ref } = whole;
  return {
    ...about,
    ...$ref !== undefined && { $ref: `#/$defs/${$ref}` },
    ...whole.type !== undefined && { type: whole.type },
    ...whole.const !== undefined && { const: whole.const },
    ...whole.enum !== undefined && { enum: whole.enum },
    ...whole.not !== undefined && { not: whole.not },
    ...anyOf !== undefined &&
      { anyOf: anyOf.map((one) => jsonOf(one, shapes)) },
    ...items !== undefined && { items: jsonOf(items, shapes) },
    ...additionalProperties !== undefined && {
      additionalProperties: jsonOf(additionalProperties, shapes),
    },
    ...properties !== undefined && fieldsOf(whole, shapes, part?.required),
    ...Object.fromEntries(
      Object.entries(node).filter(([key]) =>
        key.startsWith("x-") && key !== "x-source"
      ),
    ),
  };
}

function fieldsOf(
  node: Node,
  shapes: Shapes,
  needed: readonly string[] | undefined,
): object {
  const fields = [...propertiesOf(shapes, node)];
  const required = needed ??
    fields.filter(([, { isRequired }]) => isRequired).map(([key]) => key);
  return {
    ...required.length > 0 && { required },
    properties: Object.fromEntries(
      fields.map(([key, field]) => [key, jsonOf(field.node, shapes)]),
    ),
  };
}

/** A description as a sentence without the links of doc comments. */
function sentence(text: string): string {
  const plain = text.replaceAll(/\{@link (\w+(?:\.\w+)?)\}/g, "$1");
  return /[.!?]$/.test(plain) ? plain : `${plain}.`;
}
