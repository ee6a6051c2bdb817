/** The shapes of the protocol by name, checked: what the makers of types, tables and schema read. */
import type { Protocol } from "../../protocol/mod.ts";
import { EXTENDS, PART_OF } from "../../protocol/words.ts";

/** One node of a description: JSON Schema, and symbols that only generators read. */
export interface Node {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: string | boolean;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Node[];
  readonly items?: Node;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Node;
  readonly description?: string;
  readonly not?: Node;
  readonly "x-published"?: false;
  readonly "x-since"?: string;
  readonly "x-until"?: string;
  readonly "x-source"?: string;
  readonly "x-known"?: string;
  readonly "x-made-here"?: true;
  readonly [EXTENDS]?: readonly string[];
  readonly [PART_OF]?: {
    readonly name: string;
    readonly required: readonly string[];
  };
}

/** A shape with a name. */
export interface Shape {
  readonly name: string;
  /** Name of its topic. */
  readonly topic: string;
  /** Source of the description. */
  readonly source: string;
  readonly node: Node;
}

/** All shapes by name. */
export type Shapes = ReadonlyMap<string, Shape>;

/** A field of an object, its own or another shape's. */
export interface Property {
  readonly node: Node;
  readonly isRequired: boolean;
}

/** Reads a description; throws an error that lists everything that is wrong with it. */
export function readShapes(protocol: Protocol): Shapes {
  const shapes = new Map<string, Shape>();
  const problems: string[] = [];
  for (const { name: topic, source, shapes: fields } of protocol.topics) {
    for (const [name, schema] of Object.entries(fields)) {
      const node: Node = schema;
      const other = shapes.get(name);
      if (other !== undefined) {
        problems.push(
          `${topic}: ${name} is described in ${other.topic} as well`,
        );
      }
      shapes.set(name, {
        name,
        topic,
        source: node["x-source"] ?? source,
        node,
      });
    }
  }
  for (const { name, topic, node } of shapes.values()) {
    if (!node.description) {
      problems.push(`${topic}: ${name} has no description`);
    }
    problems.push(
      ...problemsOf(node, shapes).map((text) => `${topic}: ${name}${text}`),
    );
  }
  for (const { subtype, request, reply } of protocol.controls) {
    for (const name of [request, reply]) {
      if (name !== null && !shapes.has(name)) {
        problems.push(`control ${subtype}: there is no shape ${name}`);
      }
    }
  }
  if (problems.length > 0) {
    throw new Error(`The description is not sound:\n${problems.join("\n")}`);
  }
  return shapes;
}

/** Faults below a node, each with its path. */
function problemsOf(node: Node, shapes: Shapes): readonly string[] {
  const problems: string[] = [];
  const named = [
    node.$ref,
    node[PART_OF]?.name,
    node["x-known"]?.slice("#/$defs/".length),
    ...node[EXTENDS] ?? [],
  ];
  for (const name of named) {
    if (name !== undefined && !shapes.has(name)) {
      problems.push(` names ${name}, which is not described`);
    }
  }
  for (const [key, field] of Object.entries(node.properties ?? {})) {
    if (!field.description) problems.push(`.${key} has no description`);
    problems.push(
      ...problemsOf(field, shapes).map((text) => `.${key}${text}`),
    );
  }
  for (
    const child of [
      ...node.anyOf ?? [],
      ...[node.items, node.additionalProperties].filter((one) =>
        one !== undefined
      ),
    ]
  ) problems.push(...problemsOf(child, shapes));
  return problems;
}

/** The shape of a name that is known to be there. */
export function shapeOf(shapes: Shapes, name: string): Shape {
  const shape = shapes.get(name);
  if (shape === undefined) throw new Error(`There is no shape ${name}`);
  return shape;
}

/** A node with references followed. */
export function resolved(shapes: Shapes, node: Node): Node {
  return node.$ref === undefined
    ? node
    : resolved(shapes, shapeOf(shapes, node.$ref).node);
}

/** The fields of an object, those of the shapes it extends first; the later one of a name counts. */
export function propertiesOf(
  shapes: Shapes,
  node: Node,
): ReadonlyMap<string, Property> {
  const all = new Map<string, Property>();
  for (const name of node[EXTENDS] ?? []) {
    for (
      const [key, one] of propertiesOf(shapes, shapeOf(shapes, name).node)
    ) all.set(key, one);
  }
  for (const [key, field] of Object.entries(node.properties ?? {})) {
    all.set(key, {
      node: field,
      isRequired: node.required?.includes(key) ?? false,
    });
  }
  return all;
}

/** The names of the shapes of a union, those of unions within it in their place. */
export function membersOf(shapes: Shapes, name: string): readonly string[] {
  const { anyOf } = shapeOf(shapes, name).node;
  return anyOf === undefined
    ? [name]
    : anyOf.flatMap(({ $ref }) =>
      $ref === undefined ? [] : membersOf(shapes, $ref)
    );
}

/** The words that a node takes, where it takes nothing else. */
export function wordsOf(
  shapes: Shapes,
  node: Node | undefined,
): readonly string[] {
  if (node === undefined) return [];
  const { const: word, enum: words } = resolved(shapes, node);
  return words ?? (typeof word === "string" ? [word] : []);
}
