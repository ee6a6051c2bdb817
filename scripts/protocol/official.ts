/** Makes the shapes by the names of the official package, as its declarations have them. */
import type { Protocol } from "../../protocol/mod.ts";
import { shapeOf, type Shapes } from "./shapes.ts";
import { commentOf } from "./types.ts";

/** The source of the types, one for each name. */
export function officialOf(protocol: Protocol, shapes: Shapes): string {
  const names = Object.entries({ ...ofHooks(protocol), ...protocol.official });
  const topics = new Set<string>();
  const types = names.sort(([a], [b]) => a < b ? -1 : 1).map(([name, own]) => {
    const { topic, node } = shapeOf(shapes, own);
    topics.add(topic);
    return `${
      commentOf(node)
    }\nexport type ${name} = Mutable<${topic}.${own}>;`;
  });
  const imports = [...topics].sort().map((topic) =>
    `import type * as ${topic} from "./${topic}.ts";`
  );
  return [
    [...imports, 'import type { Mutable } from "../types/mutable.ts";'].join(
      "\n",
    ),
    ...types,
  ].join("\n\n") + "\n";
}

/** Hooks are named by a rule. */
function ofHooks({ hooks }: Protocol): Record<string, string> {
  return Object.fromEntries(
    hooks.flatMap(({ event, hasOutput }) => [
      [`${event}HookInput`, `${event}HookInput`],
      ...hasOutput
        ? [[`${event}HookSpecificOutput`, `${event}HookOutput`]]
        : [],
    ]),
  );
}
