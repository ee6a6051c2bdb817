/**
 * A shape in a form that says nothing of the language it was written in, and how two of them differ. Type declarations are
 * read by `official.ts`, schemas here.
 */

/** What a value may be; a union without its brackets. */
export interface Shape {
  /** Says that nothing is said: `unknown`, or a type of another package. */
  readonly isAnything: boolean;
  /** `string`, `number`, `boolean`, `null`, or a literal as JSON; true for what is published. */
  readonly scalars: ReadonlyMap<string, boolean>;
  /** What an array holds, if it may be one. */
  readonly items?: () => Shape;
  /** The objects it may be. */
  readonly objects: readonly ObjectShape[];
}

/** One kind of object. Its fields are read late: shapes hold themselves. */
export interface ObjectShape {
  /** Name where it has one, and else where it stands: in a schema the JSON pointer below `$defs`. One for each object of a side. */
  readonly id: string;
  readonly isPublished: boolean;
  readonly fields: () => ReadonlyMap<string, Field>;
  /** What the fields hold that are not named, where names are free. */
  readonly others?: () => Shape;
}

/** One field of an object. */
export interface Field {
  readonly isOptional: boolean;
  readonly isPublished: boolean;
  readonly shape: () => Shape;
}

/** A difference between the description and something else. */
export interface Difference {
  /** `new`: there, not described; `gone`: described as published, not there; `changed`: both, and not the same. */
  readonly change: "new" | "gone" | "changed";
  /** Where: a topic, a kind, and the path of fields from there. */
  readonly path: string;
  /** What, in words. */
  readonly what: string;
}

export const ANYTHING: Shape = {
  isAnything: true,
  scalars: new Map(),
  objects: [],
};

const BASES: readonly string[] = ["string", "number", "boolean", "null"];

/** What is computed once, when it is asked for. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** The union of shapes. */
export function unionOf(shapes: readonly Shape[]): Shape {
  if (shapes.length === 1 && shapes[0] !== undefined) return shapes[0];
  const scalars = new Map<string, boolean>();
  for (const shape of shapes) {
    for (const [name, isPublished] of shape.scalars) {
      scalars.set(name, isPublished || scalars.get(name) === true);
    }
  }
  // A declaration spells `boolean` as its two values.
  if (scalars.has("true") && scalars.has("false")) {
    scalars.set("boolean", scalars.get("true") === true);
    scalars.delete("true");
    scalars.delete("false");
  }
  const items = shapes.flatMap((shape) => shape.items ?? []);
  const objects = new Set(shapes.flatMap((shape) => shape.objects));
  return {
    isAnything: shapes.some((shape) => shape.isAnything),
    scalars,
    objects: [...objects],
    ...items.length > 0 &&
      { items: once(() => unionOf(items.map((one) => one()))) },
  };
}

/** Objects told apart by nothing, as one: what one of them lacks is optional. */
function mergedObject(objects: readonly ObjectShape[]): ObjectShape {
  const [first] = objects;
  if (objects.length === 1 && first !== undefined) return first;
  const others = objects.flatMap((one) => one.others ?? []);
  return {
    id: objects.map(({ id }) => id).sort().join("|"),
    isPublished: objects.some(({ isPublished }) => isPublished),
    fields: once(() => {
      const names = new Set(objects.flatMap((one) => [...one.fields().keys()]));
      return new Map(Array.from(names, (name): [string, Field] => {
        const found = objects.flatMap((one) => one.fields().get(name) ?? []);
        return [name, {
          isOptional: found.length < objects.length ||
            found.some(({ isOptional }) => isOptional),
          isPublished: found.some(({ isPublished }) => isPublished),
          shape: once(() => unionOf(found.map(({ shape }) => shape()))),
        }];
      }));
    }),
    ...others.length > 0 &&
      { others: once(() => unionOf(others.map((one) => one()))) },
  };
}

/** What `allOf` and `&` make of objects: the fields of all. */
export function joinedObject(
  id: string,
  objects: readonly ObjectShape[],
): ObjectShape {
  const others = objects.flatMap((one) => one.others ?? []);
  return {
    id,
    isPublished: objects.every(({ isPublished }) => isPublished),
    fields: once(() => new Map(objects.flatMap((one) => [...one.fields()]))),
    ...others[0] !== undefined && { others: others[0] },
  };
}

/** A node of a JSON Schema. */
export type SchemaNode = boolean | { readonly [keyword: string]: unknown };

/** Reads shapes from a schema document; `$ref` leads to its `$defs` alone. */
export function schemaReader(
  document: { readonly $defs?: Readonly<Record<string, SchemaNode>> },
): (name: string) => Shape {
  const known = new Map<SchemaNode, Shape>();
  const named = (name: string): Shape => {
    const node = document.$defs?.[name];
    if (node === undefined) throw new Error(`No $defs/${name} in the schema`);
    return read(node, name);
  };
  const read = (node: SchemaNode, id: string): Shape => {
    if (typeof node === "boolean") return ANYTHING;
    const before = known.get(node);
    if (before !== undefined) return before;
    const shape = readNode(node, id);
    known.set(node, shape);
    return shape;
  };
  const readNode = (
    node: { readonly [keyword: string]: unknown },
    id: string,
  ): Shape => {
    const isPublished = node["x-published"] !== false;
    const parts: Shape[] = [];
    if (typeof node["$ref"] === "string") {
      parts.push(named(nameOf(node["$ref"])));
    }
    for (const word of ["anyOf", "oneOf"]) {
      const choices = node[word] as readonly SchemaNode[] | undefined;
      if (choices === undefined) continue;
      parts.push(
        unionOf(
          choices.map((choice, at) => read(choice, `${id}/${word}/${at}`)),
        ),
      );
    }
    for (
      const [at, part] of (node["allOf"] as SchemaNode[] ?? []).entries()
    ) parts.push(read(part, `${id}/allOf/${at}`));
    const own = ownShape(node, id, read);
    if (own !== undefined) parts.push(own);
    if (parts.length === 0) return ANYTHING;
    const shape = intersectionOf(parts, id);
    return isPublished ? shape : unpublished(shape);
  };
  return named;
}

function nameOf(ref: string): string {
  const name = /^(?:.*#)?\/\$defs\/(.+)$/.exec(ref)?.[1];
  if (name === undefined) throw new Error(`Not a reference to $defs: ${ref}`);
  return decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~");
}

/** A name within a JSON pointer. */
function pointed(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** What a node says without its references and choices. */
function ownShape(
  node: { readonly [keyword: string]: unknown },
  id: string,
  read: (node: SchemaNode, id: string) => Shape,
): Shape | undefined {
  const { type, properties, items } = node;
  const literals = "const" in node
    ? [node["const"]]
    : node["enum"] as readonly unknown[] | undefined;
  if (literals !== undefined) {
    return scalarShape(literals.map((value) => JSON.stringify(value)));
  }
  const types = type === undefined
    ? properties === undefined && node["required"] === undefined
      ? []
      : ["object"]
    : [type].flat() as unknown[] as readonly string[];
  if (types.length === 0) return undefined;
  const own = unionOf(types.map((one): Shape => {
    if (one === "object") {
      return { ...scalarShape([]), objects: [objectOf(node, id, read)] };
    }
    if (one === "array") {
      const tuple = node["prefixItems"] as readonly SchemaNode[] | undefined;
      const held = [...tuple ?? [], ...items === undefined ? [] : [items]];
      return {
        ...scalarShape([]),
        items: once(() =>
          held.length === 0 ? ANYTHING : unionOf(
            held.map((item) => read(item as SchemaNode, `${id}/items`)),
          )
        ),
      };
    }
    return scalarShape([one === "integer" ? "number" : one]);
  }));
  const known = node["x-known"];
  if (typeof known !== "string") return own;
  // Beside what is known there may be any other of its type, which nobody publishes.
  const objects = own.objects.map((one) => ({ ...one, isPublished: false }));
  return unionOf([{ ...own, objects }, read({ $ref: known }, id)]);
}

function objectOf(
  node: { readonly [keyword: string]: unknown },
  id: string,
  read: (node: SchemaNode, id: string) => Shape,
): ObjectShape {
  const properties = (node["properties"] ?? {}) as Readonly<
    Record<string, SchemaNode>
  >;
  const required = new Set(node["required"] as readonly string[] ?? []);
  const patterns = Object.values(
    (node["patternProperties"] ?? {}) as Readonly<Record<string, SchemaNode>>,
  );
  const rest = node["additionalProperties"] as SchemaNode | undefined;
  const free = typeof rest === "object" ? [...patterns, rest] : patterns;
  // An object without a word about its fields may have any.
  const isOpen = free.length === 0 && Object.keys(properties).length === 0;
  return {
    id,
    isPublished: node["x-published"] !== false,
    fields: once(() =>
      new Map(
        Object.entries(properties).filter(([, field]) => !isNever(field))
          .map(([name, field]) => [name, {
            isOptional: !required.has(name),
            isPublished: typeof field === "boolean" ||
              field["x-published"] !== false,
            shape: once(() => read(field, `${id}/properties/${pointed(name)}`)),
          }]),
      )
    ),
    ...isOpen && { others: () => ANYTHING },
    ...free.length > 0 && {
      others: once(() =>
        unionOf(free.map((one) => read(one, `${id}/additionalProperties`)))
      ),
    },
  };
}

/** A field that must not be there. */
function isNever(field: SchemaNode): boolean {
  return typeof field === "boolean" ? !field : isEmpty(field["not"]);
}

function isEmpty(node: unknown): boolean {
  return typeof node === "object" && node !== null &&
    Object.keys(node).length === 0;
}

/** A shape of words alone. */
export function scalarShape(names: readonly string[]): Shape {
  const scalars = new Map(names.map((name) => [name, true]));
  return { isAnything: false, scalars, objects: [] };
}

/** Parts that hold at once: of objects the fields of all, of anything else what the last says. */
function intersectionOf(parts: readonly Shape[], id: string): Shape {
  const telling = parts.filter(({ isAnything }) => !isAnything);
  const [first, ...rest] = telling;
  if (first === undefined) return ANYTHING;
  return rest.reduce((joined, part): Shape => {
    if (joined.objects.length === 0 || part.objects.length === 0) return part;
    return {
      ...part,
      objects: joined.objects.flatMap((left) =>
        part.objects.map((right) => joinedObject(id, [left, right]))
      ),
    };
  }, first);
}

function unpublished(shape: Shape): Shape {
  return {
    ...shape,
    scalars: new Map(Array.from(shape.scalars, ([name]) => [name, false])),
    objects: shape.objects.map((one) => ({ ...one, isPublished: false })),
  };
}

/** The differences of two shapes; what was compared once on the way is not compared again. */
export function compareShapes(
  theirs: Shape,
  ours: Shape,
  path: string,
  seen: Set<string> = new Set(),
): readonly Difference[] {
  if (theirs.isAnything) return [];
  if (ours.isAnything) {
    return [{
      change: "changed",
      path,
      what: `${spell(theirs)} is described as anything`,
    }];
  }
  return [
    ...compareScalars(theirs, ours, path),
    ...compareItems(theirs, ours, path, seen),
    ...compareObjects(theirs.objects, ours.objects, path, seen),
  ];
}

function compareScalars(
  { scalars: theirs }: Shape,
  { scalars: ours }: Shape,
  path: string,
): readonly Difference[] {
  const listed = new Set(
    [...ours.keys()].filter((name) => !BASES.includes(name)).map(baseOf),
  );
  const isSeenOnly = ![...ours.values()].includes(true);
  const members: string[] = [];
  const others: string[] = [];
  const loose: string[] = [];
  const seen: string[] = [];
  for (const name of theirs.keys()) {
    const base = baseOf(name);
    if (ours.get(name) === true) continue;
    if (ours.has(name)) {
      // Where all of it was only seen, the field says so.
      if (!isSeenOnly) seen.push(name);
    } else if (base !== name && listed.has(base)) members.push(name);
    else if (base !== name && ours.has(base)) loose.push(name);
    else others.push(name);
  }
  const bases = new Set(Array.from(theirs.keys(), baseOf));
  const gone = [...ours].filter(([name, isPublished]) =>
    isPublished && !theirs.has(name) && !theirs.has(baseOf(name)) &&
    // The base beside its literals says that more of them may come.
    !(BASES.includes(name) && bases.has(name))
  ).map(([name]) => name);
  const told: readonly (readonly [string, readonly string[]])[] = [
    ["has new members", members],
    ["may be", others],
    ["is one of words that are not described:", loose],
    ["is published and described as seen only:", seen],
    ["is never", gone],
  ];
  return told.flatMap(([what, names]): readonly Difference[] =>
    names.length === 0
      ? []
      : [{ change: "changed", path, what: `${what} ${names.join(" | ")}` }]
  );
}

/** The kind of scalar of a literal; a base is its own. */
function baseOf(name: string): string {
  if (BASES.includes(name)) return name;
  return typeof JSON.parse(name);
}

function compareItems(
  theirs: Shape,
  ours: Shape,
  path: string,
  seen: Set<string>,
): readonly Difference[] {
  if (theirs.items !== undefined && ours.items !== undefined) {
    return compareShapes(theirs.items(), ours.items(), `${path}[]`, seen);
  }
  if (theirs.items !== undefined) {
    return [{ change: "changed", path, what: "may be an array" }];
  }
  if (ours.items !== undefined) {
    return [{ change: "changed", path, what: "is never an array" }];
  }
  return [];
}

/** Compares objects with what stands for the same: told by fields that are literals on both sides. */
export function compareObjects(
  theirs: readonly ObjectShape[],
  ours: readonly ObjectShape[],
  path: string,
  seen: Set<string>,
): readonly Difference[] {
  if (ours.length > 0 && ours.every(isBare)) {
    return theirs.every(isBare)
      ? []
      : [{ change: "changed", path, what: "is described as any object" }];
  }
  const differences: Difference[] = [];
  for (const group of matched(theirs, ours)) {
    const label = theirs.length + ours.length > 2
      ? `${path} ${labelOf([...group.theirs, ...group.ours])}`.trim()
      : path;
    if (group.theirs.length === 0) {
      if (!mergedObject(group.ours).isPublished) continue;
      differences.push({ change: "gone", path: label, what: "object" });
    } else if (group.ours.length === 0) {
      differences.push({ change: "new", path: label, what: "object" });
    } else {
      const [left, right] = [
        mergedObject(group.theirs),
        mergedObject(group.ours),
      ];
      const key = `${left.id} ~ ${right.id}`;
      if (seen.has(key)) continue;
      seen.add(key);
      differences.push(...compareObject(left, right, label, seen));
    }
  }
  return differences;
}

/** Whether an object may hold anything under any name. */
function isBare({ fields, others }: ObjectShape): boolean {
  return fields().size === 0 && others?.().isAnything === true;
}

function compareObject(
  theirs: ObjectShape,
  ours: ObjectShape,
  path: string,
  seen: Set<string>,
): readonly Difference[] {
  const differences: Difference[] = [];
  const say = (change: Difference["change"], path: string, what: string) =>
    differences.push({ change, path, what });
  if (!ours.isPublished) {
    say("changed", path, "is published, described as seen only");
  }
  for (const [name, field] of theirs.fields()) {
    const at = `${path}.${name}`;
    const own = ours.fields().get(name);
    if (own === undefined) {
      if (ours.others === undefined) {
        say(
          "new",
          at,
          `${field.isOptional ? "optional" : "required"}: ${
            spell(field.shape())
          }`,
        );
      } else {
        differences.push(
          ...compareShapes(field.shape(), ours.others(), at, seen),
        );
      }
      continue;
    }
    if (!own.isPublished) {
      say("changed", at, "is published, described as seen only");
    }
    if (field.isOptional !== own.isOptional) {
      say(
        "changed",
        at,
        field.isOptional
          ? "is optional, described as required"
          : "is required, described as optional",
      );
    }
    differences.push(...compareShapes(field.shape(), own.shape(), at, seen));
  }
  for (const [name, own] of ours.fields()) {
    if (!own.isPublished || theirs.fields().has(name)) continue;
    const at = `${path}.${name}`;
    if (theirs.others === undefined) say("gone", at, "field");
    else {differences.push(
        ...compareShapes(theirs.others(), own.shape(), at, seen),
      );}
  }
  if (theirs.others !== undefined && ours.others !== undefined) {
    differences.push(
      ...compareShapes(theirs.others(), ours.others(), `${path}{}`, seen),
    );
  }
  return differences;
}

interface Group {
  readonly theirs: readonly ObjectShape[];
  readonly ours: readonly ObjectShape[];
}

/** Puts together what is the same object; several of one side where the other has one for all of them. */
function matched(
  theirs: readonly ObjectShape[],
  ours: readonly ObjectShape[],
): readonly Group[] {
  if (theirs.length === 1 && ours.length === 1) return [{ theirs, ours }];
  const pairs: (readonly [ObjectShape, ObjectShape])[] = [];
  for (const one of theirs) {
    for (const best of bestOf(one, ours)) pairs.push([one, best]);
  }
  for (const one of ours) {
    for (const best of bestOf(one, theirs)) {
      // What another claims already needs no second partner, unless it is left over.
      if (!pairs.some(([, own]) => own === one)) pairs.push([best, one]);
    }
  }
  const groups: { theirs: Set<ObjectShape>; ours: Set<ObjectShape> }[] = [];
  for (const [left, right] of pairs) {
    const joined = groups.filter((group) =>
      group.theirs.has(left) || group.ours.has(right)
    );
    const group = {
      theirs: new Set([left, ...joined.flatMap((one) => [...one.theirs])]),
      ours: new Set([right, ...joined.flatMap((one) => [...one.ours])]),
    };
    for (const one of joined) groups.splice(groups.indexOf(one), 1);
    groups.push(group);
  }
  const alone = theirs.filter((one) =>
    !groups.some((group) => group.theirs.has(one))
  );
  const left = ours.filter((one) =>
    !groups.some((group) => group.ours.has(one))
  );
  const isUntold = (one: ObjectShape) => tagsOf(one).size === 0;
  const [untold, rest] = [alone.filter(isUntold), left.filter(isUntold)];
  return [
    ...groups.map((group) => ({
      theirs: [...group.theirs],
      ours: [...group.ours],
    })),
    ...untold.length + rest.length > 0 ? [{ theirs: untold, ours: rest }] : [],
    ...alone.filter((one) => !isUntold(one)).map((one) => ({
      theirs: [one],
      ours: [],
    })),
    ...left.filter((one) => !isUntold(one)).map((one) => ({
      theirs: [],
      ours: [one],
    })),
  ];
}

/** Those that agree with an object in the most fields that tell objects apart, and differ from it in none. */
function bestOf(
  one: ObjectShape,
  choices: readonly ObjectShape[],
): readonly ObjectShape[] {
  const tags = tagsOf(one);
  let best: ObjectShape[] = [];
  let most = 0;
  for (const choice of choices) {
    const others = tagsOf(choice);
    let score = 0;
    for (const [name, values] of tags) {
      const found = others.get(name);
      // A tag that the other lacks weighs less than one that agrees.
      if (found === undefined) score -= 0.25;
      else if (values.some((value) => found.includes(value))) score += 1;
      else score = -Infinity;
    }
    for (const name of others.keys()) if (!tags.has(name)) score -= 0.25;
    if (score > most) [best, most] = [[choice], score];
    else if (score === most && score > 0) best.push(choice);
  }
  return best;
}

/** The words by which an object is told from others. */
const TELLING: readonly string[] = [
  "type",
  "subtype",
  "isReplay",
  "hook_event_name",
  "hookEventName",
  "behavior",
  "kind",
];

/** Whether a value may be an object, by the words that tell them apart. */
export function canBe(
  object: ObjectShape,
  value: Readonly<Record<string, unknown>>,
): boolean {
  const fields = object.fields();
  for (const [name, literals] of tagsOf(object)) {
    if (!TELLING.includes(name)) continue;
    const isOptional = fields.get(name)?.isOptional === true;
    if (value[name] === undefined && isOptional) continue;
    if (!literals.includes(JSON.stringify(value[name]))) return false;
  }
  return true;
}

/** The fields that tell an object from others, with the literals that they hold: those of these names, or else all that must be there. */
function tagsOf(object: ObjectShape): ReadonlyMap<string, readonly string[]> {
  const tags = new Map<string, readonly string[]>();
  const fields = [...object.fields()];
  const telling = fields.filter(([name]) => TELLING.includes(name));
  const required = fields.filter(([, { isOptional }]) => !isOptional);
  for (const [name, { shape }] of [...telling, ...required]) {
    if (tags.size > 0 && !TELLING.includes(name)) break;
    const { isAnything, scalars, items, objects } = shape();
    const values = [...scalars.keys()];
    if (isAnything || items !== undefined || objects.length > 0) continue;
    if (values.length > 0 && values.every((value) => /^["t]/.test(value))) {
      tags.set(name, values);
    }
  }
  return tags;
}

function labelOf(objects: readonly ObjectShape[]): string {
  const words = TELLING.flatMap((name) => {
    const values = new Set(
      objects.flatMap((one) => tagsOf(one).get(name) ?? []),
    );
    const [first, second] = Array.from(
      values,
      (value) => String(JSON.parse(value)),
    );
    if (first === undefined) return [];
    if (first === "true") return [name];
    return [second === undefined ? first : `${first}+`];
  });
  if (words.length > 0) return words.join("/");
  const id = objects[0]?.id ?? "";
  // A name tells, a place does not.
  return /^[A-Za-z]+$/.test(id) ? id : "";
}

/** A shape in few words. */
export function spell(shape: Shape): string {
  const parts = [
    ...shape.isAnything ? ["anything"] : [],
    ...shape.scalars.keys(),
    ...shape.items === undefined ? [] : ["array"],
    ...shape.objects.length > 0 ? ["object"] : [],
  ];
  return parts.length > 6
    ? `${parts.slice(0, 6).join(" | ")} | ...`
    : parts.join(" | ");
}
