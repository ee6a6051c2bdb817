import { isObject } from "../errors/is_object.ts";
import { show, typeOf } from "../errors/text.ts";
import type { JsonObject } from "../types/json.ts";
import { type BlockPlace, isArray, Problem } from "./fields.ts";

/** The part of JSON Schema that the schemas of messages are made of. */
export interface PlainSchema {
  readonly type?: string;
  readonly const?: unknown;
  readonly anyOf?: readonly PlainSchema[];
  readonly properties?: Readonly<Record<string, PlainSchema>>;
  readonly patternProperties?: Readonly<Record<string, PlainSchema>>;
  readonly required?: readonly string[];
  readonly items?: PlainSchema;
}

/** One message cannot fill the list of errors. */
const MOST_PROBLEMS = 20;

/** Says in words where a message differs from its schema, one problem per field. */
export function explain(
  schema: PlainSchema,
  message: JsonObject,
): readonly Problem[] {
  return faults(schema, message, "", MOST_PROBLEMS).map(({ path, fact }) =>
    new Problem(path, fact, blockAt(path, message))
  );
}

interface Fault {
  readonly path: string;
  readonly fact: string;
}

/** The first so many faults; no part of the value behind them is looked at. */
function faults(
  schema: PlainSchema,
  value: unknown,
  path: string,
  most: number,
): readonly Fault[] {
  if (schema.anyOf !== undefined) {
    return ofUnion(schema.anyOf, value, path, most);
  }
  if (value === undefined) return [{ path, fact: "is missing" }];
  if ("const" in schema) {
    return value === schema.const ? [] : [{
      path,
      fact: mustBe(schema, value),
    }];
  }
  if (schema.type === undefined) return [];
  if (typeOf(value) !== schema.type) {
    return [{ path, fact: mustBe(schema, value) }];
  }
  if (isArray(value)) return ofList(schema.items ?? {}, value, path, most);
  return isObject(value) ? ofObject(schema, value, path, most) : [];
}

function ofList(
  items: PlainSchema,
  list: readonly unknown[],
  path: string,
  most: number,
): readonly Fault[] {
  const found: Fault[] = [];
  for (let at = 0; at < list.length && found.length < most; at++) {
    found.push(
      ...faults(items, list[at], `${path}[${at}]`, most - found.length),
    );
  }
  return found;
}

function ofObject(
  { properties = {}, patternProperties = {}, required = [] }: PlainSchema,
  value: JsonObject,
  path: string,
  most: number,
): readonly Fault[] {
  const [everyOther] = Object.values(patternProperties);
  const names = everyOther === undefined
    ? Object.keys(properties).filter((name) =>
      value[name] !== undefined || required.includes(name)
    )
    : Object.keys(value);
  const found: Fault[] = [];
  for (const name of names) {
    if (found.length >= most) break;
    found.push(
      ...faults(
        properties[name] ?? everyOther ?? {},
        value[name],
        path === "" ? name : `${path}.${name}`,
        most - found.length,
      ),
    );
  }
  return found;
}

/** A union is explained by the member that the value wants to be, or by the word that tells the members apart. */
function ofUnion(
  members: readonly PlainSchema[],
  value: unknown,
  path: string,
  most: number,
): readonly Fault[] {
  const fits = (member: PlainSchema) =>
    faults(member, value, path, 1).length === 0;
  if (members.some(fits)) return [];
  if (value === undefined) return [{ path, fact: "is missing" }];
  const wanted = members.find((member) => isWanted(member, value));
  if (wanted !== undefined) return faults(wanted, value, path, most);
  const tag = isObject(value) ? tagsOf(members[0])[0] : undefined;
  if (tag === undefined || !isObject(value)) {
    return [{ path, fact: mustBe({ anyOf: members }, value) }];
  }
  const words = members.map(({ properties }) => properties?.[tag] ?? {});
  return [{
    path: `${path}.${tag}`,
    fact: mustBe({ anyOf: words }, value[tag]),
  }];
}

function isWanted(member: PlainSchema, value: unknown): boolean {
  if (isWord(member) || member.type !== typeOf(value)) return false;
  if (!isObject(value)) return true;
  return tagsOf(member).every((tag) =>
    faults(member.properties?.[tag] ?? {}, value[tag], tag, 1).length === 0
  );
}

/** Names of the fields that hold nothing but fixed words. */
function tagsOf(
  { properties = {}, required = [] }: PlainSchema = {},
): string[] {
  return required.filter((name) => isWord(properties[name] ?? {}));
}

function isWord(schema: PlainSchema): boolean {
  return "const" in schema || schema.type === "null" ||
    (schema.anyOf?.every(isWord) ?? false);
}

function mustBe(schema: PlainSchema, value: unknown): string {
  if (value === undefined) return "is missing";
  const actual = isWord(schema) && typeof value === "string"
    ? show(value)
    : typeOf(value);
  return `must be ${[...new Set(namesOf(schema))].join(" or ")}, is ${actual}`;
}

function namesOf({ anyOf, ...schema }: PlainSchema): readonly string[] {
  if (anyOf !== undefined) return anyOf.flatMap(namesOf);
  if ("const" in schema) return [show(schema.const)];
  const { type = "anything" } = schema;
  if (type === "null") return [type];
  return [`${/^[ao]/.test(type) ? "an" : "a"} ${type}`];
}

/** The content block of the message that a path leads into. */
function blockAt(
  path: string,
  { message }: JsonObject,
): BlockPlace | undefined {
  const index = Number(/^message\.content\[(\d+)\]/.exec(path)?.[1]);
  if (!isObject(message) || !isArray(message.content)) return undefined;
  const block = message.content[index];
  if (block === undefined) return undefined;
  const type = isObject(block) ? block.type : undefined;
  return { type: typeof type === "string" ? type : undefined, index };
}
