/** Vocabulary of the protocol's description: TypeBox, with a sentence for each shape and field. */
import { type TObject, type TSchema, Type } from "@sinclair/typebox";

/** Further facts about a shape or a field. */
export interface Facts {
  /** False when it is seen on the wire and not in the published types. */
  readonly published?: false;
  /** The first version of the CLI that has it. */
  readonly since?: string;
  /** The last version of the CLI that has it. */
  readonly until?: string;
}

/** Further facts about a named shape. */
export interface ShapeFacts extends Facts {
  /** Section of the protocol reference; that of its topic. */
  readonly source?: string;
  /** Names of the shapes whose fields it has as well. */
  readonly extends?: readonly string[];
  /** The host writes it: optional fields may be `undefined`. */
  readonly given?: true;
  /** The parser looks at no field but the discriminator. */
  readonly unchecked?: true;
  /** This package makes it from unknown input; the CLI never writes it. */
  readonly made?: true;
  /** Description of undescribed fields; they read as `unknown`. */
  readonly rest?: string;
}

/** Fields of a shape, by name. */
export type Fields = Readonly<Record<string, TSchema>>;

/** Shapes that belong together, by name; a file of generated types. */
export interface Topic {
  /** Name of the file. */
  readonly name: string;
  /** Source of the description. */
  readonly source: string;
  /** The shapes. */
  readonly shapes: Fields;
}

/** TypeScript name of a type that JSON Schema cannot distinguish; generator only. */
export const TYPE_NAME: unique symbol = Symbol("name of the type");
/** Names of the shapes that a shape extends; generator only. */
export const EXTENDS: unique symbol = Symbol("shapes that it extends");
/** That the host writes the shape; generator only. */
export const GIVEN: unique symbol = Symbol("given by the host");
/** That the parser looks at no field of the shape; generator only. */
export const UNCHECKED: unique symbol = Symbol("fields not checked");
/** Description of further fields; generator only. */
export const REST: unique symbol = Symbol("further fields");
/** That all fields of the shape behind a reference are optional but these; generator only. */
export const PART_OF: unique symbol = Symbol("part of a shape");

/** Shapes that belong together. */
export function topic(name: string, section: string, shapes: Fields): Topic {
  return { name, source: sourceOf(section), shapes };
}

/** Text. */
export function text(about?: string): TSchema {
  return Type.String(told(about));
}

/** A number. */
export function number(about?: string): TSchema {
  return Type.Number(told(about));
}

/** A truth value. */
export function flag(about?: string): TSchema {
  return Type.Boolean(told(about));
}

/** A JSON object whose keys are not described. */
export function object(about?: string): TSchema {
  return named("JsonObject", { type: "object", ...told(about) });
}

/** A JSON object that the host makes; an interface or an instance too. */
export function objectGiven(about?: string): TSchema {
  return named("JsonInput", { type: "object", ...told(about) });
}

/** Any JSON value. */
export function anything(about?: string): TSchema {
  return named("JsonValue", { ...told(about) });
}

/** Any JSON value that the host makes. */
export function anythingGiven(about?: string): TSchema {
  return named("JsonValue | JsonInput", { ...told(about) });
}

/** A value of any kind, for user fields that no code reads. */
export function unknown(about?: string): TSchema {
  return named("unknown", { ...told(about) });
}

/** Must be absent. */
export function nothing(about?: string): TSchema {
  return named("undefined", { not: {}, ...told(about) });
}

/** One value. */
export function literal(value: string | boolean, about?: string): TSchema {
  return Type.Literal(value, told(about));
}

/** The value that distinguishes a shape from its neighbours. */
export function tag(value: string, about: string = "Discriminator"): TSchema {
  return literal(value, about);
}

/** One of these words. */
export function oneOf(values: readonly string[], about?: string): TSchema {
  return Type.Unsafe({ enum: values, ...told(about) });
}

/** Words known by the name of their shape, and any other. */
export function openText(known: string, about?: string): TSchema {
  return named(`${known} | (string & Record<never, never>)`, {
    type: "string",
    "x-known": `#/$defs/${known}`,
    ...told(about),
  });
}

/** A list. */
export function list(item: TSchema, about?: string): TSchema {
  return Type.Array(item, told(about));
}

/** An object with values of one kind under any key. */
export function byName(value: TSchema, about?: string): TSchema {
  return Type.Unsafe({
    type: "object",
    additionalProperties: value,
    ...told(about),
  });
}

/** A shape by its name. */
export function ref(name: string, about?: string): TSchema {
  return Type.Ref(name, told(about));
}

/** A shape of a union by its name; only its `type` is checked, because newer kinds may stand beside it. */
export function openRef(name: string): TSchema {
  return named(name, {
    type: "object",
    required: ["type"],
    properties: { type: text("Kind of what this is") },
    "x-known": `#/$defs/${name}`,
  });
}

/** One of several. */
export function union(members: readonly TSchema[], about?: string): TSchema {
  return Type.Unsafe({ anyOf: members, ...told(about) });
}

/** The same or null. */
export function orNull({ description, ...schema }: TSchema): TSchema {
  const members = Array.isArray(schema.anyOf)
    ? schema.anyOf
    : [schema as TSchema];
  return union([...members, Type.Null()], description);
}

/** May be absent. */
export function maybe(schema: TSchema): TSchema {
  return Type.Optional(schema);
}

/** May be absent, and is seen on the wire only. */
export function seen(schema: TSchema): TSchema {
  return maybe(known(schema, { published: false }));
}

/** The same with further facts about it. */
export function known<S extends TSchema>(schema: S, facts: ShapeFacts): S {
  return {
    ...schema,
    ...keywords(facts),
    ...facts.source !== undefined && { "x-source": sourceOf(facts.source) },
    ...facts.extends !== undefined && { [EXTENDS]: facts.extends },
    ...facts.given !== undefined && { [GIVEN]: true },
    ...facts.unchecked !== undefined && { [UNCHECKED]: true },
    ...facts.made !== undefined && { "x-made-here": true },
    ...facts.rest !== undefined && { [REST]: facts.rest },
  };
}

/** An object with a sentence about it. */
export function shape(
  about: string,
  fields: Fields,
  facts: ShapeFacts = {},
): TObject {
  return known(Type.Object(fields, told(about)), facts);
}

/** An object within another: a member of a union or of a list. */
export function part(fields: Fields, base?: string): TObject {
  return Object.assign(
    Type.Object(fields),
    base !== undefined && { [EXTENDS]: [base] },
  );
}

/** A shape by its name, of which only some fields are required. */
export function partOf(
  name: string,
  required: readonly string[],
  about?: string,
): TSchema {
  const names = required.map((one) => JSON.stringify(one)).join(" | ");
  return {
    ...named(`Pick<${name}, ${names}> & Partial<${name}>`, told(about)),
    [PART_OF]: { name, required },
  };
}

/** Sender of a control request. */
export type Direction = "host-to-cli" | "cli-to-host" | "both";

/** Description of a control request. */
interface Request {
  /** Its shape without the subtype. */
  readonly shape: TObject;
  readonly reply: Reply;
  readonly more: RequestFacts;
}

/** The answer to a request: the name of its shape, or the shape itself; null when it has no fields or is not known. */
type Reply = string | TObject | null;

interface RequestFacts extends ShapeFacts, Method {
  /** Name of its shape, where the subtype does not make a good one. */
  readonly name?: string;
  /** Whether the other side may send it too. */
  readonly ofBoth?: boolean;
  /** In `docs/controls.md`: its handler, or the reason it has no method. */
  readonly note?: string;
}

/** The method of a conversation that sends a request; omitted members follow from the request. */
export interface Method {
  /** Its name. */
  readonly method?: string;
  /** Its section in `docs/controls.md`. */
  readonly group?: string;
  /** Its parameters, "?" behind optional ones: names of fields, or names with types; the required fields. */
  readonly parameters?: readonly string[] | Readonly<Record<string, string>>;
  /** Its options beside timeout and signal, by name: sentence and type; the optional fields. */
  readonly options?: Readonly<Record<string, readonly [string, string]>>;
  /** A sentence about them all. */
  readonly aboutOptions?: string;
  /** Values of some request fields, as code; the parameter or option of the same name. */
  readonly fields?: Readonly<Record<string, string>>;
}

/** A control request by its subtype. */
export interface Control {
  readonly direction: Direction;
  readonly subtype: string;
  /** Name of the request's shape. */
  readonly request: string;
  /** Name of the reply's shape; null when it has no fields or is unknown. */
  readonly reply: string | null;
  readonly more: RequestFacts;
}

/** A control request: its fields and its reply. */
export function request(
  about: string,
  fields: Fields = {},
  reply: Reply = null,
  more: RequestFacts = {},
): Request {
  return { shape: shape(about, fields, more), reply, more };
}

/** The same for one that is seen on the wire only. */
export function seenRequest(
  about: string,
  fields: Fields = {},
  reply: Reply = null,
  more: RequestFacts = {},
): Request {
  return request(about, fields, reply, { ...more, published: false });
}

/** Control requests of one side by subtype: as a list, their shapes, and those of their replies. */
export function controls(
  direction: Direction,
  requests: Readonly<Record<string, Request>>,
): {
  readonly index: readonly Control[];
  readonly shapes: Fields;
  readonly replies: Fields;
} {
  const shapes: Record<string, TSchema> = {};
  const replies: Record<string, TSchema> = {};
  const index = Object.entries(requests).map(([subtype, one]) => {
    const { more } = one;
    const request = more.name ?? `${pascalCase(subtype)}Request`;
    const { properties, description, ...rest } = one.shape;
    const fields = { subtype: tag(subtype), ...properties };
    shapes[request] = {
      ...rest,
      ...Type.Object(fields, told(description)),
      ...direction === "host-to-cli" && { [GIVEN]: true },
    } as TSchema;
    let { reply } = one;
    if (typeof reply === "object" && reply !== null) {
      replies[`${pascalCase(subtype)}Reply`] = reply;
      reply = `${pascalCase(subtype)}Reply`;
    }
    const from = more.ofBoth ? "both" : direction;
    return { direction: from, subtype, request, reply, more };
  });
  return { index, shapes, replies };
}

/** The section of the reference in full. */
export function sourceOf(section: string): string {
  if (section.startsWith("published types")) return section;
  const word = section.includes(" and ") ? "sections" : "section";
  return `protocol reference, ${word} ${section}`;
}

export function pascalCase(name: string): string {
  return name.split("_").map((word) =>
    word.charAt(0).toUpperCase() + word.slice(1)
  ).join("");
}

function told(about: string | undefined): { description?: string } {
  return about === undefined ? {} : { description: about };
}

function named(
  type: string,
  schema: Readonly<Record<string, unknown>>,
): TSchema {
  return { ...Type.Unsafe(schema), [TYPE_NAME]: type };
}

function keywords({ published, since, until }: Facts): Record<string, unknown> {
  return {
    ...published !== undefined && { "x-published": published },
    ...since !== undefined && { "x-since": since },
    ...until !== undefined && { "x-until": until },
  };
}
