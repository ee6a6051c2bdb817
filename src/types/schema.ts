import type { JsonInput, JsonObject, JsonValue } from "./json.ts";

/** A TypeBox 0.x schema, recognized by shape: JSON Schema that carries its static type. */
export interface TypeBoxSchema<T = unknown> {
  /** The type of a valid value; exists for the compiler only. */
  readonly static: T;
}

/**
 * A Standard Schema that can be converted to JSON Schema (zod 4, valibot, arktype), recognized by shape.
 *
 * Source: the Standard Schema and Standard JSON Schema interfaces, version 1.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  /** The interface that every such library puts here. */
  readonly "~standard": {
    /** Version of the interface. */
    readonly version: 1;
    /** Name of the library. */
    readonly vendor: string;
    /** Types of a valid value; exist for the compiler only. */
    readonly types?: {
      /** Type before validation. */
      readonly input: Input;
      /** Type after validation. */
      readonly output: Output;
    } | undefined;
    /** Validates a value. */
    readonly validate?: (
      value: unknown,
    ) => StandardResult<Output> | Promise<StandardResult<Output>>;
    /**
     * Converts to JSON Schema, if the library supports it; zod before 4.2 and `zod/mini` are converted by zod's own
     * function.
     */
    readonly jsonSchema?: {
      /** Schema of what may be given. */
      readonly input: (options: { target: string }) => Record<string, unknown>;
    };
  };
}

/** Verdict of a Standard Schema. */
export type StandardResult<Output> =
  | {
    /** The validated value. */
    readonly value: Output;
    /** Absent when valid. */
    readonly issues?: undefined;
  }
  | {
    /** Faults, one entry each. */
    readonly issues: readonly {
      /** The fault in words. */
      readonly message: string;
      /** Its path; keys and indexes from the root. */
      readonly path?:
        | readonly (PropertyKey | { readonly key: PropertyKey })[]
        | undefined;
    }[];
  };

/**
 * A schema of any supported kind: TypeBox, any Standard JSON Schema, or a plain JSON Schema object, also one that is
 * typed by an interface such as `JSONSchema7` or as `Record<string, unknown>`.
 *
 * The package names no schema library; it recognizes the three by shape.
 */
export type Schema = TypeBoxSchema | StandardSchema | JsonInput;

/**
 * The type of the values that a {@link Schema} accepts; a plain JSON Schema must be literal (`as const` where it
 * stands alone) or come from TypeBox, any other yields {@link JsonObject}.
 */
export type Infer<S> = S extends {
  readonly "~standard": {
    readonly types?: { readonly output: infer T } | undefined;
  };
} ? T
  : S extends { readonly static: infer T } ? T
  : string extends keyof S ? JsonObject
  // An interface of all keywords describes no value.
  : "type" extends keyof S
    ? Record<never, never> extends Pick<S, "type"> ? JsonObject
    : JsonSchemaType<S>
  : JsonSchemaType<S>;

/**
 * The type of the values that a literal JSON Schema describes: `type`, `enum`, `const`, `properties`, `required`, `items`,
 * `prefixItems`, `anyOf`, `oneOf`, `allOf`, `additionalProperties` and `nullable`. Other keywords do not narrow the type.
 *
 * @typeParam S The schema
 */
export type JsonSchemaType<S> = S extends { readonly nullable: true }
  ? KeywordType<S> | null
  : KeywordType<S>;

/** @internal */
type KeywordType<S> = S extends { readonly "~unsafe": infer T } ? T
  : S extends { readonly const: infer T } ? T
  : S extends { readonly enum: readonly (infer T)[] } ? T
  : S extends { readonly anyOf: readonly (infer One)[] } ? JsonSchemaType<One>
  : S extends { readonly oneOf: readonly (infer One)[] } ? JsonSchemaType<One>
  : S extends { readonly allOf: readonly (infer One)[] } ? Shown<
      Both<One extends unknown ? (one: JsonSchemaType<One>) => void : never>
    >
  : S extends { readonly type: readonly (infer Name)[] }
    ? Name extends unknown ? NamedType<Name, S> : never
  : S extends { readonly type: infer Name } ? NamedType<Name, S>
  : S extends { readonly properties: unknown } ? NamedType<"object", S>
  : JsonValue;

/** @internal */
type NamedType<Name, S> = Name extends "string" ? string
  : Name extends "number" | "integer" ? number
  : Name extends "boolean" ? boolean
  : Name extends "null" ? null
  : Name extends "array" ? ListType<S>
  : Name extends "object" ? ObjectType<S>
  : JsonValue;

/** @internal */
type ListType<S> = S extends
  { readonly prefixItems: infer Items extends readonly unknown[] }
  ? { [At in keyof Items]: JsonSchemaType<Items[At]> }
  : S extends { readonly items: infer Items extends readonly unknown[] }
    ? { [At in keyof Items]: JsonSchemaType<Items[At]> }
  : S extends { readonly items: infer Item } ? JsonSchemaType<Item>[]
  : JsonValue[];

/** @internal */
type ObjectType<S> = S extends { readonly properties: infer Parts } ? Shown<
    & {
      -readonly [
        Name in keyof Parts as Name extends RequiredOf<S> ? Name : never
      ]: JsonSchemaType<Parts[Name]>;
    }
    & {
      -readonly [
        Name in keyof Parts as Name extends RequiredOf<S> ? never : Name
      ]?: JsonSchemaType<Parts[Name]>;
    }
  >
  : S extends { readonly additionalProperties: infer Part extends object }
    ? { [name: string]: JsonSchemaType<Part> }
  : JsonObject;

/** @internal */
type RequiredOf<S> = S extends { readonly required: readonly (infer Name)[] }
  ? Name
  : never;

/**
 * The intersection of what the functions of a union take.
 *
 * @internal
 */
type Both<Takers> = [Takers] extends [(one: infer One) => void] ? One : never;

/**
 * The same type, written out; by way of a condition, since editors show the name of the type otherwise.
 *
 * @internal
 */
type Shown<T> = T extends unknown ? { [Name in keyof T]: T[Name] } : never;
