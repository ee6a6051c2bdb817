/** Makes TypeScript of the types of the API's own package. */
import type { ApiType } from "../../protocol/api.ts";

/** The source of all of them. */
export function apiOf(api: Readonly<Record<string, ApiType>>): string {
  const types = Object.entries(api).map(([name, { description, type }]) =>
    `/** ${description}. */\n${
      typeof type === "string"
        ? `export type ${name} = ${type};`
        : `export interface ${name} {${fieldsOf(type)}}`
    }`
  );
  return [
    `/** What programs rarely read: values fit the API's package whatever its version. */
// deno-lint-ignore no-explicit-any -- as above
export type Unspecified = any;`,
    ...types,
  ].join("\n\n") + "\n";
}

function fieldsOf(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields).map(([key, type]) =>
    `${key}: ${type}${key.endsWith("?") ? " | undefined" : ""};`
  ).join(" ");
}
