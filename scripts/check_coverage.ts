// Holds the tests of MCP and of sessions to the share of lines they have to run through.
//
//   deno task coverage            prints the share of each room and its weakest files
import {
  conclude,
  DENO,
  listFiles,
  mustRun,
  remove,
  ROOT_PATH,
  say,
} from "./project.ts";

const LEAST_PERCENT = 90;
const ROOMS = ["mcp", "session"];
const WEAKEST = 3;
const FOLDER = "coverage";
/** Programs at once. */
const HANDS = 4;

/** Lines of code, and those of them that ran. */
interface Lines {
  readonly file: string;
  readonly found: number;
  readonly hit: number;
}

await remove(FOLDER);
say(`Running the tests of ${ROOMS.join(" and ")}`);
const tests = (await Promise.all(
  ROOMS.map((room) =>
    listFiles(`tests/${room}`, (path) => path.endsWith("_test.ts"))
  ),
)).flat();
const flags = ["-A", "--no-check", "--quiet", `--coverage=${FOLDER}`];
// File after file, a program waits about as long as it computes.
await Promise.all(
  Array.from({ length: HANDS }, (_, hand) => {
    const dealt = tests.filter((_path, index) => index % HANDS === hand);
    return mustRun(DENO, ["test", ...flags, ...dealt]);
  }),
);
const report = await mustRun(DENO, ["coverage", "--lcov", FOLDER]);
await remove(FOLDER);

const files = read(report);
const problems = ROOMS.flatMap((room) => {
  const inRoom = files.filter(({ file }) => file.startsWith(`src/${room}/`));
  const total = percent(inRoom);
  say(`${room}: ${total.toFixed(1)} % of the lines of ${inRoom.length} files`);
  const weakest = inRoom.toSorted((a, b) => percent([a]) - percent([b]));
  for (const one of weakest.slice(0, WEAKEST)) {
    say(`  ${percent([one]).toFixed(1)} % ${one.file}`);
  }
  return total >= LEAST_PERCENT
    ? []
    : [`src/${room} is covered to ${total.toFixed(1)} %`];
});
conclude(problems, `Coverage is ${LEAST_PERCENT} % or more`);

/** The files of an lcov report: a record ends with `end_of_record`. */
function read(lcov: string): readonly Lines[] {
  return lcov.split("end_of_record").flatMap((record) => {
    const field = (name: string) =>
      record.match(new RegExp(`^${name}:(.+)$`, "m"))?.[1];
    const path = field("SF");
    if (path === undefined) return [];
    return [{
      file: path.replace(ROOT_PATH, "").replaceAll("\\", "/"),
      found: Number(field("LF")),
      hit: Number(field("LH")),
    }];
  });
}

/** 0 when there is nothing: a room without files has moved. */
function percent(files: readonly Lines[]): number {
  const found = files.reduce((sum, one) => sum + one.found, 0);
  const hit = files.reduce((sum, one) => sum + one.hit, 0);
  return found === 0 ? 0 : 100 * hit / found;
}
