/** Makes the smallest valid replies to control requests and parts of messages, which a fake CLI fills in and sends. */
import type { PublishedSchema } from "./schema.ts";

/** The part of a JSON Schema that decides its smallest value. */
interface Schema {
  readonly $ref?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Control {
  readonly direction: string;
  readonly reply: string | null;
  readonly published: boolean;
}

/** Shapes that a fake CLI fills in. */
const PARTS = ["InitMessage", "ModelUsage", "ResultUsage"];

/** The source: the reply by subtype, null for one without content. */
export function repliesOf(schema: PublishedSchema): string {
  const controls = schema["x-controls"] as Readonly<Record<string, Control>>;
  const shapes = schema.$defs as Readonly<Record<string, Schema>>;
  const replies = Object.entries(controls)
    .filter(([, { direction, reply, published }]) =>
      direction !== "cli-to-host" && (published || reply !== null)
    )
    .map(([subtype, { reply }]) => [
      subtype,
      reply === null ? null : smallest({ $ref: reply }, shapes),
    ]);
  const parts = PARTS.map((
    name,
  ) => [name, smallest(shapes[name] ?? {}, shapes)]);
  return `import type { JsonObject } from "../../types/json.ts";

/** The smallest valid reply to each control request; null for one without content. */
export const REPLIES: Readonly<Record<string, JsonObject | null>> = ${
    JSON.stringify(Object.fromEntries(replies))
  };

/** The smallest valid values of messages and of their parts. */
export const PARTS: Readonly<Record<${
    PARTS.map((name) => JSON.stringify(name)).join("|")
  }, JsonObject>> = ${JSON.stringify(Object.fromEntries(parts))};
`;
}

const SIMPLE: Readonly<Record<string, unknown>> = {
  array: [],
  string: "",
  number: 0,
  integer: 0,
  boolean: false,
};

function smallest(
  schema: Schema,
  shapes: Readonly<Record<string, Schema>>,
): unknown {
  const { $ref, anyOf, type, required = [], properties = {} } = schema;
  if ("const" in schema) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const next = anyOf?.find((one) => one.type === "null") ?? anyOf?.[0] ??
    shapes[$ref?.replace("#/$defs/", "") ?? ""];
  if (next !== undefined) return smallest(next, shapes);
  if (type !== "object") return SIMPLE[String(type)] ?? null;
  return Object.fromEntries(
    required.map((name) => [name, smallest(properties[name] ?? {}, shapes)]),
  );
}
