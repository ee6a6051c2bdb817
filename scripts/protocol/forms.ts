/** Makes the forms of what a host answers: data that callbacks are held to. */
import type { Protocol } from "../../protocol/mod.ts";
import {
  type Node,
  propertiesOf,
  resolved,
  shapeOf,
  type Shapes,
} from "./shapes.ts";

/** A value of JSON. */
type Json = unknown;

/** The source of the forms. */
export function formsOf(protocol: Protocol, shapes: Shapes): string {
  const form = (name: string) => formOf(shapes, shapeOf(shapes, name).node);
  const answers = Object.fromEntries(
    protocol.answers.map((name) => [name, form(name)]),
  );
  const hooks = Object.fromEntries(
    protocol.hooks.map(({ event }) => [event, form(`${event}HookOutput`)]),
  );
  return `import type { HookEvent } from "./hooks.ts";

/** The form of a value: a kind of value, words, a list, fields, or fields by the word in one of them. */
export type Form =
  | "text" | "number" | "flag" | "object" | "any"
  | { readonly words: readonly string[] }
  | { readonly list: Form }
  | FieldsForm
  | { readonly by: string; readonly kinds: Readonly<Record<string, FieldsForm>> };

/** An object with these fields and no others. */
export interface FieldsForm {
  /** The fields, by name. */
  readonly fields: Readonly<Record<string, Form>>;
  /** Those that must be there. */
  readonly required: readonly string[];
}

/** What hosts answer. */
export const ANSWERS: { ${
    protocol.answers.map((name) =>
      `readonly ${name}: ${isFields(answers[name]) ? "FieldsForm" : "Form"}`
    ).join("; ")
  } } = ${JSON.stringify(answers)};

/** What hooks may say for their event alone. */
export const HOOK_ANSWERS: Readonly<Record<HookEvent, FieldsForm>> = ${
    JSON.stringify(hooks)
  };
`;
}

function formOf(shapes: Shapes, node: Node): Json {
  const whole = resolved(shapes, node);
  const { type, anyOf, items } = whole;
  if (whole.enum !== undefined) return { words: whole.enum };
  if (typeof whole.const === "string") return { words: [whole.const] };
  if (anyOf !== undefined) return unionForm(shapes, anyOf);
  switch (type) {
    case "string":
      return "text";
    case "number":
      return "number";
    case "boolean":
      return "flag";
    case "array":
      return { list: formOf(shapes, items ?? {}) };
    case "object":
      return whole.properties === undefined
        ? "object"
        : fieldsForm(shapes, whole);
    default:
      return "any";
  }
}

function fieldsForm(shapes: Shapes, node: Node, left?: string): Json {
  const fields = [...propertiesOf(shapes, node)].filter(([key]) =>
    key !== left
  );
  return {
    fields: Object.fromEntries(
      fields.map(([key, one]) => [key, formOf(shapes, one.node)]),
    ),
    required: fields.filter(([, { isRequired }]) => isRequired).map(([key]) =>
      key
    ),
  };
}

/** Alternatives are told apart by the first field, which holds words in each of them. */
function unionForm(shapes: Shapes, members: readonly Node[]): Json {
  const nodes = members.map((one) => resolved(shapes, one));
  const [by] = Object.keys(nodes[0]?.properties ?? {});
  if (by === undefined) throw new Error("A union of answers has no word");
  const kinds = nodes.flatMap((node) => {
    const form = formOf(shapes, node.properties?.[by] ?? {}) as {
      readonly words?: readonly string[];
    };
    if (form.words === undefined) {
      throw new Error(`A union of answers has no word in ${by}`);
    }
    const fields = fieldsForm(shapes, node, by);
    return form.words.map((word) => [word, fields] as const);
  });
  return { by, kinds: Object.fromEntries(kinds) };
}

function isFields(form: Json): boolean {
  return typeof form === "object" && form !== null && "fields" in form;
}
