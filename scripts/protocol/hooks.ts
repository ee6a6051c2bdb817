/** Makes the table of events in docs/hooks.md. */
import type { Protocol } from "../../protocol/mod.ts";
import { table } from "./markdown.ts";
import { propertiesOf, shapeOf, type Shapes, wordsOf } from "./shapes.ts";

export function hookTable(protocol: Protocol, shapes: Shapes): string {
  const fieldsOf = (name: string) => [
    ...propertiesOf(shapes, shapeOf(shapes, name).node),
  ];
  const base = new Map(fieldsOf("HookInputBase"));
  return table(
    ["event", "called", "block", "its own input", "its own output"],
    protocol.hooks,
    ({ event, called = "yes", blocks = false }) => [
      `\`${event}\``,
      called,
      blocks ? "yes" : "",
      fieldsOf(`${event}HookInput`)
        .filter(([key, one]) =>
          key !== "hook_event_name" && one.node !== base.get(key)?.node
        )
        .map(([key]) => `\`${key}\``).join(", "),
      fieldsOf(`${event}HookOutput`)
        .filter(([key]) => key !== "hookEventName")
        .map(([key, { node, isRequired }]) => {
          const words = wordsOf(shapes, node).join(", ");
          const more = [words, isRequired ? "required" : ""].filter(Boolean);
          return `\`${key}\`${more.length > 0 ? ` (${more.join("; ")})` : ""}`;
        }).join(", "),
    ],
  );
}
