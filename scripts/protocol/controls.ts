/** Makes the methods of a running query that are one control request each: their types, and what they send. */
import type { Protocol } from "../../protocol/mod.ts";
import type { OfficialControl } from "../../protocol/official_controls.ts";

/** Types that are not shapes of the protocol, with the file of each. */
const OTHER_TYPES: Readonly<Record<string, string>> = {
  FlagSettings: "../types_mcp.ts",
  JsonObject: "../../types/json.ts",
};

/** The source of all of them. */
export function controlsOf(
  { officialControls, controls, official }: Protocol,
): string {
  const all = Object.entries(officialControls);
  const subtypes = new Set(controls.map(({ subtype }) => subtype));
  for (const [name, { subtype }] of all) {
    if (subtypes.has(subtype)) continue;
    throw new Error(`${name}() sends "${subtype}", which is not described`);
  }
  const declared = all.filter(([, { undeclared }]) => !undeclared);
  const undeclared = all.filter(([, { undeclared }]) => undeclared);
  return [
    importsOf(JSON.stringify(officialControls), official),
    `/** Methods of a running query that are one request each. */
export interface RequestControls {${declared.map(signature).join("\n")}}`,
    `/** Those that the official package does not declare, and that wrappers call all the same. */
export interface UndeclaredControls {${undeclared.map(signature).join("\n")}}`,
    `/** Each method as the request that it sends. */
export const REQUEST_CONTROLS: RequestControls & UndeclaredControls & ThisType<Asking> = {${
      all.map(method).join("\n")
    }};`,
  ].join("\n\n") + "\n";
}

function importsOf(
  text: string,
  official: Readonly<Record<string, string>>,
): string {
  const words = new Set(text.match(/\b[A-Z]\w+/g));
  const shapes = Object.keys(official).filter((name) => words.has(name));
  return [
    'import { ask, type Asking, tell } from "../ask.ts";',
    `import type { ${shapes.sort().join(", ")} } from "./official.ts";`,
    ...Object.entries(OTHER_TYPES).filter(([name]) => words.has(name)).map((
      [name, file],
    ) => `import type { ${name} } from "${file}";`),
  ].join("\n");
}

function signature(
  [name, control]: readonly [string, OfficialControl],
): string {
  const { description, parameters = {}, reply = "void" } = control;
  const list = Object.entries(parameters).map(([key, type]) =>
    `${key}: ${type}`
  );
  return `\n/** ${description}. */\n${name}(${
    list.join(", ")
  }): Promise<${reply}>;`;
}

function method([name, control]: readonly [string, OfficialControl]): string {
  const { subtype, parameters = {}, reply, from } = control;
  const names = Object.keys(parameters).map((key) => key.replace("?", ""));
  const fields = fieldsOf(control.fields ?? names);
  const sent = ["this", JSON.stringify(subtype), ...fields].join(", ");
  const start = from === undefined ? name : `async ${name}`;
  const call = from === undefined
    ? `${reply === undefined ? "tell" : "ask"}(${sent})`
    : `(await ask(${sent})).${from}`;
  return `${start}(${names.join(", ")}) { return ${call}; },`;
}

function fieldsOf(
  fields: string | readonly string[] | Readonly<Record<string, string>>,
): readonly string[] {
  if (typeof fields === "string") return [fields];
  if (Array.isArray(fields)) {
    return fields.length === 0 ? [] : [`{ ${fields.join(", ")} }`];
  }
  const entries = Object.entries(fields).map(([key, value]) =>
    key === value ? key : `${key}: ${value}`
  );
  return [`{ ${entries.join(", ")} }`];
}
