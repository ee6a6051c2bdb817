/** Makes data of the description that the code walks: the tables of the parser, lists of words, the forms of answers. */
import type { Protocol } from "../../protocol/mod.ts";
import { UNCHECKED } from "../../protocol/words.ts";
import {
  membersOf,
  type Node,
  propertiesOf,
  resolved,
  shapeOf,
  type Shapes,
  wordsOf,
} from "./shapes.ts";

/** Fields that must be there, with their types. */
type Row = readonly (readonly [name: string, type: string])[];

/** Rows by kind. */
type Table = readonly (readonly [kind: string, row: Row])[];

/** Fields that stand last in a row, as they say less than the rest. */
const IDENTITY: ReadonlySet<string> = new Set(["uuid", "session_id"]);

/** Discriminators, which the lookup of the row has checked. */
const DISCRIMINATORS: ReadonlySet<string> = new Set([
  "type",
  "subtype",
  "isReplay",
]);

/** The source of the tables that the parser walks. */
export function tablesOf(shapes: Shapes): string {
  const kinds = new Map<string, string[]>();
  for (const name of membersOf(shapes, "Message")) {
    const { node } = shapeOf(shapes, name);
    if (node["x-made-here"]) continue;
    const [type = ""] = wordsOf(
      shapes,
      propertiesOf(shapes, node).get("type")?.node,
    );
    kinds.set(type, [...kinds.get(type) ?? [], name]);
  }
  const [user = "", replay = ""] = kinds.get("user") ?? [];
  const bySubtype = (type: string): Table =>
    (kinds.get(type) ?? []).flatMap((name) => {
      const fields = propertiesOf(shapes, shapeOf(shapes, name).node);
      return wordsOf(shapes, fields.get("subtype")?.node).map((subtype) =>
        [subtype, rowOf(shapes, name)] as const
      );
    });
  const blocks = membersOf(shapes, "ContentBlock").flatMap((name) => {
    const { node } = shapeOf(shapes, name);
    const [type = ""] = wordsOf(shapes, node.properties?.type);
    return node["x-made-here"] ? [] : [[type, name] as const];
  });
  const results = bySubtype("result");
  const ofAll = sharedRow(results);
  return [
    "/** The type of a field. */",
    `export type FieldType = ${
      FIELD_TYPES.map((one) => `"${one}"`).join(" | ")
    };`,
    "",
    "/** A field and the type it must have. */",
    "export type Field = readonly [name: string, type: FieldType];",
    "",
    "/** Required fields of each kind of message, by `type`; `system` and `result` also depend on their `subtype`. */",
    tableSource(
      "KINDS",
      [...kinds].map(([type, names]) => {
        if (type === "system") return [type, [["subtype", "string"]]];
        if (type === "result") return [type, [["subtype", "string"], ...ofAll]];
        return [
          type,
          rowOf(shapes, names.length === 1 ? names[0] ?? "" : user),
        ];
      }),
    ),
    "",
    "/** A user line that is an echo: unlike the others it must say who it is. */",
    `export const REPLAY: readonly Field[] = ${
      JSON.stringify(rowOf(shapes, replay))
    };`,
    "",
    "/** Further required fields of a result, by `subtype`; an unlisted one stays a result. */",
    tableSource(
      "RESULT_KINDS",
      results.map(([subtype, row]) => [
        subtype,
        row.filter(([name]) => !ofAll.some(([other]) => other === name)),
      ]),
    ),
    "",
    "/** Required fields of each system message, by `subtype`; an unlisted one is unknown. */",
    tableSource("SYSTEM_KINDS", bySubtype("system")),
    "",
    "/** Required fields of each known content block, by `type`; any other block is unknown. */",
    tableSource(
      "BLOCKS",
      blocks.map(([type, name]) => [type, rowOf(shapes, name)]),
    ),
    "",
    "/** The fields of each known content block in the order in which the API writes them, by `type`. */",
    `export const BLOCK_FIELDS: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>(${
      JSON.stringify(
        blocks.map(([type, name]) => [
          type,
          [...propertiesOf(shapes, shapeOf(shapes, name).node).keys()],
        ]),
      )
    });`,
    "",
  ].join("\n");
}

/** The source of the lists of words. */
export function valuesOf(protocol: Protocol, shapes: Shapes): string {
  const names = Object.entries(protocol.values);
  const lists = names.map(([list, name]) => {
    const { node } = shapeOf(shapes, name);
    const words = JSON.stringify(wordsOf(shapes, node));
    return `/** ${node.description}. */\nexport const ${list}: readonly ${name}[] = Object.freeze<${name}[]>(${words});\n`;
  });
  const imports = names.map(([, name]) =>
    `import type { ${name} } from "./${shapeOf(shapes, name).topic}.ts";`
  );
  const called = protocol.hooks.flatMap(({ event, called }) =>
    called === undefined ? [] : [[event, called]]
  );
  const blockable = protocol.hooks.flatMap(({ event, blocks }) =>
    blocks ? [event] : []
  );
  return [
    ...imports,
    "",
    ...lists,
    `/** Events of hooks that \`decision: "block"\` stops. */
export const BLOCKABLE_HOOKS: readonly HookEvent[] = ${
      JSON.stringify(blockable)
    };
`,
    `/** When the CLI calls hooks of events that it mostly keeps to itself in a session without a terminal. */
export const RARE_HOOKS: Readonly<Partial<Record<HookEvent, string>>> = ${
      JSON.stringify(Object.fromEntries(called))
    };
`,
  ].join("\n");
}

const FIELD_TYPES: readonly string[] = [
  "string",
  "number",
  "boolean",
  "object",
  "array",
  "string or array",
  "string or null",
  "number or null",
  "object or null",
];

/** Required fields of a message or a block; kinds seen on the wire only need no identity. */
function rowOf(shapes: Shapes, name: string): Row {
  const { node } = shapeOf(shapes, name);
  if (UNCHECKED in node) return [];
  const rows = [...propertiesOf(shapes, node)].flatMap(
    ([key, { node: field, isRequired }]) => {
      if (!isRequired || DISCRIMINATORS.has(key)) return [];
      const type = fieldType(shapes, field, `${name}.${key}`);
      return type === undefined ? [] : [[key, type] as const];
    },
  );
  return [
    ...rows.filter(([key]) => !IDENTITY.has(key)),
    ...node["x-published"] === false
      ? []
      : rows.filter(([key]) => IDENTITY.has(key)),
  ];
}

/** The fields that stand in every row. */
function sharedRow([first, ...others]: Table): Row {
  return first?.[1].filter(([name]) =>
    others.every(([, row]) => row.some(([other]) => other === name))
  ) ?? [];
}

/** The type of a field in a word; undefined when anything will do. */
function fieldType(
  shapes: Shapes,
  node: Node,
  where: string,
): string | undefined {
  const types = new Set(typesIn(shapes, node));
  if (types.size === 0) return undefined;
  const type = FIELD_TYPES.find((one) => {
    const parts = one.split(" or ");
    return parts.length === types.size &&
      parts.every((part) => types.has(part));
  });
  if (type === undefined) {
    throw new Error(
      `${where} is ${[...types].join(" or ")}: the parser knows no such type`,
    );
  }
  return type;
}

function typesIn(shapes: Shapes, node: Node): readonly string[] {
  const { anyOf, enum: words, type } = resolved(shapes, node);
  if (anyOf !== undefined) return anyOf.flatMap((one) => typesIn(shapes, one));
  if (words !== undefined) return ["string"];
  return type === undefined ? [] : [type];
}

function tableSource(
  name: string,
  table: readonly (readonly [string, Row])[],
): string {
  return `export const ${name}: ReadonlyMap<string, readonly Field[]> = new Map<string, readonly Field[]>(${
    JSON.stringify(table)
  });`;
}

/** The source of what a host may answer: callbacks are held to it. */
export function answersOf(protocol: Protocol, shapes: Shapes): string {
  const form = (name: string) => answerOf(shapes, shapeOf(shapes, name).node);
  const entries = (names: readonly (readonly [string, string])[]) =>
    JSON.stringify(
      Object.fromEntries(names.map(([key, name]) => [key, form(name)])),
    );
  return `import type { HookEvent } from "./hooks.ts";

/** JSON Schema of an answer, which has no fields but those described; members of an \`anyOf\` are distinguished by their first field. */
export interface Answer {
  /** Kind of value. */
  readonly type?: string;
  /** Words. */
  readonly enum?: readonly unknown[];
  /** Alternatives. */
  readonly anyOf?: readonly Answer[];
  /** Items of a list. */
  readonly items?: Answer;
  /** Fields by name. */
  readonly properties?: Readonly<Record<string, Answer>>;
  /** Fields that must be there. */
  readonly required?: readonly string[];
}

/** Answers of hosts. */
export const ANSWERS: Readonly<Record<${
    protocol.answers.map((name) => JSON.stringify(name)).join(" | ")
  }, Answer>> = ${entries(protocol.answers.map((name) => [name, name]))};

/** Output of hooks that belongs to one event. */
export const HOOK_ANSWERS: Readonly<Record<HookEvent, Answer>> = ${
    entries(protocol.hooks.map(({ event }) => [event, `${event}HookOutput`]))
  };
`;
}

function answerOf(shapes: Shapes, node: Node): object {
  const whole = resolved(shapes, node);
  const { type, anyOf, items, properties, const: word } = whole;
  const words = whole.enum ?? (word === undefined ? undefined : [word]);
  const fields = [...propertiesOf(shapes, whole)];
  return {
    ...words === undefined ? { type } : { enum: words },
    ...anyOf && { anyOf: anyOf.map((one) => answerOf(shapes, one)) },
    ...items && { items: answerOf(shapes, items) },
    ...properties && {
      properties: Object.fromEntries(
        fields.map(([key, one]) => [key, answerOf(shapes, one.node)]),
      ),
      required: fields.filter(([, { isRequired }]) => isRequired)
        .map(([key]) => key),
    },
  };
}
