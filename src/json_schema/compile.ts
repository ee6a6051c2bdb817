import { cut, isObject } from "../errors/text.ts";
import {
  arrayRules,
  combinedRules,
  objectRules,
  restRule,
} from "./applicators.ts";
import {
  accept,
  acceptAll,
  every,
  type Fact,
  MOST_PROBLEMS,
  type Path,
  refuse,
  type Rule,
  type SchemaNode,
  valueRules,
} from "./rule.ts";

/** One thing that is wrong with a value. */
export interface SchemaProblem {
  /** Where: `user.tags[0]`; empty for the value itself. */
  readonly path: string;
  /** What: `expected number, got string`. */
  readonly message: string;
}

/** Tells what is wrong with a value; `undefined` when nothing is. */
export type SchemaCheck = (
  value: unknown,
) => readonly SchemaProblem[] | undefined;

/**
 * Makes a check of a JSON Schema, of drafts 4 to 2020-12.
 *
 * Compiled once into plain functions, without code generation. A check must not refuse what fits because it does not
 * know a word: `format`, vocabularies and references that lead out of the document accept everything.
 */
export function compileSchema(schema: unknown): SchemaCheck {
  const rule = compile(schema);
  return (value) => {
    const facts: Fact[] = [];
    try {
      if (rule(value)) return undefined;
      rule(value, { facts, path: undefined });
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      facts.splice(0, Infinity, TOO_DEEP);
    }
    return facts.slice(0, MOST_PROBLEMS).map((fact) => ({
      path: showPath(keysOf(fact.path)),
      message: textOf(fact),
    }));
  };
}

/** The check of a JSON Schema: tells what is wrong with a value, `undefined` when nothing is. */
export function jsonCheckOf(
  schema: unknown,
): (value: unknown) => string | undefined {
  const check = compileSchema(schema);
  return (value) => {
    const problems = check(value);
    return problems && showProblems(problems);
  };
}

/** Problems as one text, which a model may get to read. */
export function showProblems(problems: readonly SchemaProblem[]): string {
  const texts = problems.map(({ path, message }) =>
    path === "" ? message : `${path}: ${message}`
  );
  return cut(texts.join("; "), MOST_TEXT);
}

/** Keys as one text: `user.tags[0]`. */
export function showPath(keys: readonly PropertyKey[]): string {
  return keys.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    return text === "" ? String(key) : `${text}.${String(key)}`;
  }, "");
}

/** A message to a model needs no more. */
const MOST_TEXT = 2_000;

/** Error text for an exhausted call stack. */
const TOO_DEEP: Fact = { path: undefined, message: "is nested too deeply" };

/** Makes the rule of a document, one of each node that is reached. */
function compile(root: unknown): Rule {
  const document = readDocument(root);
  const rules = new Map<SchemaNode, Rule>();
  return ruleOf(root);

  function ruleOf(schema: unknown): Rule {
    if (schema === false) return refuse;
    if (!isObject(schema)) return accept;
    const known = rules.get(schema);
    if (known !== undefined) return known;
    // It is asked for while it is being made where it leads back to itself.
    rules.set(schema, recursive(() => rule));
    const rule = makeRule(schema);
    rules.set(schema, rule);
    return rule;
  }

  function makeRule(schema: SchemaNode): Rule {
    const references = document.targetsOf(schema)
      // The members that a schema out of reach evaluates are unknown.
      .map((target) => target === undefined ? acceptAll : ruleOf(target));
    if (document.hasLoneRefs && references.length > 0) return every(references);
    const rules = [
      ...valueRules(schema),
      ...objectRules(schema, ruleOf),
      ...arrayRules(schema, ruleOf),
      ...combinedRules(schema, ruleOf),
      ...references,
    ];
    return restRule(schema, every(rules), ruleOf);
  }
}

/** A rule that leads back to itself; where it comes to the same value without an end, it holds. */
function recursive(made: () => Rule): Rule {
  const open = new Set<unknown>();
  return (value, report, seen) => {
    if (open.has(value)) return true;
    open.add(value);
    try {
      return made()(value, report, seen);
    } finally {
      open.delete(value);
    }
  };
}

function textOf({ message, expected = [], got }: Fact): string {
  if (message !== undefined) return message;
  const list = expected.length > 2
    ? `one of ${expected.join(", ")}`
    : expected.join(" or ");
  return `expected ${list}, got ${got}`;
}

function keysOf(path: Path | undefined): readonly (string | number)[] {
  const keys: (string | number)[] = [];
  for (let at = path; at !== undefined; at = at.parent) keys.unshift(at.key);
  return keys;
}

/** A schema with an address of its own, and what is named in it. */
interface Resource {
  /** Its node; the whole document where no `$id` says otherwise. */
  readonly root: unknown;
  /** Base of the references inside it. */
  readonly address: string;
  /** Nodes by anchor. */
  readonly anchors: Map<string, SchemaNode>;
}

/** Words under which a schema stands, a list of them, or schemas by name. */
export const PLACES: ReadonlySet<string> = new Set([
  "additionalItems",
  "additionalProperties",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
  "allOf",
  "anyOf",
  "oneOf",
  "prefixItems",
]);
const MAPS: ReadonlySet<string> = new Set([
  "$defs",
  "definitions",
  "dependencies",
  "dependentSchemas",
  "patternProperties",
  "properties",
]);

/** Address of a document that declares none. */
const NOWHERE = "https://schema.invalid/";

/** Reads what is named in a document, and whether its draft has `$ref` stand alone, as 7 and older do. */
function readDocument(root: unknown): {
  readonly hasLoneRefs: boolean;
  /** Targets of the references of a node; `undefined` for one outside the document, or that differs by the way to it. */
  readonly targetsOf: (node: SchemaNode) => readonly unknown[];
} {
  const homes = new Map<SchemaNode, Resource>();
  const resources = new Map<string, Resource>();
  const hasLoneRefs = isObject(root) &&
    /\bdraft-0[3-7]\b/.test(String(root.$schema));
  const outermost: Resource = {
    root,
    address: NOWHERE,
    anchors: new Map(),
  };
  /** Number of schemas per name for `$dynamicRef`. */
  const dynamic = new Map<string, number>();
  walk(root, outermost);

  function walk(node: unknown, outer: Resource): void {
    if (!isObject(node) || homes.has(node)) return;
    const { $id, id, $anchor, $dynamicAnchor, $ref } = node;
    const name = hasLoneRefs && $ref !== undefined ? undefined : $id ?? id;
    const [address, fragment] = typeof name === "string" ? split(name) : [];
    let home = outer;
    if (address) {
      home = {
        root: node,
        address: resolve(address, outer.address),
        anchors: new Map(),
      };
      resources.set(home.address, home);
    }
    homes.set(node, home);
    for (const anchor of [fragment, $anchor, $dynamicAnchor]) {
      if (typeof anchor === "string") home.anchors.set(anchor, node);
    }
    if (typeof $dynamicAnchor === "string") {
      dynamic.set($dynamicAnchor, (dynamic.get($dynamicAnchor) ?? 0) + 1);
    }
    for (const [word, part] of Object.entries(node)) {
      if (PLACES.has(word)) {
        for (const one of Array.isArray(part) ? part : [part]) walk(one, home);
      } else if (MAPS.has(word) && isObject(part)) {
        for (const one of Object.values(part)) walk(one, home);
      }
    }
  }

  function targetsOf(node: SchemaNode): readonly unknown[] {
    const { $ref, $dynamicRef } = node;
    const home = homes.get(node) ?? outermost;
    const targets: unknown[] = [];
    if (typeof $ref === "string") targets.push(find($ref, home));
    if (typeof $dynamicRef === "string") {
      const [, name = ""] = split($dynamicRef);
      const isOne = (dynamic.get(name) ?? 0) <= 1;
      targets.push(isOne ? find($dynamicRef, home) : undefined);
    }
    return targets;
  }

  /** Target of a reference; `undefined` outside the document. */
  function find(reference: string, home: Resource): unknown {
    const [address, fragment = ""] = split(reference);
    const resource = address === ""
      ? home
      : resources.get(resolve(address, home.address));
    if (resource === undefined) return undefined;
    if (fragment === "") return resource.root;
    if (!fragment.startsWith("/")) return resource.anchors.get(fragment);
    const node = follow(fragment, resource.root);
    // A reference may lead to where no schema is looked for.
    walk(node, resource);
    return node;
  }

  return { hasLoneRefs, targetsOf };
}

/** The parts before and behind the `#`. */
function split(
  reference: string,
): readonly [address: string, fragment?: string] {
  const at = reference.indexOf("#");
  return at === -1
    ? [reference]
    : [reference.slice(0, at), decode(reference.slice(at + 1))];
}

function resolve(address: string, base: string): string {
  try {
    return new URL(address, base).href;
  } catch {
    // A name that is no address still names.
    return address;
  }
}

function follow(pointer: string, root: unknown): unknown {
  let node = root;
  for (const part of pointer.slice(1).split("/")) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (
      typeof node !== "object" || node === null || !Object.hasOwn(node, key)
    ) {
      return undefined;
    }
    node = (node as SchemaNode)[key];
  }
  return node;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // It was not encoded.
    return text;
  }
}
