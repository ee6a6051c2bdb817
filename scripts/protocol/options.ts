/** Makes the options of the official SDK: their type, and what their values may be at run time. */
import type { Protocol } from "../../protocol/mod.ts";
import { withImports } from "./imports.ts";
import { officialOwners } from "./official.ts";

/** The source of the options. */
export function optionsOf(protocol: Protocol): string {
  const all = Object.entries(protocol.officialOptions);
  const kinds = [...new Set(all.flatMap(([, one]) => one.kinds))].sort();
  const fields = all.map(([name, { description, type }]) =>
    `/** ${description}. */\n${name}?: ${
      type.includes("=>") ? `(${type})` : type
    } | undefined;`
  );
  const source = [
    `/**
 * Options of {@link query}, with the names and meanings of the official SDK.
 *
 * Unknown options and wrong types cause one warning of the process each, and are passed to the CLI unchanged. Text where a list belongs is refused.
 */
export interface Options {\n${fields.join("\n")}\n}`,
    `/** Kind of value that an option may have. */
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
  return withImports(source, officialOwners(protocol));
}
