/** Makes the types and constants of the official SDK that are no shapes of the wire. */
import type { Protocol } from "../../protocol/mod.ts";
import { withImports } from "./imports.ts";
import { officialNames } from "./types.ts";

/** Types written by hand, each with its file beside the generated ones. */
const BY_HAND: Readonly<Record<string, string>> = {
  AnyHookInput: "../../protocol/hooks.ts",
  "CallToolResult as OwnCallToolResult": "../../types/mcp_tool.ts",
  CliSettingsFields: "../../types/cli_settings.ts",
  EXIT_REASONS: "./values.ts",
  JsonObject: "../../types/json.ts",
  Mutable: "../mutable.ts",
  Readable: "../../runtime/node_types.ts",
  SessionInfo: "../../protocol/session.ts",
  Signal: "../../runtime/node_types.ts",
  "ToolAnnotations as OwnToolAnnotations": "../../types/mcp_tool.ts",
  TranscriptKey: "../../transcripts/store.ts",
  TranscriptSummary: "../../transcripts/store.ts",
  UUID: "../mutable.ts",
  Writable: "../../runtime/node_types.ts",
};

/** Every type that a file of the official SDK's types may name, with the file that has it. */
export function officialOwners(
  protocol: Protocol,
): readonly (readonly [string, string])[] {
  const owned = (names: Iterable<string>, file: string) =>
    [...names].map((name) => [name.replace(/<.*/, ""), file] as const);
  return [
    ...Object.entries(BY_HAND),
    ...owned(["Unspecified", ...Object.keys(protocol.api)], "./api.ts"),
    ...owned(Object.keys(officialNames(protocol)), "./official.ts"),
    ...owned(
      ["Query", "UndeclaredControls", ...Object.keys(protocol.officialTypes)],
      "./types.ts",
    ),
  ];
}

/** The source of the types, behind that of a query's. */
export function officialTypesOf(protocol: Protocol, query: string): string {
  const types = Object.entries(protocol.officialTypes).map((
    [name, [description, type]],
  ) => `/** ${description}. */\nexport type ${name} = ${type};`);
  const source = [query, ...types].join("\n\n") + "\n";
  return withImports(source, officialOwners(protocol));
}

/** The source of the constants. */
export function officialValuesOf({ officialValues }: Protocol): string {
  return Object.entries(officialValues).map(([name, [description, value]]) => {
    const json = JSON.stringify(value);
    const declared = Array.isArray(value)
      ? `${name} = ${json} as const`
      : `${name}: Readonly<Record<string, string>> = ${json}`;
    return `/** ${description}. */\nexport const ${declared};`;
  }).join("\n\n") + "\n";
}
