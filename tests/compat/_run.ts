// deno-lint-ignore-file no-console -- a program shows what happens
// Runs programs one after the other, each on the package that its line on stdin names; says so behind each of them.
import process from "node:process";
import { createInterface } from "node:readline";
import { inspect } from "node:util";
import type { Place, ProgramModule, Sdk } from "./_program.ts";
import type { Errand } from "./_runner.ts";

const ending = import.meta.url.slice(-3);
const environment = { ...process.env };

for await (const line of createInterface({ input: process.stdin })) {
  const { name, sdk, options, stdioServer, over }: Errand = JSON.parse(line);
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
  restore();
  process.stdout.write(over);
}

/** Each program has the environment that the first one had. */
function restore(): void {
  for (const name of Object.keys(process.env)) {
    if (!(name in environment)) delete process.env[name];
  }
  Object.assign(process.env, environment);
}

function shown(value: unknown): string {
  return typeof value === "string"
    ? value
    : inspect(value, { depth: 9, breakLength: Infinity, sorted: true });
}
