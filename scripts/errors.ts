// Makes the index and the sections of docs/errors.md from the classes of errors and their docstrings. With --check only
// compares them.
import ts from "typescript";
import { keep, listFiles, ROOT, say } from "./project.ts";
import { listItem, pageWith, table } from "./protocol/markdown.ts";

const PAGE = "docs/errors.md";

/** Files with classes of errors, and the package that exports those which the main entry does not. */
const OTHER_FILES: Readonly<Record<string, string>> = {
  "src/mcp/failure.ts": "@sluice/agent/mcp",
  "fleet/src/errors.ts": "@sluice/fleet",
};

/** An error as its class describes it. */
interface Fault {
  readonly name: string;
  /** Its codes, each with its own sentence where there are several. */
  readonly codes: readonly (readonly [code: string, about: string])[];
  readonly meaning: string;
  readonly fix: string;
  /** Items of a list. */
  readonly fields: readonly string[];
  readonly base: string;
  readonly entry: string | undefined;
}

const files = [...await listFiles("src/errors"), ...Object.keys(OTHER_FILES)];
const sources = await Promise.all(files.map(read));
const unions = new Map(sources.flatMap((source) => unionsIn(source)));
const faults = sources.flatMap(faultsIn).toSorted((one, other) =>
  one.name < other.name ? -1 : 1
);
const problems = faults.filter(({ fix, base }) => fix === "" && base !== "")
  .map(({ name }) => `The docstring of ${name} has no paragraph "Fix: ..."`);
const parts = new Map([
  ["errors", index()],
  ["error codes", faults.map(section).join("\n\n")],
]);
await keep(new Map([[PAGE, await pageWith(PAGE, parts)]]), {
  fault: "differs from the classes: run `npm run generate`",
  summary: `${faults.length} classes of errors are documented`,
}, problems);
for (const problem of problems) say(problem);

/** Codes and classes, in the order of the codes. */
function index(): string {
  const rows = faults.flatMap((fault) =>
    fault.codes.map(([code]) => [code, fault] as const)
  ).toSorted(([one], [other]) => one < other ? -1 : 1);
  return table(["code", "class"], rows, ([code, { name }]) => [
    `\`${code}\``,
    `[\`${name}\`](#${name.toLowerCase()})`,
  ]);
}

function section(fault: Fault): string {
  const { name, codes, meaning, fix, fields, entry } = fault;
  const own = codes.filter(([, about]) => about !== "");
  const code = own.length === 0 ? `Code \`${codes[0]?.[0]}\`. ` : "";
  const from = entry === undefined ? "" : `\nExported by \`${entry}\`.`;
  return [
    `### ${name}`,
    code + meaning + from,
    own.map(([one, about]) => listItem(`\`${one}\`: ${about}`)).join("\n"),
    own.length > 0 && fix === "Depends on the code." ? "" : `**Fix:** ${fix}`,
    fields.length === 0 ? "" : `Fields:\n\n${fields.join("\n")}`,
  ].filter((part) => part !== "").join("\n\n");
}

/** The exported classes of a file that have a code. */
function faultsIn(source: ts.SourceFile): readonly Fault[] {
  return source.statements.filter(ts.isClassDeclaration).flatMap((node) => {
    const base = node.heritageClauses?.[0]?.types[0]?.expression.getText();
    const name = node.name?.text ?? "";
    if (base === undefined || base === "Error") return [];
    const members = node.members.filter(ts.isPropertyDeclaration)
      .map((one) => [one.name.getText(), one] as const);
    const [meaning = "", ...more] = docOf(node).split("\n\n");
    const fix = more.find((one) => one.startsWith("Fix: ")) ?? "";
    const fields = members.filter(([key]) => key !== "name" && key !== "code")
      .map(([key, one]) => fieldOf(key, one));
    return [{
      name,
      codes: codesOf(new Map(members).get("code"), name),
      meaning: meaning.replaceAll("\n", " "),
      fix: fix.slice("Fix: ".length).replaceAll("\n", " "),
      fields,
      base,
      entry: OTHER_FILES[source.fileName],
    }];
  });
}

/** The literals of a code; those of a template by the members of its union. */
function codesOf(
  code: ts.PropertyDeclaration | undefined,
  name: string,
): Fault["codes"] {
  const literal = code?.initializer;
  if (literal !== undefined && ts.isStringLiteral(literal)) {
    return [[literal.text, ""]];
  }
  const [prefix, union] = name === "CliError"
    ? ["cli_", "CliStage"]
    : ["protocol_", "ProtocolCategory"];
  return (unions.get(union) ?? [])
    .filter(([, about]) => !about.includes("`cli_"))
    .map(([member, about]) => [prefix + member, about]);
}

/** An item for a field; members of a union with comments stand below it. */
function fieldOf(name: string, field: ts.PropertyDeclaration): string {
  const doc = docOf(field).replaceAll("\n", " ");
  const members = unions.get(field.type?.getText() ?? "") ?? [];
  if (members.length === 0) return listItem(`\`${name}\`: ${doc}`);
  const about = doc.replace(/\.$/, "");
  if (name === "fault") {
    const below = members.map(([member, text]) =>
      `  ${listItem(`\`"${member}"\`: ${text}`)}`
    );
    return [listItem(`\`${name}\`: ${about}:`), ...below].join("\n");
  }
  const words = members.map(([member]) => `\`"${member}"\``).join(", ");
  return listItem(`\`${name}\`: ${about}: ${words}.`);
}

/** Unions of strings whose members have comments, by name. */
function unionsIn(
  source: ts.SourceFile,
): readonly (readonly [string, Fault["codes"]])[] {
  return source.statements.filter(ts.isTypeAliasDeclaration)
    .flatMap(({ name, type }) => {
      if (!ts.isUnionTypeNode(type)) return [];
      let from = type.getFullStart();
      const members = type.types.map((one) => {
        const before = source.text.slice(from, one.getStart());
        from = one.getEnd();
        const [, about = ""] = /\/\*\* (.*?) \*\//s.exec(before) ?? [];
        return [one.getText().replaceAll('"', ""), about] as const;
      });
      return [[name.text, members] as const];
    });
}

function docOf(node: ts.Node): string {
  const [doc] = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  return ts.getTextOfJSDocComment(doc?.comment) ?? "";
}

async function read(path: string): Promise<ts.SourceFile> {
  const text = await Deno.readTextFile(new URL(path, ROOT));
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
}
