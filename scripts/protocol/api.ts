/** Makes TypeScript of the types of the API's own package. */
import { API_FIELDS, type ApiType } from "../../protocol/api.ts";

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
  return Object.entries(fields).map(([key, type]) => {
    const isOptional = key.endsWith("?");
    const about = API_FIELDS[isOptional ? key.slice(0, -1) : key] ??
      "See the reference of the API";
    return `\n/** ${about}. */\n${key}: ${type}${
      isOptional ? " | undefined" : ""
    };`;
  }).join("");
}
