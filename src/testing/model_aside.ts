import { isObject } from "../errors/is_object.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { schemaOf } from "./model_request.ts";

/** What a side request is answered with when the script does not say: JSON where JSON is wanted. */
export function textAside(body: JsonObject): string {
  const schema = schemaOf(body);
  return schema === undefined ? "ok" : JSON.stringify(valueFor(schema));
}

/** The least value that fits a simple JSON Schema, and agrees where it is asked. */
function valueFor(schema: JsonValue | undefined): JsonValue {
  if (!isObject(schema)) return null;
  switch (schema["type"]) {
    case "object": {
      const { properties, required } = schema;
      const fields = isObject(properties) ? properties : {};
      const names = Array.isArray(required) ? required : Object.keys(fields);
      return Object.fromEntries(
        names.map((name) => [name, valueFor(fields[String(name)])]),
      );
    }
    case "array":
      return [];
    case "string":
      return "Scripted";
    case "boolean":
      return true;
    case "number":
    case "integer":
      return 0;
    default:
      return null;
  }
}
