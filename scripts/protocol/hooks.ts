/** Makes the index and the sections of events in docs/hooks.md. */
import type { Protocol } from "../../protocol/mod.ts";
import { listItem, table } from "./markdown.ts";
import { propertiesOf, shapeOf, type Shapes, wordsOf } from "./shapes.ts";

export function hookParts(
  protocol: Protocol,
  shapes: Shapes,
): ReadonlyMap<string, string> {
  const fieldsOf = (name: string) => [
    ...propertiesOf(shapes, shapeOf(shapes, name).node),
  ];
  const aboutOf = (event: string) =>
    shapeOf(shapes, `${event}HookInput`).node.description ?? "";
  const base = new Map(fieldsOf("HookInputBase"));
  const index = table(
    ["event", "called", "block", "when"],
    protocol.hooks,
    ({ event, called = "yes", blocks = false }) => [
      `\`${event}\``,
      called,
      blocks ? "yes" : "",
      aboutOf(event),
    ],
  );
  const sections = protocol.hooks.map(({ event }) => {
    const own = fieldsOf(`${event}HookInput`).filter(([key, one]) =>
      key !== "hook_event_name" && one.node !== base.get(key)?.node
    );
    const answers = fieldsOf(`${event}HookOutput`)
      .filter(([key]) => key !== "hookEventName");
    return [
      `### \`${event}\``,
      `${aboutOf(event)}.`,
      list("Input", own),
      list("Output in `hookSpecificOutput`", answers),
    ].filter((part) => part !== "").join("\n\n");
  });

  function list(title: string, fields: ReturnType<typeof fieldsOf>): string {
    if (fields.length === 0) return "";
    const items = fields.map(([key, { node, isRequired }]) => {
      const words = wordsOf(shapes, node).map((one) => `\`"${one}"\``);
      const isOutput = title.startsWith("Output");
      const more = [
        ...words.length > 0 ? [words.join(", ")] : [],
        ...isOutput && isRequired ? ["required"] : [],
      ];
      const facts = more.length > 0 ? ` (${more.join("; ")})` : "";
      return listItem(`\`${key}\`${facts}: ${node.description ?? ""}`);
    });
    return `${title}:\n\n${items.join("\n")}`;
  }
  return new Map([["hooks", index], ["hook events", sections.join("\n\n")]]);
}
