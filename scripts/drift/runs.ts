/** Recorded runs of the CLI, and which shape of the description a value of them is. */
import type {
  ControlEntry,
  ProtocolSchema,
} from "../../src/protocol/schema_types.ts";

/** The parts of the description that are read here. */
export type Description = Pick<
  ProtocolSchema,
  "$id" | "$defs" | "x-messages" | "x-controls" | "x-hooks"
>;

/** A JSON object. */
export type Plain = Readonly<Record<string, unknown>>;

/** One line of a recording; lines that are not of the protocol have no `msg`. */
export interface RecordedLine {
  readonly dir: string;
  readonly msg?: unknown;
}

/** The runs of a folder, by file. */
export async function readRuns(
  folder: string | URL,
): Promise<ReadonlyMap<string, readonly RecordedLine[]>> {
  const names = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
  const files = names.filter((name) => name.endsWith(".ndjson")).sort();
  return new Map(
    await Promise.all(files.map(async (name) => {
      const path = folder instanceof URL
        ? new URL(name, folder)
        : `${folder}/${name}`;
      const lines = (await Deno.readTextFile(path)).trimEnd().split("\n");
      return [name, lines.map((line) => JSON.parse(line))] as const;
    })),
  );
}

/** Whether a value is a JSON object. */
export function isPlain(value: unknown): value is Plain {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a request goes in a direction. */
export function mayAsk(
  { direction }: ControlEntry,
  wanted: "host-to-cli" | "cli-to-host",
): boolean {
  return direction === wanted || direction === "both";
}

/** Fields whose literals tell the shapes of a union apart. */
const TAGS = ["type", "subtype", "isReplay", "hook_event_name", "behavior"];

/** Names of the shapes of a union that a value may be, by its tags. */
export function shapesOf(
  { $defs }: Pick<Description, "$defs">,
  union: string,
  value: Plain,
): readonly string[] {
  const { anyOf, properties, required } = ($defs[union] ?? {}) as {
    readonly anyOf?: readonly Plain[];
    readonly properties?: Readonly<Record<string, Plain>>;
    readonly required?: readonly string[];
  };
  if (anyOf !== undefined) {
    return anyOf.flatMap(({ $ref }) =>
      shapesOf({ $defs }, String($ref).replace("#/$defs/", ""), value)
    );
  }
  const fits = TAGS.every((tag) => {
    const literals = literalsOf(properties?.[tag]);
    if (literals === undefined) return true;
    if (value[tag] === undefined) return required?.includes(tag) !== true;
    return literals.includes(value[tag]);
  });
  return fits ? [union] : [];
}

function literalsOf(field: Plain | undefined): readonly unknown[] | undefined {
  if (field === undefined) return undefined;
  if ("const" in field) return [field.const];
  const choices = field.anyOf as readonly Plain[] | undefined;
  return choices?.every((one) => "const" in one)
    ? choices.map((one) => one.const)
    : undefined;
}
