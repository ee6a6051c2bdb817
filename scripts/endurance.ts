// Repeats what must hold however often it is done, other rounds in every run.
//
//   deno task endurance                                    every section, 200 rounds on each runtime
//   deno task endurance -- hosts --rounds=100              hosts that end in every way, 100 of each
//   deno task endurance -- lost --rounds=2000 --runtime=node
//   deno task endurance -- lost --rounds=1 --seed=42 --runtime=bun     one round again
import { compiledPath, writeNodeTree } from "./test/node_lane.mjs";
import { BUN, commandLine, DENO, remove, ROOT_PATH, say } from "./project.ts";
import { endureHosts } from "../tests/endurance/hosts.ts";

const SECTIONS: readonly string[] = ["lost", "hosts"];
const MAIN = "tests/endurance/main.ts";
const NODE_TREE = `.lane/endurance-${Deno.pid}`;
const USAGE = `deno task endurance [-- ${SECTIONS.join(" | ")}] ` +
  "[--rounds=200] [--runtime=deno,bun,node] [--seed=N]";

/** How each runtime runs a program of the tests. */
const RUNTIMES: Readonly<
  Record<string, (file: string) => readonly [string, ...string[]]>
> = {
  deno: (file) => [
    DENO,
    "run",
    "-A",
    "--no-config",
    "--no-lock",
    "--no-check",
    "--quiet",
    file,
  ],
  bun: (file) => [BUN, file],
  node: (file) => [
    "node",
    "--enable-source-maps",
    `${NODE_TREE}/${compiledPath(file)}`,
  ],
};

const { flags: settings, names } = commandLine();
const sections = names.length === 0 ? SECTIONS : names;
const runtimes = settings.get("runtime")?.split(",") ?? Object.keys(RUNTIMES);
const rounds = Number(settings.get("rounds") ?? 200);
const seed = Number(
  settings.get("seed") ?? Math.floor(Math.random() * 2 ** 30),
);
const unknown = [
  ...sections.filter((one) => !SECTIONS.includes(one)),
  ...runtimes.filter((one) => !(one in RUNTIMES)),
  ...[...settings.keys()].filter((one) =>
    !["rounds", "runtime", "seed"].includes(one)
  ),
];
if (unknown.length > 0 || !(rounds > 0) || !(seed >= 0)) {
  say(`Unknown: ${unknown.join(", ") || "a number"}\n${USAGE}`);
  Deno.exit(64);
}

if (runtimes.includes("node")) await writeNodeTree(ROOT_PATH + NODE_TREE);
let isGreen = true;
for (const section of sections) {
  for (const runtime of runtimes) {
    say(`${runtime}: ${section}, ${rounds} rounds (--seed=${seed})`);
    const programOf = RUNTIMES[runtime] ?? (() => [DENO]);
    if (section === "hosts") {
      if (!await endureHosts(runtime, programOf, rounds)) isGreen = false;
      continue;
    }
    const [command, ...flags] = programOf(MAIN);
    const { success } = await new Deno.Command(command, {
      args: [...flags, section, `${rounds}`, `${seed}`],
      cwd: ROOT_PATH,
      stdin: "null",
    }).spawn().status;
    if (!success) isGreen = false;
  }
}
await remove(NODE_TREE);
Deno.exit(isGreen ? 0 : 1);
