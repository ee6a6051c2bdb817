import { isObject } from "../errors/is_object.ts";
import { cut } from "../errors/text.ts";
import { combinedRules } from "./combine.ts";
import { readDocument, type Resource, split } from "./document.ts";
import { arrayRules, objectRules } from "./containers.ts";
import {
  accept,
  acceptAll,
  type Compile,
  every,
  type Fact,
  MOST_PROBLEMS,
  type Path,
  refuse,
  type Rule,
  type SchemaNode,
} from "./rule.ts";
import { valueRules } from "./scalar.ts";
import { restRule } from "./unevaluated.ts";

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

/** What is said when the call stack is used up. */
const TOO_DEEP: Fact = { path: undefined, message: "is nested too deeply" };

/** What the names of `$dynamicRef` mean, by the outermost resource that has them. */
type Scope = ReadonlyMap<string, SchemaNode>;

/** Makes the rule of a document: of each node one for each scope in which it is reached. */
function compile(root: unknown): Rule {
  const document = readDocument(root);
  const scopeOf = remember<Scope, Resource, Scope>();
  const ruleIn = remember<Scope, SchemaNode, Rule>();
  return ruleOf(root, new Map());

  function ruleOf(schema: unknown, outer: Scope): Rule {
    if (schema === false) return refuse;
    if (!isObject(schema)) return accept;
    const scope = enter(document.homeOf(schema), outer);
    return ruleIn(scope, schema, () => makeRule(schema, scope), recursive);
  }

  function enter(home: Resource, outer: Scope): Scope {
    const { dynamicAnchors } = home;
    if (dynamicAnchors.size === 0) return outer;
    if ([...dynamicAnchors.keys()].every((name) => outer.has(name))) {
      return outer;
    }
    return scopeOf(outer, home, () => new Map([...dynamicAnchors, ...outer]));
  }

  function makeRule(schema: SchemaNode, scope: Scope): Rule {
    const compile: Compile = (part) => ruleOf(part, scope);
    const references = targetsOf(schema, scope)
      // Nobody knows what a schema out of reach looks at.
      .map((target) => target === undefined ? acceptAll : compile(target));
    if (document.hasLoneRefs && references.length > 0) return every(references);
    const rules = [
      ...valueRules(schema),
      ...objectRules(schema, compile),
      ...arrayRules(schema, compile),
      ...combinedRules(schema, compile),
      ...references,
    ];
    return restRule(schema, every(rules), compile);
  }

  /** What the references of a node mean; `undefined` for one that leads out of the document. */
  function targetsOf(schema: SchemaNode, scope: Scope): readonly unknown[] {
    const { $ref, $dynamicRef } = schema;
    const home = document.homeOf(schema);
    const targets: unknown[] = [];
    if (typeof $ref === "string") targets.push(document.find($ref, home));
    if (typeof $dynamicRef === "string") {
      const target = document.find($dynamicRef, home);
      const [, name = ""] = split($dynamicRef);
      const isDynamic = isObject(target) && target.$dynamicAnchor === name;
      targets.push(isDynamic ? scope.get(name) : target);
    }
    return targets;
  }
}

/** Makes one thing for each pair of keys; what is asked for while it is being made may get something in its place. */
function remember<A, B, T>(): (
  a: A,
  b: B,
  make: () => T,
  whileMade?: (made: () => T) => T,
) => T {
  const known = new Map<A, Map<B, T>>();
  return (a, b, make, whileMade) => {
    const ofA = known.get(a) ?? new Map<B, T>();
    known.set(a, ofA);
    const before = ofA.get(b);
    if (before !== undefined) return before;
    if (whileMade !== undefined) ofA.set(b, whileMade(() => made));
    const made = make();
    ofA.set(b, made);
    return made;
  };
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
