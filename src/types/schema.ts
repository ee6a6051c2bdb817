import type { JsonObject } from "./json.ts";

/** A TypeBox schema, by shape: JSON Schema that carries its static type. */
export interface TypeBoxSchema<T = unknown> {
  /** The type of a valid value; exists for the compiler only. */
  readonly static: T;
}

/**
 * A Standard Schema that can give its JSON Schema (zod 4, valibot, arktype), by shape.
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
      /** What may be given. */
      readonly input: Input;
      /** What comes out of validation. */
      readonly output: Output;
    } | undefined;
    /** Validates a value. */
    readonly validate?: (
      value: unknown,
    ) => StandardResult<Output> | Promise<StandardResult<Output>>;
    /** Gives the JSON Schema, where the library can. */
    readonly jsonSchema?: {
      /** Schema of what may be given. */
      readonly input: (options: { target: string }) => Record<string, unknown>;
    };
  };
}

/** What a Standard Schema says of a value. */
export type StandardResult<Output> =
  | {
    /** The validated value. */
    readonly value: Output;
    /** Absent when valid. */
    readonly issues?: undefined;
  }
  | {
    /** What is wrong, one entry a fault. */
    readonly issues: readonly {
      /** The fault in words. */
      readonly message: string;
      /** Where it is; keys and indexes from the root. */
      readonly path?:
        | readonly (PropertyKey | { readonly key: PropertyKey })[]
        | undefined;
    }[];
  };

/**
 * A schema of any make: TypeBox, any Standard JSON Schema, or a plain JSON Schema object.
 *
 * The package names no schema library; it recognises the three by shape.
 */
export type Schema = TypeBoxSchema | StandardSchema | JsonObject;

/** The type of the values that a {@link Schema} accepts; a plain JSON Schema gives {@link JsonObject}. */
export type Infer<S> = S extends {
  readonly "~standard": {
    readonly types?: { readonly output: infer T } | undefined;
  };
} ? T
  : S extends { readonly static: infer T } ? T
  : JsonObject;
