/** Makes the options of the official SDK: their type, and what their values may be at run time. */
import type { Protocol } from "../../protocol/mod.ts";

/** Files of types that options have, each with its names. */
const FILES: Readonly<Record<string, readonly string[]>> = {
  "../types_mcp.ts": ["McpServerConfig", "Settings"],
  "../types_options.ts": [
    "CanUseTool",
    "OnElicitation",
    "OnUserDialog",
    "OutputFormat",
    "SandboxSettings",
    "SdkBeta",
    "SettingSource",
    "SpawnedProcess",
    "SpawnOptions",
    "ThinkingConfig",
    "ToolConfig",
  ],
  "../types_query.ts": ["HookCallbackMatcher"],
  "../types_sessions.ts": ["SessionStore", "SessionStoreFlush"],
};

/** The source of the options. */
export function optionsOf({ officialOptions, official }: Protocol): string {
  const all = Object.entries(officialOptions);
  const types = all.map(([, { type }]) => type).join(" ");
  const words = new Set(types.match(/\b[A-Z]\w+/g));
  const files = {
    "./official.ts": ["HookEvent", ...Object.keys(official)],
    ...FILES,
  };
  const imports = Object.entries(files).map(([file, names]) => {
    const used = [...new Set(names)].filter((one) => words.has(one)).sort();
    return `import type { ${used.join(", ")} } from "${file}";`;
  });
  const kinds = [...new Set(all.flatMap(([, one]) => one.kinds))].sort();
  const fields = all.map(([name, { description, type }]) =>
    `/** ${description}. */\n${name}?: ${
      type.includes("=>") ? `(${type})` : type
    } | undefined;`
  );
  return [
    imports.join("\n"),
    `/**
 * Everything that {@link query} can be told, with the official names and meanings.
 *
 * What is not known here, or of a wrong type, is told of once as a warning of the process, and goes to the CLI as it is.
 */
export interface Options {\n${fields.join("\n")}\n}`,
    `/** What the value of an option may be. */
export type OptionKind = ${
      kinds.map((one) => JSON.stringify(one)).join(" | ")
    };`,
    `/** The kinds that each option takes. */
export const OPTION_KINDS: Readonly<Record<keyof Options, readonly OptionKind[]>> = {\n${
      all.map(([name, one]) => `${name}: ${JSON.stringify(one.kinds)},`).join(
        "\n",
      )
    }\n};`,
  ].join("\n\n") + "\n";
}
