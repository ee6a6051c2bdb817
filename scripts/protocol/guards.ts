/** Makes the guards that tell kinds of messages by their `type`; those that look further are written by hand. */
import { withImports } from "./imports.ts";
import {
  membersOf,
  propertiesOf,
  shapeOf,
  type Shapes,
  wordsOf,
} from "./shapes.ts";

const KNOWN =
  '{ type: "prompt_suggestion", suggestion: "Go on", uuid: "u1", session_id: "s1" }';
const UNKNOWN =
  '{ type: "unknown", originalType: "news", raw: { type: "news" } }';

export function guardsOf(shapes: Shapes): string {
  const names = (shapeOf(shapes, "Message").node.anyOf ?? [])
    .flatMap(({ $ref = "" }) => $ref === "SystemMessage" ? [] : [$ref]);
  const kinds = Map.groupBy(names, (name) => typeIn(shapes, name));
  const source = [...kinds].map(([type, [first = "", ...others]]) => {
    const guard = `is${first.replace(/Message$/, "")}`;
    const [about = ""] = shapeOf(shapes, first).node.description?.split("\n") ??
      [];
    return `/**
 * Returns whether a message is of the type {@link ${first}}: ${
      about.charAt(0).toLowerCase() + about.slice(1).replace(/\.$/, "")
    }.
 *
 * @param message Any message
 * @returns Whether it is one
 *
 * @example Check a message of another kind
 * \`\`\`ts
 * import { ${guard}, type Message } from "@sluice/agent";
 * import assert from "node:assert/strict";
 *
 * const message: Message = ${type === "unknown" ? KNOWN : UNKNOWN};
 * assert.equal(${guard}(message), false);
 * \`\`\`
 */
export function ${guard}(message: Message): message is ${
      [first, ...others].join(" | ")
    } {
  return message.type === ${JSON.stringify(type)};
}`;
  }).join("\n\n");
  return withImports(
    `${source}\n`,
    [...shapes.values()].map(({ name, topic }) =>
      [name, `../../protocol/${topic}.ts`] as const
    ),
  );
}

function typeIn(shapes: Shapes, name: string): string {
  const [member = ""] = membersOf(shapes, name);
  const fields = propertiesOf(shapes, shapeOf(shapes, member).node);
  return wordsOf(shapes, fields.get("type")?.node)[0] ?? "";
}
