/** Makes the methods of a running query in the official SDK: their types, and what those that are one request send. */
import type { Protocol } from "../../protocol/mod.ts";
import type { OfficialControl } from "../../protocol/official_controls.ts";
import { withImports } from "./imports.ts";
import { officialOwners } from "./official.ts";

type Row = readonly [string, OfficialControl];

/** The source of all of them. */
export function controlsOf(protocol: Protocol): string {
  const all = Object.entries(protocol.officialControls);
  const subtypes = new Set(protocol.controls.map(({ subtype }) => subtype));
  for (const [name, { subtype }] of all) {
    if (subtype === undefined || subtypes.has(subtype)) continue;
    throw new Error(`${name}() sends "${subtype}", which is not described`);
  }
  const declared = all.filter(([, { undeclared }]) => !undeclared);
  const isMade = ([, { subtype, told }]: Row) => subtype ?? told;
  const names = declared.filter(isMade).map(([name]) => JSON.stringify(name));
  const source = `import { ask, type Asking, know, tell } from "../ask.ts";

/** Each method that is one request. */
export const REQUEST_CONTROLS: Pick<Query, ${names.join(" | ")}>
  & UndeclaredControls & ThisType<Asking> = {${
    all.filter(isMade).map(method).join("\n")
  }};
`;
  return withImports(source, officialOwners(protocol));
}

/** The source of their types. */
export function queryTypesOf({ officialControls }: Protocol): string {
  const all = Object.entries(officialControls);
  const signatures = (isUndeclared: boolean) =>
    all.filter(([, { undeclared = false }]) => undeclared === isUndeclared)
      .map(signature).join("\n");
  return `/** A running query: its messages, and methods to control it. */
export interface Query extends AsyncGenerator<SDKMessage, void> {${
    signatures(false)
  }

/** Ends it. */
close(): void;
}

/** Methods that the official package does not declare, and that wrappers call. */
export interface UndeclaredControls {${signatures(true)}}
`;
}

function signature([name, control]: Row): string {
  const { description, parameters = {}, reply = "void" } = control;
  const list = Object.entries(parameters).map(([key, type]) =>
    `${key}: ${type}`
  );
  return `\n/** ${description}. */\n${name}(${
    list.join(", ")
  }): Promise<${reply}>;`;
}

function method([name, control]: Row): string {
  const { subtype, told, parameters = {}, reply, from } = control;
  if (told !== undefined) return `${name}() { return know(this, "${told}"); },`;
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
