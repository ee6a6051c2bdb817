/** Makes TypeScript of the types of the API's own package. */
import { API_FIELDS, type ApiType } from "../../protocol/api.ts";

/** The source of all of them. */
export function apiOf(api: Readonly<Record<string, ApiType>>): string {
  const types = Object.entries(api).map(([name, { description, type }]) =>
    `/** ${description}. */\nexport ${
      typeof type === "string"
        ? `type ${name} = ${type};`
        : isUnion(type)
        ? `type ${name} = ${type.map(memberOf).join(" | ")};`
        : `interface ${name} {${fieldsOf(type, " | undefined")}}`
    }`
  );
  return [
    `/** A value that programs rarely read: it fits the API's package whatever its version. */
// deno-lint-ignore no-explicit-any -- as above
export type Unspecified = any;`,
    ...types,
  ].join("\n\n") + "\n";
}

function isUnion<M>(type: object | readonly M[]): type is readonly M[] {
  return Array.isArray(type);
}

function memberOf(type: string | Readonly<Record<string, string>>): string {
  return typeof type === "string" ? type : `{${fieldsOf(type)}}`;
}

/** The fields of a type; the suffix of optional ones allows `undefined` as a value. */
function fieldsOf(
  fields: Readonly<Record<string, string>>,
  ofOptional = "",
): string {
  return Object.entries(fields).map(([key, type]) => {
    const isOptional = key.endsWith("?");
    const about = API_FIELDS[isOptional ? key.slice(0, -1) : key] ??
      "See the reference of the API";
    return `\n/** ${about}. */\n${key}: ${type}${
      isOptional ? ofOptional : ""
    };`;
  }).join("");
}
