/** Makes the methods of a conversation that ask the CLI for something: their types, what they send, and their rows in docs. */
import type { Protocol } from "../../protocol/mod.ts";
import { type Control, pascalCase } from "../../protocol/words.ts";
import { withImports } from "./imports.ts";
import { listItem, table } from "./markdown.ts";
import { shapeOf, type Shapes } from "./shapes.ts";
import { commentOf, typeOf } from "./types.ts";

/** Types that are not shapes of the protocol, with the file of each in `src`. */
const OTHER_TYPES: Readonly<Record<string, string>> = {
  CliSettingsChange: "types/cli_settings.ts",
  ControlOptions: "types/controls.ts",
  JsonInput: "types/json.ts",
  JsonObject: "types/json.ts",
  McpServerInput: "types/mcp.ts",
};

/** A method, with all that its request says of it. */
interface Method {
  readonly name: string;
  readonly group: string;
  readonly description: string;
  readonly subtype?: string;
  readonly told?: string;
  /** Parameters, each with its type; a name ends with "?" where it may be left out. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, readonly [string, string]>>;
  readonly aboutOptions?: string;
  readonly fields?: Readonly<Record<string, string>>;
  /** Names of the fields of its request. */
  readonly sent: readonly string[];
  readonly reply: string;
}

/** Every method; those without a request at the end. */
function allMethods(protocol: Protocol, shapes: Shapes): readonly Method[] {
  return [
    ...protocol.controls.flatMap((control) => methodOf(control, shapes)),
    ...Object.entries(protocol.hostMethods)
      .map(([name, one]) => ({
        parameters: {},
        options: {},
        sent: [],
        name,
        ...one,
      })),
  ];
}

function methodOf(
  { subtype, request, reply, more }: Control,
  shapes: Shapes,
): readonly Method[] {
  if (more.method === undefined) return [];
  if (more.group === undefined) throw new Error(`${subtype} lacks its group`);
  const { node } = shapeOf(shapes, request);
  const fields = Object.entries(node.properties ?? {})
    .filter(([key, one]) => key !== "subtype" && !("x-published" in one))
    .map(([key, one]) => [camelCase(key), one] as const);
  const isRequired = (key: string) =>
    node.required?.includes(snakeCase(key)) || node.required?.includes(key);
  const { parameters: given, options } = more;
  const named = Array.isArray(given) ? given as readonly string[] : undefined;
  const parameters = given !== undefined && named === undefined
    ? given as Readonly<Record<string, string>>
    : Object.fromEntries(
      (named ?? fields.map(([key]) => key).filter(isRequired)).map((name) => [
        name,
        typeOf(new Map(fields).get(name.replace("?", "")) ?? {}),
      ]),
    );
  const left = fields.filter(([key]) =>
    !isRequired(key) && !(key in parameters) && !(`${key}?` in parameters)
  );
  return [{
    ...more,
    name: more.method,
    group: more.group,
    description: node.description ?? "",
    subtype,
    sent: Object.keys(node.properties ?? {}),
    parameters,
    options: options ?? Object.fromEntries(
      left.map(([key, one]) => [key, [one.description ?? "", typeOf(one)]]),
    ),
    reply: reply ?? "void",
  }];
}

/** The generated parts of docs/controls.md. */
export function controlParts(
  protocol: Protocol,
  shapes: Shapes,
): ReadonlyMap<string, string> {
  const groups = Map.groupBy(
    allMethods(protocol, shapes),
    ({ group }) => group,
  );
  const published = protocol.controls.filter(({ request }) =>
    !("x-published" in shapeOf(shapes, request).node)
  );
  return new Map([
    [
      "controls",
      [...groups].map(([group, methods]) =>
        `### ${group.slice(0, 1).toUpperCase()}${group.slice(1)}\n\n${
          methods.map(item).join("\n")
        }`
      ).join("\n\n"),
    ],
    [
      "requests of the CLI",
      table(
        ["request", "answered by"],
        published.filter((one) => one.direction !== "host-to-cli"),
        ({ subtype, more }) => [`\`${subtype}\``, more.note ?? ""],
      ),
    ],
  ]);
}

/** A method as an item of a list: its call, its request, what it does. */
function item({ name, parameters, subtype, description }: Method): string {
  const [first = ""] = description.split("\n\n");
  const request = subtype === undefined ? "" : ` (\`${subtype}\`)`;
  const call = `${name}(${Object.keys(parameters).join(", ")})`;
  return listItem(`\`${call}\`${request}: ${first.replace(/\.$/, "")}.`);
}

/** The source of their types. */
export function methodTypesOf(protocol: Protocol, shapes: Shapes): string {
  const all = allMethods(protocol, shapes);
  const options = all.map(optionsOf);
  const methods = all.map((method) =>
    `${commentOf(method)}\n${signature(method)};`
  );
  return importing(
    protocol,
    `${options.filter((one) => one !== "").join("\n\n")}

/**
 * Control requests to a running conversation.
 *
 * Each method sends one control request and resolves to the unchanged reply of the CLI. It rejects with \`ControlError\`
 * when the CLI refuses it (with the CLI's \`errorCode\`), with \`ProtocolError\` of category \`timeout\` when it times out,
 * with the signal's reason when it is aborted, and with \`NotConnectedError\` or \`ClosedError\` when there is no
 * conversation. Replies arrive even while no messages are consumed.
 */
export interface Controls {
${methods.join("\n")}
}
`,
  );
}

/** The source of the class that has them; those without a request are left to others. */
export function methodsOf(protocol: Protocol, shapes: Shapes): string {
  const all = allMethods(protocol, shapes);
  const methods = all.map((method) =>
    `/** See {@link Controls.${method.name}}. */\n${
      method.subtype === undefined && method.told === undefined
        ? `abstract ${signature(method)};`
        : `${signature(method)} { return ${callOf(method)}; }`
    }`
  );
  return importing(
    protocol,
    `import type { Controls, ${
      all.filter(hasOptions).map(optionsType).join(", ")
    } } from "../../types/generated/controls.ts";
import { quiet } from "../../async/deferred.ts";
import { ask, know, tell } from "../ask.ts";
import { checkedServers, wireServers } from "../../options/server_configs.ts";

/**
 * Base class of clients and conversations: one method per published control request.
 *
 * @example Use the controls of a client
 * \`\`\`ts
 * import { Client, ControlMethods } from "@sluice/agent";
 * import { fakeCli } from "@sluice/agent/testing";
 * import assert from "node:assert/strict";
 *
 * const { cliPath } = fakeCli("Hello.");
 * await using client = new Client({ cliPath });
 * assert(client instanceof ControlMethods);
 * \`\`\`
 */
export abstract class ControlMethods implements Controls {
  /** The reply to \`initialize\`. */
  protected abstract sessionInfo(options?: ControlOptions): Promise<SessionInfo>;

  /** Calls a function; an error rejects the promise, which never causes an unhandled rejection. */
  protected called<T>(work: () => Promise<T>): Promise<T> {
    return quiet((async () => await work())());
  }

${methods.join("\n\n")}
}
`,
  );
}

function hasOptions({ options }: Method): boolean {
  return Object.keys(options).length > 0;
}

/** Name of the type of its options. */
function optionsType(method: Method): string {
  return hasOptions(method)
    ? `${pascalCase(method.name.replace(/^set(?=[A-Z])/, ""))}Options`
    : "ControlOptions";
}

function optionsOf(method: Method): string {
  if (!hasOptions(method)) return "";
  const fields = Object.entries(method.options).map(([key, [about, type]]) =>
    `${
      commentOf({ description: about })
    }\nreadonly ${key}?: ${type} | undefined;`
  );
  const { aboutOptions } = method;
  const about = aboutOptions === undefined ? "" : `; ${aboutOptions}`;
  return `/** Options of {@link Controls.${method.name}}${about}. */
export interface ${optionsType(method)} extends ControlOptions {\n${
    fields.join("\n")
  }\n}`;
}

function signature(method: Method): string {
  const list = Object.entries(method.parameters).map(([key, type]) =>
    `${key}: ${type}`
  );
  list.push(`options?: ${optionsType(method)}`);
  return `${method.name}(${list.join(", ")}): Promise<${method.reply}>`;
}

function callOf(method: Method): string {
  const { subtype, told, parameters, options, sent, reply, fields = {} } =
    method;
  if (told !== undefined) return `know(this.sessionInfo(options), "${told}")`;
  const values = Object.values(fields).join(" ");
  const isUsed = (name: string) => new RegExp(`\\b${name}\\b`).test(values);
  const named = Object.keys(parameters)
    .map((name) => name.replace("?", ""))
    .map((name) => [name, name] as const);
  const given = Object.keys(options)
    .map((name) => [name, `options?.${name}`] as const);
  const all = [
    ["subtype", JSON.stringify(subtype)] as const,
    ...[...named, ...given].filter(([name]) => !isUsed(name))
      .map(([name, value]) =>
        [sent.includes(name) ? name : snakeCase(name), value] as const
      ),
    ...Object.entries(fields),
  ];
  const body = all.map(([key, value]) =>
    key === value ? key : `${key}: ${value}`
  );
  const send = reply === "void" ? "tell" : "ask";
  const call = `${send}(this, { ${body.join(", ")} }, options)`;
  // Checks of what is given may throw.
  return values.includes("checked") ? `this.called(() => ${call})` : call;
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_match, letter) => letter.toUpperCase());
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A source, with the imports of the types that it names. */
function importing(protocol: Protocol, source: string): string {
  const shapes = protocol.topics.flatMap(({ name, shapes }) =>
    Object.keys(shapes).map((shape) => [shape, `protocol/${name}.ts`] as const)
  );
  const owners = [...Object.entries(OTHER_TYPES), ...shapes]
    .map(([type, file]) => [type, `../../${file}`] as const);
  return withImports(source, owners);
}
