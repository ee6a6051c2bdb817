/** JSON Schemas that know the type of what fits them; each function gives plain JSON. */

/** A JSON Schema of values of one type. */
export interface Shape<T> {
  /** For the compiler alone. */
  readonly static?: T;
}

/** The type of what fits a schema. */
export type Static<S> = S extends Shape<infer T> ? T : never;

const OPTIONAL: unique symbol = Symbol("optional");

/** The schema of a field that may be absent. */
interface Maybe<T> extends Shape<T> {
  readonly [OPTIONAL]: true;
}

type Fields = Readonly<Record<string, Shape<unknown>>>;

type OptionalKey<F extends Fields> = {
  [K in keyof F]: F[K] extends { readonly [OPTIONAL]: true } ? K : never;
}[keyof F];

type FieldsOf<F extends Fields> =
  & { readonly [K in Exclude<keyof F, OptionalKey<F>>]: Static<F[K]> }
  & { readonly [K in OptionalKey<F>]?: Static<F[K]> };

/** Any text. */
export const text: Shape<string> = schema({ type: "string" });
/** Any number. */
export const number: Shape<number> = schema({ type: "number" });
/** True or false. */
export const flag: Shape<boolean> = schema({ type: "boolean" });
/** No value at all. */
export const nothing: Shape<undefined> = schema({ not: {} });

/** Of a type that the schema does not tell in full. */
export function schema<T>(words: object): Shape<T> {
  return words as Shape<T>;
}

/** One value. */
export function literal<const V extends string | boolean>(value: V): Shape<V> {
  return schema({ const: value });
}

/** Objects with these fields, and any others. */
export function shape<F extends Fields>(properties: F): Shape<FieldsOf<F>> {
  const required = Object.keys(properties)
    .filter((name) => !(OPTIONAL in (properties[name] ?? {})));
  return schema({ type: "object", properties, required });
}

/** A field that may be absent. */
export function maybe<T>(one: Shape<T>): Maybe<T> {
  return { ...one, [OPTIONAL]: true };
}

/** Values of any of these. */
export function union<const S extends readonly Shape<unknown>[]>(
  members: S,
): Shape<Static<S[number]>> {
  return schema({ anyOf: members });
}

/** Lists. */
export function list<T>(items: Shape<T>): Shape<readonly T[]> {
  return schema({ type: "array", items });
}

/** Objects whose fields are all of one kind. */
export function byName<T>(value: Shape<T>): Shape<Readonly<Record<string, T>>> {
  return schema({ type: "object", additionalProperties: value });
}

/** The same, or null. */
export function orNull<T>(one: Shape<T>): Shape<T | null> {
  return schema({ anyOf: [one, { type: "null" }] });
}

/** One of these words. */
export function oneOf<const V extends string>(
  ...values: readonly V[]
): Shape<V> {
  return schema({ enum: values });
}

/** Known words, and any other. */
export function openText<V extends string>(): Shape<
  V | (string & Record<never, never>)
> {
  return schema({ type: "string" });
}
