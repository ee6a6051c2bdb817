// Holds the tests of MCP and of sessions to the share of lines they have to run through.
//
//   deno task coverage   runs them, prints the share of each room and its weakest files
import {
  conclude,
  DENO,
  listFiles,
  mustRun,
  ROOT_PATH,
  say,
} from "./project.ts";

const LEAST_PERCENT = 90;
const ROOMS = ["mcp", "session"];
const WEAKEST = 3;
/** Programs at once. */
const HANDS = 4;

/** Lines of code, and those of them that ran. */
interface Lines {
  readonly file: string;
  readonly found: number;
  readonly hit: number;
}

if (import.meta.main) await judge();

/** Measures, and says what lacks. */
async function judge(): Promise<never> {
  const folder = await measure();
  const cut = await dropCutFiles(folder);
  if (cut > 0) say(`Left out, half written by killed programs: ${cut} files`);
  const report = await mustRun(DENO, [
    "coverage",
    "--lcov",
    `--include=/src/(${ROOMS.join("|")})/`,
    folder,
  ]);
  await Deno.remove(folder, { recursive: true });

  const files = read(report);
  const problems = ROOMS.flatMap((room) => {
    const inRoom = files.filter(({ file }) => file.startsWith(`src/${room}/`));
    const total = percent(inRoom);
    say(
      `${room}: ${total.toFixed(1)} % of the lines of ${inRoom.length} files`,
    );
    const weakest = inRoom.toSorted((a, b) => percent([a]) - percent([b]));
    for (const one of weakest.slice(0, WEAKEST)) {
      say(`  ${percent([one]).toFixed(1)} % ${one.file}`);
    }
    return total >= LEAST_PERCENT
      ? []
      : [`src/${room} is covered to ${total.toFixed(1)} %`];
  });
  conclude(problems, `Coverage is ${LEAST_PERCENT} % or more`);
}

/** Runs the tests of the rooms; gives the folder with what they ran through. */
async function measure(): Promise<string> {
  say(`Running the tests of ${ROOMS.join(" and ")}`);
  const folder = await Deno.makeTempDir({ prefix: "coverage_" });
  const lists = await Promise.all(
    ROOMS.map((room) =>
      listFiles(`tests/${room}`, (path) => path.endsWith("_test.ts"))
    ),
  );
  // File after file, a program waits about as long as it computes.
  await Promise.all(
    Array.from({ length: HANDS }, (_, hand) => {
      const dealt = lists.flat().filter((_, index) => index % HANDS === hand);
      return mustRun(
        DENO,
        ["test", "-A", "--no-check", "--quiet", ...dealt],
        { env: { DENO_COVERAGE_DIR: folder } },
      );
    }),
  );
  return folder;
}

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

/** Removes coverage files that are not whole JSON, which `deno coverage` fails at; gives how many there were. */
export async function dropCutFiles(folder: string): Promise<number> {
  let count = 0;
  for await (const { name } of Deno.readDir(folder)) {
    if (!name.endsWith(".json")) continue;
    const path = `${folder}/${name}`;
    if (isJson(await Deno.readTextFile(path))) continue;
    await Deno.remove(path);
    count++;
  }
  return count;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
