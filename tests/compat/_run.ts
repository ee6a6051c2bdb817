// deno-lint-ignore-file no-console -- a program shows what happens
// Runs one program on one package: `_run.ts <program> [package]`, its place as JSON in PLACE.
import process from "node:process";
import { inspect } from "node:util";
import type { Place, ProgramModule, Sdk } from "./_program.ts";

const [name = "", sdk = ""] = process.argv.slice(2);
const { options, stdioServer } = JSON.parse(process.env["PLACE"] ?? "{}");
const ending = import.meta.url.slice(-3);
const program = new URL(`./programs/${name}${ending}`, import.meta.url).href;
const [module, package_]: [ProgramModule, Sdk] = await Promise.all([
  import(program),
  sdk === "" ? import("../../src/compat/mod.ts") : import(sdk),
]);
const place: Place = {
  options,
  stdioServer,
  print: (...values) => console.log(values.map(shown).join(" ")),
};
await module.default(package_, place);

function shown(value: unknown): string {
  return typeof value === "string"
    ? value
    : inspect(value, { depth: 9, breakLength: Infinity, sorted: true });
}
