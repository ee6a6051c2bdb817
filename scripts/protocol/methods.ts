/** Makes the methods of a conversation that ask the CLI for something: their types, and what they send. */
import type { HostMethod } from "../../protocol/host_methods.ts";
import type { Protocol } from "../../protocol/mod.ts";
import { pascalCase } from "../../protocol/words.ts";
import { withImports } from "./imports.ts";

/** Types that are not shapes of the protocol, with the file of each in `src`. */
const OTHER_TYPES: Readonly<Record<string, string>> = {
  CliSettingsChange: "types/cli_settings.ts",
  ControlOptions: "types/controls.ts",
  JsonInput: "types/json.ts",
  JsonObject: "types/json.ts",
  McpServerInput: "types/mcp.ts",
};

/** The source of their types. */
export function methodTypesOf(protocol: Protocol): string {
  const all = Object.entries(protocol.hostMethods);
  const options = all.map(([name, method]) => optionsOf(name, method));
  const methods = all.map(([name, method]) =>
    `${comment(method.description)}\n${signature(protocol, name, method)};`
  );
  return importing(
    protocol,
    `${options.filter((one) => one !== "").join("\n\n")}

/**
 * What a running conversation can be told and asked.
 *
 * Each method sends one control request and resolves to the reply as the CLI gave it. It rejects with \`ControlError\`
 * when the CLI says no (its \`errorCode\` kept), with \`ProtocolError\` of category \`timeout\` when the limit passes, with
 * the signal's reason when it is aborted, and with \`NotConnectedError\` or \`ClosedError\` when there is no conversation.
 * Replies need nobody to read the messages.
 *
 * Source: protocol reference, section Control requests (host to CLI).
 */
export interface Controls {
${methods.join("\n")}
}
`,
  );
}

/** The source of the class that has them; those without a request are left to others. */
export function methodsOf(protocol: Protocol): string {
  const methods = Object.entries(protocol.hostMethods).map(([name, method]) =>
    `/** See {@link Controls.${name}}. */\n${
      method.subtype === undefined && method.told === undefined
        ? `abstract ${signature(protocol, name, method)};`
        : `${signature(protocol, name, method)} { return ${
          callOf(protocol, method)
        }; }`
    }`
  );
  return importing(
    protocol,
    `import type { Controls, ${
      Object.entries(protocol.hostMethods)
        .filter(([, { options }]) => options !== undefined)
        .map(([name, method]) => optionsType(name, method)).join(", ")
    } } from "../../types/generated/controls.ts";
import { quiet } from "../../async/deferred.ts";
import { ask, know, tell } from "../ask.ts";
import { checkedServers, wireServers } from "../../options/server_configs.ts";

/**
 * One method per published control request, on top of one that sends.
 *
 * Source: protocol reference, section Control requests, host to CLI.
 *
 * @example A client and a conversation share them
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

  /** Calls something: whatever fails is told by the promise, which nobody has to look at. */
  protected called<T>(work: () => Promise<T>): Promise<T> {
    return quiet((async () => await work())());
  }

${methods.join("\n\n")}
}
`,
  );
}

/** Name of the type of its options. */
function optionsType(name: string, { options }: HostMethod): string {
  return options === undefined
    ? "ControlOptions"
    : `${pascalCase(name.replace(/^set(?=[A-Z])/, ""))}Options`;
}

function optionsOf(name: string, method: HostMethod): string {
  if (method.options === undefined) return "";
  const fields = Object.entries(method.options).map((
    [key, { description, type }],
  ) => `${comment(description)}\nreadonly ${key}?: ${type} | undefined;`);
  const about = method.about === undefined ? "" : `; ${method.about}`;
  return `/** Options of {@link Controls.${name}}${about}. */
export interface ${optionsType(name, method)} extends ControlOptions {\n${
    fields.join("\n")
  }\n}`;
}

function signature(
  protocol: Protocol,
  name: string,
  method: HostMethod,
): string {
  const list = Object.entries(method.parameters ?? {}).map(([key, type]) =>
    `${key}: ${type}`
  );
  list.push(`options?: ${optionsType(name, method)}`);
  return `${name}(${list.join(", ")}): Promise<${replyOf(protocol, method)}>`;
}

/** What the description of its request says. */
function replyOf({ controls }: Protocol, method: HostMethod): string {
  if (method.reply !== undefined) return method.reply;
  const { subtype } = method;
  const control = controls.find((one) =>
    one.direction !== "cli-to-host" && one.subtype === subtype
  );
  if (control === undefined) {
    throw new Error(`Request "${subtype}" is not described`);
  }
  return control.reply ?? "void";
}

function callOf(protocol: Protocol, method: HostMethod): string {
  const { subtype, told, fields = {} } = method;
  if (told !== undefined) return `know(this.sessionInfo(options), "${told}")`;
  const values = Object.values(fields).join(" ");
  const isUsed = (name: string) => new RegExp(`\\b${name}\\b`).test(values);
  const named = Object.keys(method.parameters ?? {})
    .map((name) => name.replace("?", ""))
    .map((name) => [name, name] as const);
  const given = Object.keys(method.options ?? {})
    .map((name) => [name, `options?.${name}`] as const);
  const all = [
    ["subtype", JSON.stringify(subtype)] as const,
    ...[...named, ...given].filter(([name]) => !isUsed(name))
      .map(([name, value]) => [snakeCase(name), value] as const),
    ...Object.entries(fields),
  ];
  const body = all.map(([key, value]) =>
    key === value ? key : `${key}: ${value}`
  );
  const send = replyOf(protocol, method) === "void" ? "tell" : "ask";
  const call = `${send}(this, { ${body.join(", ")} }, options)`;
  // Checks of what is given may throw.
  return values.includes("checked") ? `this.called(() => ${call})` : call;
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function comment(text: string): string {
  const lines = `${text}.`.split("\n");
  return lines.length === 1
    ? `/** ${lines[0]} */`
    : `/**\n${
      lines.map((line) => line === "" ? " *" : ` * ${line}`).join("\n")
    }\n */`;
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
