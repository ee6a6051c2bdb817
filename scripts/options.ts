// Writes what is made of the table of options (src/options/table.ts): `AgentOptions` with its docstrings, the tables of
// docs/options.md and docs/versions.md, and the flags and fields that ./compat sends; and the tables of docs/command.md
// from the commands of `sluice`. With --check only compares them.
import ts from "typescript";
import {
  OFFICIAL_FLAGS,
  OFFICIAL_OPTIONS,
} from "../protocol/official_options.ts";
import { COMMANDS } from "../src/command/commands.ts";
import { EXIT_CODES } from "../src/command/exit_codes.ts";
import {
  AGENT_FLAGS,
  CLI_FLAGS,
  FLEET_FLAGS,
  NEEDED,
  VALUES,
  type Words,
} from "../src/command/flags.ts";
import { FEATURES } from "../src/options/features.ts";
import type { Option } from "../src/options/option.ts";
import { EFFORTS, PERMISSION_MODES } from "../src/protocol/values.ts";
import { OPTION_ROWS, SECTIONS } from "../src/options/table.ts";
import { formatted, keep, listFiles, ROOT, say } from "./project.ts";
import { withImports } from "./protocol/imports.ts";
import { listItem, pageWith, table } from "./protocol/markdown.ts";

const PAGE = "docs/options.md";
const VERSIONS = "docs/versions.md";
const PROGRAM = "docs/command.md";
const PORTING = "docs/porting.md";
const COMPAT = "src/compat/generated/sent_options.ts";

const AGENT = "src/types/options.ts";
/** The longest type that stands in a cell. */
const WIDE = 32;
/** Unions of strings that options name. */
const UNIONS: Readonly<Record<string, readonly string[]>> = {
  Effort: EFFORTS,
  PermissionMode: PERMISSION_MODES,
};

/** The source of a row, beside its value. */
interface Declared {
  /** Its comment. */
  readonly doc: string;
  /** The first paragraph of that. */
  readonly meaning: string;
  readonly type: ts.TypeNode;
}

const rows = new Map(OPTION_ROWS);
const rowFiles = await listFiles(
  "src/options",
  (path) => /\/(?:\w+_options|option|table)\.ts$/.test(path),
);
const sources = await Promise.all(rowFiles.map(read));
const declared = new Map(sources.flatMap(declaredIn));
const problems = [...rows].flatMap(([key, { default: value }]) => {
  const one = declared.get(key);
  return one === undefined
    ? [`The row of "${key}" is not option<Type>({ ... }) below a comment`]
    : value === undefined || typeof value === "object" ||
        one.meaning.includes(`; default: ${shown(value)}.`)
    ? []
    : [
      `The comment on "${key}" lacks its default, "; default: ${
        shown(value)
      }."`,
    ];
});

const files = new Map([
  [PAGE, await pageWith(PAGE, tables())],
  [VERSIONS, await pageWith(VERSIONS, new Map([["features", features()]]))],
  [PROGRAM, await pageWith(PROGRAM, commands())],
  [PORTING, await pageWith(PORTING, officialOptions())],
  [COMPAT, await formatted(compat(), "ts")],
  [AGENT, await formatted(agentOptions(), "ts")],
]);
await keep(files, {
  fault: "differ from the options: run `npm run generate`",
  summary: `${rows.size} options are declared, checked, sent and documented`,
}, problems);
for (const problem of problems) say(problem);

/** One table for each section; what does not fit into a cell stands in a list below it. */
function tables(): ReadonlyMap<string, string> {
  const heads = ["option", "type", "default", "meaning", "sent as"];
  return new Map(
    Object.entries(SECTIONS).map(([section, options]) => {
      const rows = Object.entries(options).map(([key, row]) =>
        [key, row, typeOf(declared.get(key)?.type)] as const
      );
      const notes = rows.flatMap(([key, , type]) => {
        const parts = [
          ...type.length > WIDE ? [`\`${type}\`.`] : [],
          ...sentencesOf(key).slice(1),
        ];
        return parts.length === 0
          ? []
          : [listItem(`\`${key}\`: ${parts.join(" ")}`)];
      });
      const rowsTable = table(heads, rows, ([key, row, type]) => {
        const [first = ""] = sentencesOf(key);
        const [meaning = "", byDefault = ""] = first.split("; default: ");
        return [
          `\`${key}\``,
          type.length > WIDE ? shortOf(type) : `\`${type}\``,
          byDefault.replace(/\.$/, ""),
          byDefault === "" ? meaning : `${meaning}.`,
          wayOf(row),
        ];
      });
      return [section, [rowsTable, notes.join("\n")].join("\n\n")];
    }),
  );
}

/** Short form of a type that is too long for a cell. */
function shortOf(type: string): string {
  return /^(?:"\w+"(?: \| )?)+$/.test(type) ? "`string`" : "see below";
}

/** The sentences of an option's meaning. */
function sentencesOf(key: string): readonly string[] {
  return (declared.get(key)?.meaning ?? "").split(/(?<=\.) (?=[A-Z\`"])/);
}

/** The public types: the groups, then all options. */
function agentOptions(): string {
  const keys = [...rows.keys()];
  const groupOf = (key: string) => key.split(".")[0] ?? "";
  const groups = new Set(keys.filter((key) => key.includes(".")).map(groupOf));
  const body = Object.entries(SECTIONS).flatMap(([section, options]) => [
    `// ${section}`,
    ...new Set(Object.keys(options).map((key) => memberOf(groupOf(key)))),
    "",
  ]);
  const source = [
    ...[...groups].map((group) => {
      const { doc, type } = declared.get(group) ?? {};
      const members = keys.filter((key) => key.startsWith(`${group}.`))
        .map((key) => memberOf(key));
      return `${doc}\nexport interface ${type?.getText()} {\n${
        members.join("\n")
      }\n}`;
    }),
    `/**
 * Everything that can be set; every key is optional.
 *
 * An unknown key, a wrong type, a value out of range or a contradiction throws \`ConfigError\` before anything starts.
 * Options travel in \`initialize\` where possible, not on the command line, which other users of the machine can read.
 *
 * @typeParam S The schema of the structured output
 */
export interface AgentOptions<S extends Schema = Schema> {\n${
      body.join("\n")
    }}`,
  ].join("\n\n");
  return `// Made from src/options/ by \`npm run generate\`; edit that.\n${
    withImports(source, owners())
  }\n`;
}

function memberOf(key: string): string {
  const { doc, type } = declared.get(key) ?? {};
  const text = type?.getText() === "Schema" ? "S" : type?.getText();
  const whole = text?.includes("=>") ? `(${text})` : text;
  return `${doc}\nreadonly ${key.split(".").at(-1)}?: ${whole} | undefined;`;
}

/** The types that rows name, each with its file as seen from the public types. */
function owners(): readonly (readonly [string, string])[] {
  return sources.flatMap(({ statements }) =>
    statements.filter(ts.isImportDeclaration)
      .flatMap(({ importClause, moduleSpecifier }) => {
        const names = importClause?.namedBindings;
        const file = moduleSpecifier.getText().slice(1, -1);
        if (names === undefined || !ts.isNamedImports(names)) return [];
        return names.elements.map(({ name }) =>
          [name.text, file.replace("../types/", "./")] as const
        );
      })
  );
}

function features(): string {
  // Where the name of the option is not enough.
  const uses: Readonly<Record<string, string>> = {
    fileMentions: "tool lists that exclude `Read`",
    allowedTools: "`allowedTools` with patterns of `Read`",
    "permissions.canUseTool": "`canUseTool` or `approvals`, without `mode`",
    hooks: "`hooks` of `PreSkillShellCommand`",
    mcpServers: '`mcpServers` with `via: "cli"`',
    settings: "`settings`, `sandbox`",
  };
  return table(
    ["since", "option", "Sluice sends", "Sluice sends to an older CLI"],
    Object.entries(FEATURES).toSorted(([, one], [, other]) =>
      one.release < other.release ? -1 : 1
    ),
    (
      [name, { release, sent, instead = "nothing; throws a `ConfigError`" }],
    ) => [
      release,
      uses[name] ?? `\`${name}\``,
      sent,
      instead,
    ],
  );
}

/** The options of the official SDK that have another name here, and those that have the same. */
function officialOptions(): ReadonlyMap<string, string> {
  const helps = new Map(
    OPTION_ROWS.flatMap(([key, { hints, official }]) => [
      ...official === undefined ? [] : [[official, key] as const],
      ...Object.entries(hints ?? {}),
    ]),
  );
  const names = Object.keys(OFFICIAL_OPTIONS);
  const renamed = names.flatMap((name) => {
    const help = helps.get(name);
    return help === undefined ? [] : [[name, help] as const];
  });
  const same = names.filter((name) => !helps.has(name));
  const shown = (help: string) =>
    help.includes(" ")
      ? help.replace(/^use /, "").replaceAll(/"([^"]+)"/g, "`$1`")
      : `\`${help}\``;
  return new Map([
    [
      "renamed options",
      table(
        ["official SDK", "Sluice"],
        renamed,
        ([name, help]) => [`\`${name}\``, shown(help)],
      ),
    ],
    ["same options", listItem(same.map((name) => `\`${name}\``).join(", "))],
  ]);
}

/** The commands of `sluice`, and the flags that are not those of all. */
function commands(): ReadonlyMap<string, string> {
  const rows = Object.entries(COMMANDS);
  const usage = rows.map(([name, { arguments: words = {}, summary }]) => {
    const line = ["sluice", name, ...Object.keys(words)].join(" ");
    return [`\`${line}\``, summary];
  });
  const shared = { ...CLI_FLAGS, ...FLEET_FLAGS };
  const own = rows.flatMap(([name, { flags = {} }]) => {
    // Those of every agent stand at `run`.
    const others = name === "run" ? shared : { ...shared, ...AGENT_FLAGS };
    const left = Object.entries(flags).filter(([flag]) => !(flag in others));
    const list = flagList(Object.fromEntries(left));
    return list === "" ? [] : [[`flags of ${name}`, list] as const];
  });
  return new Map([
    ["commands", table(["command", "does"], usage, (cells) => cells)],
    [
      "exit codes",
      table(["code", "meaning"], [...EXIT_CODES], (cells) => cells.map(String)),
    ],
    ["flags of all", flagList(CLI_FLAGS)],
    ["flags of fleets", flagList(FLEET_FLAGS)],
    ...own,
  ]);
}

function flagList(flags: Words): string {
  return Object.entries(flags).map(([flag, help]) => {
    const values = VALUES[/<(\w+)>/.exec(flag)?.[1] ?? ""];
    const choices = Array.isArray(values)
      ? `: ${values.map((one) => `\`${one}\``).join(", ")}`
      : "";
    const needed = NEEDED.some((one) => flag.startsWith(`--${one} `));
    const text = help.replaceAll(/'([^']+)'/g, "`$1`");
    return `- \`${flag}\`: ${text}${choices}${needed ? "; required" : ""}`;
  }).join("\n");
}

/** Way of an option to the CLI. */
function wayOf(option: Option | undefined): string {
  if (option === undefined) return "";
  if (option.travels !== undefined) return option.travels;
  const { field, fields, variable } = option;
  const [flag] = [option.flag, ...Object.keys(option.flags ?? {})].filter(
    Boolean,
  );
  if (field ?? fields) return "init";
  if (variable) return "env";
  return flag === undefined ? "not sent" : `\`--${flag}\``;
}

/** Flags that the official SDK does not have come last. */
function placeOf(flag: string): number {
  const place = OFFICIAL_FLAGS.indexOf(flag);
  return place === -1 ? OFFICIAL_FLAGS.length : place;
}

function compat(): string {
  const flags = OPTION_ROWS.flatMap(([key, { flag, flags = {}, ...row }]) => [
    ...flag === undefined ? [] : [[flag, row.official ?? key]],
    ...[...Object.keys(flags), ...row.replaces ?? []].map((name) => [name]),
  ]).filter(([name], at, all) => all.findIndex(([one]) => one === name) === at)
    .toSorted(([one = ""], [other = ""]) => placeOf(one) - placeOf(other));
  const fields = OPTION_ROWS.flatMap(([key, { field, official = key }]) =>
    field === undefined ? [] : [[field, official]]
  );
  const variables = Object.fromEntries(
    OPTION_ROWS.flatMap(([key, { variable, official = key }]) =>
      variable === undefined ? [] : [[official, variable[0]]]
    ),
  );
  return `// Made from src/options/ by \`npm run generate\`; edit that.

/** Flags of the CLI in the order of the official SDK, each with the option whose value it has; without one it is made. */
export const FLAGS: readonly (readonly [flag: string, option?: string])[] = ${
    JSON.stringify(flags)
  };

/** Fields of \`initialize\`, each with the option whose value it has. */
export const FIELDS: readonly (readonly [field: string, option: string])[] = ${
    JSON.stringify(fields)
  };

/** Variables of the CLI, by the option that sets them. */
export const VARIABLES: Readonly<Record<${
    Object.keys(variables).map((one) => JSON.stringify(one)).join(" | ")
  }, string>> = ${JSON.stringify(variables)};
`;
}

/** The rows of a file, and the groups that it declares. */
function declaredIn(
  source: ts.SourceFile,
): readonly (readonly [string, Declared])[] {
  const found: [string, Declared][] = [];
  function look(node: ts.Node): void {
    ts.forEachChild(node, look);
    const type = ts.isPropertyAssignment(node) &&
        ts.isCallExpression(node.initializer)
      ? node.initializer.typeArguments?.[0]
      : ts.isPropertySignature(node) && node.parent.parent === source
      ? node.type
      : undefined;
    const [doc] = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
    if (doc === undefined || type === undefined) return;
    const comment = ts.getTextOfJSDocComment(doc.comment) ?? "";
    const meaning = (comment.split("\n\n")[0] ?? "").replaceAll(/\s+/g, " ");
    const { name } = node as ts.PropertyAssignment | ts.PropertySignature;
    const key = name.getText().replaceAll('"', "");
    found.push([key, { doc: doc.getText(), meaning, type }]);
  }
  look(source);
  return found;
}

async function read(path: string): Promise<ts.SourceFile> {
  const text = await Deno.readTextFile(new URL(path, ROOT));
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
}

/** A type in few words. */
function typeOf(type: ts.TypeNode | undefined): string {
  const text = (type?.getText() ?? "")
    .replaceAll(/\/\*\*.*?\*\//gs, "")
    .replaceAll(/\breadonly /g, "")
    .replaceAll(/\bReadonly<(.*)>/gs, "$1")
    .replaceAll(/\s+/g, " ")
    .replace(/^\| /, "")
    .replaceAll("; }", " }");
  if (text.includes("=>")) return "callback";
  if (text.includes(" in ")) return "object";
  return UNIONS[text]?.map((one) => JSON.stringify(one)).join(" | ") ?? text;
}

/** A default as docstrings write it. */
function shown(value: unknown): string {
  if (typeof value !== "number") return quoted(value);
  if (value % 1024 !== 0) {
    return String(value).replace(/\B(?=(?:\d{3})+$)/g, " ");
  }
  const kib = value / 1024;
  return kib % 1024 === 0 ? `${kib / 1024} MiB` : `${kib} KiB`;
}

function quoted(value: unknown): string {
  return typeof value === "string"
    ? `\`${JSON.stringify(value)}\``
    : typeof value === "number"
    ? shown(value)
    : String(value);
}
