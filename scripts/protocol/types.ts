/** Makes TypeScript of the description: a file for each topic, and the shapes by the names of the official package. */
import type { Protocol } from "../../protocol/mod.ts";
import type { Topic } from "../../protocol/words.ts";
import { EXTENDS, GIVEN, REST, TYPE_NAME } from "../../protocol/words.ts";
import { type Node, shapeOf, type Shapes } from "./shapes.ts";

/** Types that are not of the protocol. */
const JSON_TYPES: ReadonlySet<string> = new Set([
  "JsonInput",
  "JsonObject",
  "JsonValue",
]);

/** Room in a comment line beside its star. */
const COMMENT_WIDTH = 117;

/** A node whose type has a name of its own, and other marks of words. */
type Marked = Node & {
  readonly [TYPE_NAME]?: string;
  readonly [GIVEN]?: true;
  readonly [REST]?: string;
};

/** The source of the types of a topic. */
export function typesOf(topic: Topic, shapes: Shapes): string {
  const names = new Set<string>();
  const declarations = Object.entries(topic.shapes).map(([name, node]) => {
    const writer = new Writer(Boolean((node as Marked)[GIVEN]), names);
    return writer.declaration(name, node);
  });
  return [importsOf(topic, names, shapes), ...declarations].join("\n\n") + "\n";
}

/** The comment of a shape or a field. */
export function commentOf(node: Node): string {
  const notes = [
    ...node["x-published"] === false ? ["wire only"] : [],
    ...node["x-since"] === undefined ? [] : [`since ${node["x-since"]}`],
    ...node["x-until"] === undefined ? [] : [`until ${node["x-until"]}`],
  ];
  const paragraphs = (node.description ?? "").split("\n\n");
  const first = [paragraphs.shift(), ...notes].join("; ");
  // Sections of the reference of this repository say nothing to users.
  const isPublished = node["x-source"]?.startsWith("published types");
  const rest = isPublished
    ? [...paragraphs, `Source: ${node["x-source"]}`]
    : paragraphs;
  const all = [first, ...rest].map((one) =>
    /[.!?]$/.test(one) ? one : `${one}.`
  );
  if (all.length === 1 && !all.join("").includes("\n")) {
    return `/** ${all.join("")} */`;
  }
  const lines = all.flatMap((one, index) => [
    ...index === 0 ? [] : [""],
    ...wrapped(one),
  ]);
  return ["/**", ...lines.map((line) => ` * ${line}`.trimEnd()), " */"]
    .join("\n");
}

/** The type of a field that the host gives. */
export function typeOf(node: Node): string {
  return new Writer(true, new Set()).type(node);
}

/** Writes the types of one shape. */
class Writer {
  readonly #isGiven: boolean;
  /** Every name that is used. */
  readonly #names: Set<string>;

  constructor(isGiven: boolean, names: Set<string>) {
    this.#isGiven = isGiven;
    this.#names = names;
  }

  declaration(name: string, node: Marked): string {
    const comment = commentOf(node);
    if (node.properties === undefined || TYPE_NAME in node) {
      return `${comment}\nexport type ${name} = ${this.type(node)};`;
    }
    const bases = node[EXTENDS] ?? [];
    for (const base of bases) this.#names.add(base);
    const heritage = bases.length === 0 ? "" : ` extends ${bases.join(", ")}`;
    return `${comment}\nexport interface ${name}${heritage} {${
      this.#fields(node)
    }}`;
  }

  #fields(node: Marked): string {
    const fields = Object.entries(node.properties ?? {}).map(
      ([key, field]) => {
        const isOptional = !node.required?.includes(key);
        const name = /^[A-Za-z_]\w*$/.test(key) ? key : JSON.stringify(key);
        const undefinable = isOptional && this.#isGiven ? " | undefined" : "";
        return `\n${commentOf(field)}\nreadonly ${name}${
          isOptional ? "?" : ""
        }: ${this.type(field)}${undefinable};`;
      },
    );
    const rest = node[REST];
    if (rest !== undefined) {
      fields.push(`\n/** ${rest}. */\nreadonly [field: string]: unknown;`);
    }
    return `${fields.join("")}\n`;
  }

  type(node: Marked): string {
    if (node[TYPE_NAME] !== undefined) {
      for (const [name] of node[TYPE_NAME].matchAll(/\b[A-Z]\w+/g)) {
        this.#names.add(name);
      }
      return node[TYPE_NAME];
    }
    if (node.$ref !== undefined) {
      this.#names.add(node.$ref);
      return node.$ref;
    }
    if (node.const !== undefined) return JSON.stringify(node.const);
    if (node.enum !== undefined) {
      return node.enum.map((one) => JSON.stringify(one)).join(" | ");
    }
    if (node.anyOf !== undefined) {
      return node.anyOf.map((one) => this.type(one)).join(" | ");
    }
    switch (node.type) {
      case "array":
        return this.#list(node.items ?? {});
      case "object":
        return this.#object(node);
      case "string":
      case "number":
      case "boolean":
      case "null":
        return node.type;
      default:
        throw new Error(`No type for ${JSON.stringify(node)}`);
    }
  }

  #list(items: Node): string {
    const item = this.type(items);
    return /^\w+$/.test(item) ? `readonly ${item}[]` : `readonly (${item})[]`;
  }

  #object(node: Marked): string {
    if (node.additionalProperties !== undefined) {
      return `Readonly<Record<string, ${
        this.type(node.additionalProperties)
      }>>`;
    }
    const bases = node[EXTENDS] ?? [];
    for (const base of bases) this.#names.add(base);
    return [...bases, `{${this.#fields(node)}}`].join(" & ");
  }
}

function importsOf(
  topic: Topic,
  names: ReadonlySet<string>,
  shapes: Shapes,
): string {
  const files = new Map<string, string[]>();
  for (const name of [...names].sort()) {
    if (Object.hasOwn(topic.shapes, name)) continue;
    const file = JSON_TYPES.has(name)
      ? "../types/json.ts"
      : shapes.has(name)
      ? `./${shapeOf(shapes, name).topic}.ts`
      : undefined;
    // Types of the language.
    if (file === undefined) continue;
    files.set(file, [...files.get(file) ?? [], name]);
  }
  return [...files].sort().map(([file, used]) =>
    `import type { ${used.join(", ")} } from "${file}";`
  ).join("\n");
}

/** A text in lines of natural length. */
function wrapped(text: string): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length >= COMMENT_WIDTH) {
      lines.push(word);
    } else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** The source of the types by their official names, as the declarations there have them. */
export function officialOf(protocol: Protocol, shapes: Shapes): string {
  const names = Object.entries(officialNames(protocol));
  const topics = new Set<string>();
  const types = names.sort(([a], [b]) => a < b ? -1 : 1).map(([name, own]) => {
    const { topic, node } = shapeOf(shapes, own);
    topics.add(topic);
    return `${
      commentOf(node)
    }\nexport type ${name} = Mutable<${topic}.${own}>;`;
  });
  const imports = [...topics].sort().map((topic) =>
    `import type * as ${topic} from "../../protocol/${topic}.ts";`
  );
  return [
    [...imports, 'import type { Mutable } from "../mutable.ts";'].join(
      "\n",
    ),
    ...types,
  ].join("\n\n") + "\n";
}

/** Names of shapes by the official ones; hooks are named by a rule. */
export function officialNames(
  { hooks, official }: Protocol,
): Readonly<Record<string, string>> {
  const ofHooks = Object.fromEntries(
    hooks.filter(({ official = true }) => official).flatMap((
      { event, hasOutput },
    ) => [
      [`${event}HookInput`, `${event}HookInput`],
      ...hasOutput
        ? [[`${event}HookSpecificOutput`, `${event}HookOutput`]]
        : [],
    ]),
  );
  return { ...ofHooks, ...official };
}

/** An output with its lists, so that callbacks over them have typed parameters; all else may be anything. */
function outputOf(lists: readonly string[]): string {
  if (lists.length === 0) return "Undescribed";
  const below = new Map<string, string[]>();
  for (const list of lists) {
    const [, key = "", rest = ""] = /^(\w*(?:\[\])?)\.?(.*)$/.exec(list) ?? [];
    below.set(key, [...below.get(key) ?? [], ...rest === "" ? [] : [rest]]);
  }
  const fields: string[] = [];
  for (const [key, inner] of below) {
    const isList = key.endsWith("[]");
    const name = isList ? key.slice(0, -2) : key;
    const of = outputOf(inner);
    // The type of an item is known only if it has lists itself.
    const type = isList ? `${inner.length === 0 ? "Anything" : of}[]` : of;
    if (name === "") return type;
    fields.push(`${name}: ${type};`);
  }
  return `(Undescribed & { ${fields.join(" ")} })`;
}

/** The source of the entry `./sdk-tools` of the package that stands in for the official one. */
export function toolsOf(
  { officialTools, officialLists }: Protocol,
  shapes: Shapes,
): string {
  const { properties = {} } = shapeOf(shapes, "BuiltinToolInputs").node;
  const union = (kind: string) =>
    officialTools.map((one) => `  | ${one}${kind}`).join("\n");
  const types = (kind: string) =>
    officialTools.map((one) => {
      const tool = [one, one.replace(/^File/, ""), `${one}Tool`]
        .find((name) => Object.hasOwn(properties, name));
      const type = kind === "Input" && tool !== undefined
        ? `Mutable<BuiltinToolInputs["${tool}"]>`
        : kind === "Output"
        ? outputOf(officialLists[one] ?? [])
        : "Undescribed";
      return `/** ${kind} of the tool \`${tool ?? one}\`. */
export type ${one}${kind} = ${type};`;
    });
  return [
    `/**
 * The official SDK's entry \`./sdk-tools\`: types alone. Inputs have the published fields, outputs their lists; all
 * else is any.
 *
 * @module
 */
import type { Mutable } from "../src/compat/mod.ts";
import type { BuiltinToolInputs } from "../src/protocol/mod.ts";`,
    `/** An object of the CLI whose fields are not described here. */
// deno-lint-ignore no-explicit-any -- programs read fields of it by the official declarations
export type Undescribed = { [field: string]: any };`,
    `/** A value without a description. */
// deno-lint-ignore no-explicit-any -- as above
export type Anything = any;`,
    `/** The input of any tool. */\nexport type ToolInputSchemas =\n${
      union("Input")
    };`,
    `/** The output of any tool. */\nexport type ToolOutputSchemas =\n${
      union("Output")
    };`,
    ...types("Input"),
    ...types("Output"),
  ].join("\n\n") + "\n";
}
