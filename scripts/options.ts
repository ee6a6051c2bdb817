// Writes what is made of the table of options (src/options/table.ts) and the docstrings of `AgentOptions`: the tables of
// docs/options.md and docs/versions.md, and the flags and fields that ./compat sends; and the tables of docs/command.md
// from the commands of `sluice`. With --check only compares them.
import ts from "typescript";
import { COMMANDS } from "../src/command/commands.ts";
import {
  CLI_FLAGS,
  FLEET_FLAGS,
  NEEDED,
  VALUES,
  type Words,
} from "../src/command/flags.ts";
import { FEATURES } from "../src/options/features.ts";
import type { Option } from "../src/options/option.ts";
import { OPTION_ROWS } from "../src/options/table.ts";
import { formatted, keep, ROOT, say } from "./project.ts";
import { pageWith, table } from "./protocol/markdown.ts";

const PAGE = "docs/options.md";
const VERSIONS = "docs/versions.md";
const PROGRAM = "docs/command.md";
const COMPAT = "src/compat/generated/sent_options.ts";

/** Where the types of options are declared. */
const TYPES = ["src/types/options.ts", "src/types/permissions.ts"];
/** Unions of strings that options name. */
const UNIONS = ["src/protocol/session.ts", "src/protocol/permissions.ts"];

/** Interfaces whose keys are options of their own, by the key that holds them. */
const GROUPS: Readonly<Record<string, string>> = {
  permissions: "PermissionOptions",
  timeouts: "TimeoutOptions",
  shutdown: "ShutdownOptions",
  limits: "LimitOptions",
  health: "HealthOptions",
};

/** A key of the public type. */
interface Declared {
  readonly key: string;
  readonly type: string;
  readonly meaning: string;
}

const rows = new Map(OPTION_ROWS);
const sections = await declaredOptions();
const declared = [...sections.values()].flat();
const problems = [
  ...declared.filter(({ key }) => !rows.has(key))
    .map(({ key }) => `AgentOptions has "${key}", the table of options not`),
  ...[...rows.keys()].filter((key) => declared.every((one) => one.key !== key))
    .map((key) => `The table of options has "${key}", AgentOptions not`),
  ...declared.flatMap(({ key, meaning }) => {
    const { default: value } = rows.get(key) ?? {};
    return value === undefined || typeof value === "object" ||
        meaning.includes(`; ${shown(value)}.`)
      ? []
      : [`The docstring of "${key}" lacks its default, "; ${shown(value)}."`];
  }),
];

const files = new Map([
  [PAGE, await pageWith(PAGE, tables())],
  [VERSIONS, await pageWith(VERSIONS, new Map([["features", features()]]))],
  [PROGRAM, await pageWith(PROGRAM, commands())],
  [COMPAT, await formatted(compat(), "ts")],
]);
await keep(files, {
  fault: "differ from the options: run `npm run generate`",
  summary: `${rows.size} options are declared, checked, sent and documented`,
}, problems);
for (const problem of problems) say(problem);

/** One table for each section. */
function tables(): ReadonlyMap<string, string> {
  return new Map([...sections].map(([section, options]) => [
    section,
    section === "Limits"
      ? table(["option", "default", "meaning"], options, ({ key, meaning }) => [
        `\`${key}\``,
        quoted(rows.get(key)?.default),
        withoutDefault(meaning),
      ])
      : table(["option", "type", "meaning", "sent as"], options, (one) => [
        `\`${one.key}\``,
        `\`${one.type}\``,
        one.meaning,
        wayOf(rows.get(one.key)),
      ]),
  ]));
}

function features(): string {
  return table(
    ["since", "what is sent", "an older CLI gets"],
    Object.values(FEATURES).toSorted((one, other) =>
      one.release < other.release ? -1 : 1
    ),
    ({ release, sent, instead = "a `ConfigError`" }) => [
      release,
      sent,
      instead,
    ],
  );
}

/** The commands of `sluice`, and the flags that are not those of all. */
function commands(): ReadonlyMap<string, string> {
  const rows = Object.entries(COMMANDS);
  const usage = rows.map(([name, { arguments: words = {}, summary }]) => {
    const line = ["sluice", name, ...Object.keys(words)].join(" ");
    return [`\`${line}\``, summary];
  });
  const shared = new Set(Object.keys({ ...CLI_FLAGS, ...FLEET_FLAGS }));
  const own = rows.flatMap(([name, { flags = {} }]) => {
    const left = Object.entries(flags).filter(([flag]) => !shared.has(flag));
    return [[`flags of ${name}`, flagTable(Object.fromEntries(left))]] as const;
  });
  return new Map([
    ["commands", table(["command", "does"], usage, (cells) => cells)],
    ["flags of all", flagTable(CLI_FLAGS)],
    ["flags of fleets", flagTable(FLEET_FLAGS)],
    ...own.filter(([name]) => !/ (?:chat|doctor)$/.test(name)),
  ]);
}

function flagTable(flags: Words): string {
  return table(["flag", "does"], Object.entries(flags), ([flag, help]) => {
    const values = VALUES[/<(\w+)>/.exec(flag)?.[1] ?? ""];
    const choices = Array.isArray(values)
      ? `: ${values.map((one) => `\`${one}\``).join(", ")}`
      : "";
    const needed = NEEDED.some((one) => flag.startsWith(`--${one} `));
    const text = help.replaceAll(/'([^']+)'/g, "`$1`");
    return [`\`${flag}\``, `${text}${choices}${needed ? "; needed" : ""}`];
  });
}

/** How an option reaches the CLI. */
function wayOf(option: Option | undefined): string {
  if (option === undefined) return "";
  if (option.travels !== undefined) return option.travels;
  const { field, fields, variable } = option;
  const [flag] = [option.flag, ...Object.keys(option.flags ?? {})].filter(
    Boolean,
  );
  if (field ?? fields) return "init";
  if (variable) return "env";
  return flag === undefined ? "here" : `argv \`--${flag}\``;
}

function compat(): string {
  const flags = OPTION_ROWS.flatMap(([key, { flag, flags = {}, ...row }]) => [
    ...flag === undefined ? [] : [[flag, row.official ?? key]],
    ...[...Object.keys(flags), ...row.replaces ?? []].map((name) => [name]),
  ]).filter(([name], at, all) => all.findIndex(([one]) => one === name) === at);
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

/** The keys of the public types, by the comments that head sections of them. */
async function declaredOptions(): Promise<
  ReadonlyMap<string, readonly Declared[]>
> {
  const unions = await Promise.all(UNIONS.map(read));
  const sources = await Promise.all(TYPES.map(read));
  const bodies = sources.flatMap(({ statements }) => statements)
    .filter(ts.isInterfaceDeclaration);
  const bodyOf = (name: string) => {
    const body = bodies.find((one) => one.name.text === name);
    if (body === undefined) throw new Error(`${name} is not declared`);
    return body;
  };
  const found = new Map<string, Declared[]>();
  let section: Declared[] = [];

  function add(member: ts.TypeElement, prefix: string): void {
    if (!ts.isPropertySignature(member)) return;
    const key = prefix + member.name.getText();
    const group = GROUPS[key];
    if (group !== undefined) {
      for (const one of bodyOf(group).members) add(one, `${key}.`);
      return;
    }
    const [doc] = ts.getJSDocCommentsAndTags(member).filter(ts.isJSDoc);
    const comment = ts.getTextOfJSDocComment(doc?.comment) ?? "";
    const meaning = (comment.split("\n\n")[0] ?? "").replaceAll(/\s+/g, " ");
    section.push({ key, meaning, type: typeOf(member, unions) });
  }

  for (const member of bodyOf("AgentOptions").members) {
    const before = member.getFullText().split("/**")[0] ?? "";
    const heading = /\/\/ (.+)/.exec(before)?.[1];
    if (heading !== undefined) found.set(heading, section = []);
    add(member, "");
  }
  return found;
}

async function read(path: string): Promise<ts.SourceFile> {
  const text = await Deno.readTextFile(new URL(path, ROOT));
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
}

/** A type in few words. */
function typeOf(
  { type }: ts.PropertySignature,
  unions: readonly ts.SourceFile[],
): string {
  const text = (type?.getText() ?? "")
    .replaceAll(/\/\*\*.*?\*\//gs, "")
    .replaceAll(/\breadonly /g, "")
    .replaceAll(/\bReadonly<(.*)>/gs, "$1")
    .replaceAll(/\s+/g, " ")
    .replace(/^\| /, "")
    .replaceAll("; }", " }")
    .replace(/ \| undefined$/, "");
  if (text.includes("=>")) return "callback";
  if (text.includes(" in ")) return "object";
  if (text === "S") return "Schema";
  for (const { statements } of unions) {
    const alias = statements.filter(ts.isTypeAliasDeclaration)
      .find(({ name }) => name.text === text);
    if (alias === undefined || !ts.isUnionTypeNode(alias.type)) continue;
    return alias.type.types.map((one) => one.getText()).join(" | ");
  }
  return text;
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

/** A docstring without the default that has a column of its own. */
function withoutDefault(meaning: string): string {
  return meaning.replace(/; [^;.]+\.(?= |$)/, ".");
}
