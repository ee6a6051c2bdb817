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

/** The source of the entry `./sdk-tools` of the package that stands in for the official one. */
export function toolsOf({ officialTools }: Protocol, shapes: Shapes): string {
  const { properties = {} } = shapeOf(shapes, "BuiltinToolInputs").node;
  const union = (kind: string) =>
    officialTools.map((one) => `  | ${one}${kind}`).join("\n");
  const types = (kind: string, does: string) =>
    officialTools.map((one) => {
      const tool = [one, one.replace(/^File/, ""), `${one}Tool`]
        .find((name) => Object.hasOwn(properties, name));
      const type = kind === "Input" && tool !== undefined
        ? `Mutable<BuiltinToolInputs["${tool}"]>`
        : "Undescribed";
      return `/** What \`${tool ?? one}\` ${does}. */
export type ${one}${kind} = ${type};`;
    });
  return [
    `/**
 * The official SDK's entry \`./sdk-tools\`: types alone. Inputs say their fields where they are published; all others, and
 * what tools give back, take any.
 *
 * @module
 */
import type { Mutable } from "../src/compat/mod.ts";
import type { BuiltinToolInputs } from "../src/protocol/mod.ts";`,
    `/** An object of the CLI whose fields are not described here. */
// deno-lint-ignore no-explicit-any -- programs read fields of it by the official declarations
export type Undescribed = { [field: string]: any };`,
    `/** The input of any tool. */\nexport type ToolInputSchemas =\n${
      union("Input")
    };`,
    `/** What any tool gives back. */\nexport type ToolOutputSchemas =\n${
      union("Output")
    };`,
    ...types("Input", "is called with"),
    ...types("Output", "gives back"),
  ].join("\n\n") + "\n";
}
