/** Whether the types of the packages fit the programs of strangers. */
import { listFiles, mustRun, say } from "../project.ts";
import { bin, copy, folder, path, write } from "./npm_consumer.ts";

/** Programs as users write them; the first is run as well. */
const PROGRAMS: readonly string[] = ["consumer.ts", "written.ts"];

/** The compilers that read the types: the oldest that is promised, the usual, the newest, and the native one. */
const COMPILERS: readonly string[] = ["5.2.2", "5.9.3", "6.0.3", "7.0.2"];

/** For packages that add little to the types of the first one, which all compilers read. */
const OLDEST_AND_NATIVE: readonly string[] = ["5.2.2", "7.0.2"];

/** Setups of a consumer: `module`, `moduleResolution`, and the compilers. */
const SETUPS: readonly (readonly [string, string, readonly string[]])[] = [
  ["nodenext", "nodenext", COMPILERS],
  ["esnext", "bundler", COMPILERS.slice(-1)],
];

/** Compiles what strangers write, as strictly as it goes. */
export async function compileConsumers(): Promise<void> {
  for (const file of PROGRAMS) await copy(`tests/package/${file}`);
  for (const setup of SETUPS) await compile(PROGRAMS, ...setup);
  // It reads no "exports", so that it finds the root entry alone.
  await copy("tests/package/root.ts");
  await compile(["root.ts"], "esnext", "node10", ["5.2.2", "5.9.3"]);
}

/** Compiles one file of a folder of the project, which has to be there. */
export async function compileIn(home: string, file: string): Promise<void> {
  await compile([home + file], "nodenext", "nodenext", OLDEST_AND_NATIVE);
}

async function compile(
  files: readonly string[],
  module: string,
  resolution: string,
  compilers: readonly string[],
): Promise<void> {
  const compilerOptions = {
    target: "es2022",
    lib: ["es2022", "dom"],
    module,
    moduleResolution: resolution,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    types: [],
  };
  const config = { compilerOptions, files };
  const file = `tsconfig.${files[0]?.replace("/", "_")}.${resolution}.json`;
  await write(file, JSON.stringify(config));
  for (const version of compilers) {
    const tsc = bin(
      `.deno/typescript@${version}/node_modules/typescript/bin/tsc`,
    );
    await mustRun("node", [tsc, "--project", `${path}/${file}`]);
  }
  const versions = compilers.join(", ");
  say(`types fit with moduleResolution ${resolution}: TypeScript ${versions}`);
}

/** The programs as Node runs them: compiled as strictly as it goes, but for the libraries of others. */
export async function compilePrograms(): Promise<void> {
  const programs = await listFiles(
    "tests/package/programs",
    (file) => file.endsWith(".ts") && !file.endsWith("_deno.test.ts"),
  );
  await Deno.mkdir(new URL("programs/", folder));
  for (const file of programs) await copy(file, "programs/");
  const compilerOptions = {
    target: "es2023",
    lib: ["es2023"],
    module: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    rewriteRelativeImportExtensions: true,
    types: ["node"],
  };
  const config = { compilerOptions, include: ["."] };
  await write("programs/tsconfig.json", JSON.stringify(config));
  const tsc = bin("typescript/bin/tsc");
  await mustRun("node", [tsc, "--project", `${path}/programs`]);
  say(`types fit ${programs.length} programs of users`);
}
