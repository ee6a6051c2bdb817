/** Makes the parts of docs/protocol.md from the schema and the recorded runs. */
import {
  type Description,
  isPlain,
  mayAsk,
  type Plain,
  type RecordedLine,
  shapesOf,
} from "../drift/runs.ts";
import { table } from "./markdown.ts";

/** Limits for long texts and lists in examples. */
const MAX_TEXT = 60;
const MAX_ITEMS = 2;
/** Depth to which the table of a shape follows unnamed objects. */
const MAX_DEPTH = 4;

type Node = Readonly<Record<string, unknown>>;

/** An example of a line or a body, found in the recorded runs. */
type Examples = ReadonlyMap<string, Plain>;

/** The made parts of the page, by the name in their marks. */
export function pageParts(
  schema: Description,
  runs: Iterable<readonly RecordedLine[]>,
): ReadonlyMap<string, string> {
  const examples = examplesOf(schema, runs);
  const page = pageOf(schema, examples);
  return new Map([
    ["messages", page.messages()],
    ["envelopes", page.envelopes()],
    ["requests of the host", page.requests("host-to-cli")],
    ["requests of the CLI", page.requests("cli-to-host")],
    ["hooks", page.hooks()],
    ["shapes", page.shapes()],
  ]);
}

interface PageOf {
  messages(): string;
  envelopes(): string;
  requests(direction: "host-to-cli" | "cli-to-host"): string;
  hooks(): string;
  shapes(): string;
}

function pageOf(schema: Description, examples: Examples): PageOf {
  const defs = schema.$defs as Readonly<Record<string, Node>>;
  const controls = Object.entries(schema["x-controls"]);
  /** Shapes that stand where they are used, and have no section of their own. */
  const placed = new Set<string>([
    ...schema["x-messages"].map(({ def }) => def),
    ...controls.flatMap(([, { request, reply }]) => [request, reply ?? ""]),
    ...Object.values(schema["x-hooks"])
      .flatMap(({ input, output }) => [input, output ?? ""]),
    ...["StdoutLine", "StdinLine"].flatMap((name) =>
      choicesOf(defs[name]).map(nameOf)
    ),
  ]);
  const used = usedBy(defs, placed);
  const isShape = (name: string) => used.has(name) && !placed.has(name);
  const spell = (node: Node) => spellType(node, isShape);
  const fields = (node: Node) => tableOf(node, defs, spell);

  const section = (
    title: string,
    name: string,
    more: readonly string[] = [],
  ): string =>
    [
      `### ${title}`,
      "",
      aboutOf(defs[name] ?? {}),
      "",
      fields(defs[name] ?? {}),
      ...more,
    ].join("\n");

  return {
    messages: () =>
      schema["x-messages"].map(({ type, subtype, def }) => {
        const kind = subtype === undefined ? type : `${type}/${subtype}`;
        const isReplay = propertiesOf(defs[def]).some((
          [name, { const: value }],
        ) => name === "isReplay" && value === true);
        const title = `\`${kind}\`${isReplay ? ", replayed" : ""}`;
        return section(`Message ${title}`, def, example(examples.get(def)));
      }).join("\n\n"),
    envelopes: () =>
      ["StdoutLine", "StdinLine"]
        .flatMap((name) => choicesOf(defs[name]).map(nameOf))
        .filter((name, at, all) =>
          name !== "Message" && all.indexOf(name) === at
        )
        .map((name) =>
          section(`Line \`${name}\``, name, example(examples.get(name)))
        ).join("\n\n"),
    requests: (direction) => {
      const rows = controls.filter(([, entry]) => mayAsk(entry, direction));
      const full = rows.filter(([, { published, request, reply }]) =>
        published || reply !== null || propertiesOf(defs[request]).length > 1
      );
      const names = rows.filter((row) => !full.includes(row))
        .map(([subtype]) => `\`${subtype}\``);
      return [
        ...full.map(([subtype, { request, reply, published }]) =>
          section(`Request \`${subtype}\``, request, [
            ...published ? [] : ["", "Seen on the wire only."],
            ...example(examples.get(`${direction} ${request}`)),
            "",
            ...reply === null ? ["The reply has no body."] : [
              `The reply: ${lowerFirst(aboutOf(defs[reply] ?? {}))}`,
              "",
              fields(defs[reply] ?? {}),
              ...example(examples.get(`reply ${subtype}`)),
            ],
          ])
        ),
        ...names.length === 0
          ? []
          : [`Known by name only, seen in the CLI: ${names.join(", ")}.`],
      ].join("\n\n");
    },
    hooks: () =>
      Object.entries(schema["x-hooks"]).map(([event, { input, output }]) =>
        section(`Hook \`${event}\``, input, [
          ...example(examples.get(input)),
          "",
          ...output === null ? ["Its output has no `hookSpecificOutput`."] : [
            "Its `hookSpecificOutput`:",
            "",
            fields(defs[output] ?? {}),
          ],
        ])
      ).join("\n\n"),
    shapes: () =>
      [...used].filter(isShape).sort()
        .map((name) => section(name, name)).join("\n\n"),
  };
}

/** The shapes that others lead to. */
function usedBy(
  defs: Readonly<Record<string, Node>>,
  roots: ReadonlySet<string>,
): ReadonlySet<string> {
  const used = new Set<string>();
  const follow = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (key !== "$ref" && key !== "x-known") follow(inner);
      else {
        const name = nameOf({ $ref: inner });
        if (used.has(name)) continue;
        used.add(name);
        follow(defs[name]);
      }
    }
  };
  for (const name of roots) follow(defs[name]);
  return used;
}

/** The table of an object's fields; what is no object is spelled. */
function tableOf(
  node: Node,
  defs: Readonly<Record<string, Node>>,
  spell: (node: Node) => string,
): string {
  const rows = rowsOf(node, "", 0, spell);
  if (rows.length === 0) {
    const choices = choicesOf(node);
    if (choices.length > 0 && choices.every((one) => "properties" in one)) {
      return choices.map((choice) => tableOf(choice, defs, spell)).join("\n\n");
    }
    const spelled = spell(node);
    return spelled === "object"
      ? "No fields are described."
      : `One of: ${spelled}`;
  }
  const hasSince = rows.some(({ since }) => since !== "");
  const head = ["field", "type", "", ...hasSince ? ["since"] : [], "meaning"];
  return table(head, rows, ({ name, type, given, since, about }) => [
    name,
    type,
    given,
    ...hasSince ? [since] : [],
    about,
  ]);
}

interface Row {
  readonly name: string;
  readonly type: string;
  readonly given: string;
  readonly since: string;
  readonly about: string;
}

function rowsOf(
  node: Node,
  prefix: string,
  depth: number,
  spell: (node: Node) => string,
): readonly Row[] {
  const required = new Set(node["required"] as readonly string[] ?? []);
  return propertiesOf(node).flatMap(([name, field]) => {
    if ("not" in field) return [];
    const at = `${prefix}${name}`;
    const [inner, suffix] = innerObject(field);
    const row: Row = {
      name: `\`${at}\``,
      type: spell(field),
      given: [
        required.has(name) ? "always" : "optional",
        ...field["x-published"] === false ? ["seen only"] : [],
      ].join(", "),
      since: [field["x-since"], field["x-until"] && `until ${field["x-until"]}`]
        .filter(Boolean).join(", "),
      about: String(field["description"] ?? "").replaceAll("\n", " "),
    };
    const below = inner === undefined || depth + 1 >= MAX_DEPTH
      ? []
      : rowsOf(inner, `${at}${suffix}.`, depth + 1, spell);
    return [row, ...below];
  });
}

/** The object without a name that a field holds, and what stands behind the field's name for it. */
function innerObject(field: Node): readonly [Node | undefined, string] {
  if ("properties" in field) return [field, ""];
  for (
    const [word, suffix] of [["items", "[]"], [
      "additionalProperties",
      ".*",
    ]] as const
  ) {
    const inner = field[word] as Node | undefined;
    if (inner === undefined || typeof inner !== "object") continue;
    const [found, more] = innerObject(inner);
    if (found !== undefined) return [found, `${suffix}${more}`];
  }
  const choices = choicesOf(field).filter((one) => one["type"] !== "null");
  const [only] = choices;
  return choices.length === 1 && only !== undefined
    ? innerObject(only)
    : [undefined, ""];
}

function spellType(node: Node, isShape: (name: string) => boolean): string {
  const spell = (one: Node) => spellType(one, isShape);
  const code = (text: string) => `\`${text}\``;
  const union = (parts: readonly string[]) => [...new Set(parts)].join(" | ");
  if (typeof node["$ref"] === "string") {
    const name = nameOf(node);
    return isShape(name) ? `[${name}](#${name.toLowerCase()})` : code(name);
  }
  if (typeof node["x-known"] === "string") {
    return `${spell({ $ref: node["x-known"] })} | ${node["type"]}`;
  }
  if ("const" in node) return code(JSON.stringify(node["const"]));
  if (Array.isArray(node["enum"])) {
    return union(node["enum"].map((value) => code(JSON.stringify(value))));
  }
  const choices = choicesOf(node);
  if (choices.length > 0) return union(choices.map(spell));
  const types = [node["type"] ?? []].flat() as unknown[];
  return union(types.map((type) => {
    if (type === "array") {
      const items = spell((node["items"] ?? {}) as Node);
      return items.includes(" | ") ? `(${items})[]` : `${items}[]`;
    }
    const free = node["additionalProperties"];
    if (type === "object" && typeof free === "object" && free !== null) {
      return `object of ${spell(free as Node)}`;
    }
    return String(type);
  })) || "anything";
}

function aboutOf(node: Node): string {
  return String(node["description"] ?? "").replaceAll("\n\n", " ");
}

function lowerFirst(text: string): string {
  return /^[A-Z][a-z]/.test(text)
    ? text.charAt(0).toLowerCase() + text.slice(1)
    : text;
}

function choicesOf(node: Node | undefined): readonly Node[] {
  return (node?.["anyOf"] ?? node?.["oneOf"] ?? []) as readonly Node[];
}

function propertiesOf(
  node: Node | undefined,
): readonly (readonly [string, Node])[] {
  return Object.entries(
    (node?.["properties"] ?? {}) as Readonly<Record<string, Node>>,
  );
}

function nameOf(node: Node): string {
  return String(node["$ref"] ?? "").replace(/^.*\/\$defs\//, "");
}

function example(value: Plain | undefined): readonly string[] {
  if (value === undefined) return ["", "No recorded run has an example."];
  return ["", "```json", JSON.stringify(value, null, 2), "```"];
}

/** The first line of each kind that the recorded runs have, made short and anonymous. */
function examplesOf(
  schema: Description,
  runs: Iterable<readonly RecordedLine[]>,
): Examples {
  const controls = Object.entries(schema["x-controls"]);
  const hooks = schema["x-hooks"];
  const found = new Map<string, Plain>();
  const keep = (name: string, value: unknown) => {
    if (isPlain(value) && !found.has(name)) found.set(name, shortened(value));
  };
  for (const run of runs) {
    const asked = new Map<string, string>();
    for (const { dir, msg } of run) {
      if (!isPlain(msg) || (dir !== "in" && dir !== "out")) continue;
      const shapes = shapesOf(
        schema,
        dir === "in" ? "StdinLine" : "StdoutLine",
        msg,
      );
      // The narrowest of those that fit: a replayed prompt is no plain one.
      const narrow = shapes.find((name) =>
        msg["isReplay"] === true &&
        (schema.$defs[name]?.required as unknown[])?.includes("isReplay")
      ) ?? shapes[0];
      if (narrow !== undefined) keep(narrow, msg);
      const { request, response } = msg;
      if (isPlain(request)) {
        const subtype = String(request["subtype"]);
        const direction = dir === "in" ? "host-to-cli" : "cli-to-host";
        asked.set(`${dir} ${msg["request_id"]}`, subtype);
        for (const [name, entry] of controls) {
          if (name === subtype) keep(`${direction} ${entry.request}`, request);
        }
        const input = request["input"];
        if (isPlain(input)) {
          const hook = hooks[String(input["hook_event_name"])];
          if (hook !== undefined) keep(hook.input, input);
        }
      }
      if (isPlain(response) && response["subtype"] === "success") {
        const other = dir === "in" ? "out" : "in";
        const subtype = asked.get(`${other} ${response["request_id"]}`);
        if (subtype !== undefined) {
          keep(`reply ${subtype}`, response["response"]);
        }
      }
    }
  }
  return found;
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** A value with short texts and lists, and made-up ids. */
function shortened(value: Plain): Plain {
  const ids = new Map<string, string>();
  const anonymous = (id: string) => {
    if (!ids.has(id)) {
      const number = String(ids.size + 1).padStart(12, "0");
      ids.set(id, `00000000-0000-4000-8000-${number}`);
    }
    return ids.get(id) ?? id;
  };
  const shorten = (inner: unknown, name: string): unknown => {
    if (typeof inner === "string") {
      if (/(^|_)request_id$/.test(name)) return "req_1";
      const text = inner.replaceAll(UUID, anonymous)
        .replaceAll(/\b(toolu|msg|req)_[A-Za-z0-9]+/g, "$1_1");
      return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}...` : text;
    }
    if (name === "pid") return 4242;
    if (Array.isArray(inner)) {
      return inner.slice(0, MAX_ITEMS).map((item) => shorten(item, ""));
    }
    if (!isPlain(inner)) return inner;
    return Object.fromEntries(
      Object.entries(inner).map(([key, item]) => [key, shorten(item, key)]),
    );
  };
  return shorten(value, "") as Plain;
}
