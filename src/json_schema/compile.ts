import { isObject } from "../errors/is_object.ts";
import { arrayRules } from "./array.ts";
import { combinedRules } from "./combine.ts";
import { objectRules } from "./object.ts";
import {
  accept,
  every,
  type Fact,
  type Path,
  refuse,
  type Rule,
  type SchemaNode,
} from "./rule.ts";
import { scalarRules } from "./scalar.ts";
import { valueRules } from "./value.ts";

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

/** A longer list helps nobody. */
const MOST_PROBLEMS = 20;

/**
 * Makes a check of a JSON Schema, of drafts 4 to 2020-12.
 *
 * Compiled once into plain functions, without code generation. A check must not refuse what fits because it does not
 * know a word: `format`, `unevaluated...` and references that lead out of the document accept everything.
 */
export function compileSchema(schema: unknown): SchemaCheck {
  const rule = new Compiler(schema).rule(schema);
  return (value) => {
    const facts: Fact[] = [];
    try {
      if (rule(value)) return undefined;
      rule(value, { facts, path: undefined });
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      facts.splice(0, Infinity, TOO_DEEP);
    }
    return facts.slice(0, MOST_PROBLEMS).map(({ path, message }) => ({
      path: showPath(path),
      message,
    }));
  };
}

/** A list of problems as one text. */
export function showProblems(problems: readonly SchemaProblem[]): string {
  return problems
    .map(({ path, message }) => path === "" ? message : `${path}: ${message}`)
    .join("; ");
}

/** What is said when the call stack is used up. */
const TOO_DEEP: Fact = { path: undefined, message: "is nested too deeply" };

/** A rule that leads back to itself; where it comes to the same value without an end, it refuses nothing. */
function recursive(rule: () => Rule): Rule {
  const open = new Set<unknown>();
  return (value, report) => {
    if (open.has(value)) return true;
    open.add(value);
    try {
      return rule()(value, report);
    } finally {
      open.delete(value);
    }
  };
}

/** Turns the nodes of one document into rules, each once. */
class Compiler {
  readonly #root: unknown;
  readonly #rules = new Map<SchemaNode, Rule>();
  #named: Map<string, SchemaNode> | undefined;

  constructor(root: unknown) {
    this.#root = root;
  }

  readonly rule = (schema: unknown): Rule => {
    if (schema === false) return refuse;
    if (!isObject(schema)) return accept;
    const known = this.#rules.get(schema);
    if (known !== undefined) return known;
    // A node that leads back to itself finds this rule while its own is being made.
    let made: Rule = accept;
    this.#rules.set(schema, recursive(() => made));
    made = every(this.#rulesOf(schema));
    this.#rules.set(schema, made);
    return made;
  };

  #rulesOf(schema: SchemaNode): readonly Rule[] {
    return [
      ...valueRules(schema),
      ...scalarRules(schema),
      ...objectRules(schema, this.rule),
      ...arrayRules(schema, this.rule),
      ...combinedRules(schema, this.rule),
      ...[schema.$ref, schema.$dynamicRef]
        .filter((one) => typeof one === "string")
        .map((reference) => this.rule(this.#resolve(reference))),
    ];
  }

  /** What a reference means; `undefined`, which accepts everything, when it leads out of the document. */
  #resolve(reference: string): unknown {
    if (!reference.startsWith("#/")) {
      return reference === "#" ? this.#root : this.#nameOf(reference);
    }
    let node: unknown = this.#root;
    for (const part of reference.slice(2).split("/")) {
      const key = readPointer(part);
      if (typeof node !== "object" || node === null) return undefined;
      if (!Object.hasOwn(node, key)) return undefined;
      node = (node as SchemaNode)[key];
    }
    return node;
  }

  #nameOf(reference: string): SchemaNode | undefined {
    if (this.#named === undefined) {
      this.#named = new Map();
      collectNames(this.#root, this.#named);
    }
    return this.#named.get(reference);
  }
}

/** Nodes by the names that they give themselves. */
function collectNames(node: unknown, named: Map<string, SchemaNode>): void {
  if (typeof node !== "object" || node === null) return;
  if (isObject(node)) {
    const { $id, id, $anchor, $dynamicAnchor } = node;
    for (const name of [$id, id]) {
      if (typeof name === "string") named.set(name, node);
    }
    for (const name of [$anchor, $dynamicAnchor]) {
      if (typeof name === "string") named.set(`#${name}`, node);
    }
  }
  for (const child of Object.values(node)) collectNames(child, named);
}

function readPointer(part: string): string {
  let text = part;
  try {
    text = decodeURIComponent(part);
  } catch {
    // It was not encoded.
  }
  return text.replaceAll("~1", "/").replaceAll("~0", "~");
}

function showPath(path: Path | undefined): string {
  const keys: (string | number)[] = [];
  for (let at = path; at !== undefined; at = at.parent) keys.unshift(at.key);
  return keys.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    return text === "" ? key : `${text}.${key}`;
  }, "");
}
