import { isObject } from "../errors/is_object.ts";
import type { SchemaNode } from "./rule.ts";

/** A schema with an address of its own, and what is named in it. */
export interface Resource {
  /** Its node; the whole document where no `$id` says otherwise. */
  readonly root: unknown;
  /** What references inside it are relative to. */
  readonly address: string;
  /** Nodes by anchor. */
  readonly anchors: Map<string, SchemaNode>;
  /** Those that `$dynamicRef` may lead to from outside. */
  readonly dynamicAnchors: Map<string, SchemaNode>;
}

/** A document whose names are known. */
export interface SchemaDocument {
  /** Whether its draft has `$ref` stand alone: 7 and older. */
  readonly hasLoneRefs: boolean;
  /** The resource that a node belongs to. */
  homeOf(node: SchemaNode): Resource;
  /** What a reference means; `undefined` when it leads out of the document. */
  find(reference: string, home: Resource): unknown;
}

/** Words under which a schema stands, a list of them, or schemas by name. */
const PLACES: ReadonlySet<string> = new Set([
  ...["additionalItems", "additionalProperties", "contains", "else", "if"],
  ...["items", "not", "propertyNames", "then", "unevaluatedItems"],
  ...["unevaluatedProperties", "allOf", "anyOf", "oneOf", "prefixItems"],
]);
const MAPS: ReadonlySet<string> = new Set([
  ...["$defs", "definitions", "dependencies", "dependentSchemas"],
  ...["patternProperties", "properties"],
]);

/** Where a document lives that does not say. */
const NOWHERE = "https://schema.invalid/";

export function readDocument(root: unknown): SchemaDocument {
  const homes = new Map<SchemaNode, Resource>();
  const resources = new Map<string, Resource>();
  const hasLoneRefs = isObject(root) &&
    /\bdraft-0[3-7]\b/.test(String(root.$schema));
  const outermost = resourceOf(root, NOWHERE);
  walk(root, outermost);

  function walk(node: unknown, outer: Resource): void {
    if (!isObject(node) || homes.has(node)) return;
    const { $id, id, $anchor, $dynamicAnchor, $ref } = node;
    const name = hasLoneRefs && $ref !== undefined ? undefined : $id ?? id;
    const [address, fragment] = typeof name === "string" ? split(name) : [];
    let home = outer;
    if (address) {
      home = resourceOf(node, resolve(address, outer.address));
      resources.set(home.address, home);
    }
    homes.set(node, home);
    for (const anchor of [fragment, $anchor, $dynamicAnchor]) {
      if (typeof anchor === "string") home.anchors.set(anchor, node);
    }
    if (typeof $dynamicAnchor === "string") {
      home.dynamicAnchors.set($dynamicAnchor, node);
    }
    for (const [word, part] of Object.entries(node)) {
      if (PLACES.has(word)) {
        for (const one of Array.isArray(part) ? part : [part]) walk(one, home);
      } else if (MAPS.has(word) && isObject(part)) {
        for (const one of Object.values(part)) walk(one, home);
      }
    }
  }

  function homeOf(node: SchemaNode): Resource {
    return homes.get(node) ?? outermost;
  }

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

  return { hasLoneRefs, homeOf, find };
}

function resourceOf(root: unknown, address: string): Resource {
  return {
    root,
    address,
    anchors: new Map(),
    dynamicAnchors: new Map(),
  };
}

/** The parts before and behind the `#`. */
export function split(
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
    if (typeof node !== "object" || node === null) return undefined;
    if (!Object.hasOwn(node, key)) return undefined;
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
