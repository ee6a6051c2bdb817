// Which requirements are proven by tests that ran and passed, which `npm test` says at its end.
//
//   deno run -A scripts/test/proof.ts            which ones no test cites
//   deno run -A scripts/test/proof.ts --who      the tests of each
import { type LaneProof, parseProof, provenBy } from "../../tests/_proof.ts";
import {
  readCitations,
  readNotes,
  readRequirements,
} from "../../tests/_requirements.ts";
import { conclude, ROOT_PATH, say, writeJson } from "../project.ts";

/** Record of the run: for each requirement its tests, and the lanes in which they passed. */
const RECORD = ".lane/proven.json";

/** Reads what each lane noted in its folder and says what is proven; gives what is neither proven nor excused. */
export async function judgeProof(
  folders: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  const proven = provenBy(await Promise.all([...folders].map(readLane)));
  // Only the lane of Node creates it.
  await Deno.mkdir(`${ROOT_PATH}.lane`, { recursive: true });
  await writeJson(RECORD, proven);
  const requirements = readRequirements();
  const excused = new Set(readNotes().flatMap(({ ids }) => ids));
  const open = requirements.filter(({ id }) =>
    proven[id] === undefined && !excused.has(id)
  );
  for (const { id, text } of open) {
    say(`requirements: no test that passed proves ${id} ${text}`);
  }
  const count = Object.keys(proven).length;
  say(
    `requirements: ${count} proven, ${excused.size} excused, ${open.length} open`,
  );
  return open.map(({ id }) => id);
}

async function readLane(
  [lane, folder]: readonly [string, string],
): Promise<LaneProof> {
  const lines = [];
  for (const { name } of await entries(folder)) {
    lines.push(...parseProof(await Deno.readTextFile(`${folder}/${name}`)));
  }
  return { lane, lines };
}

/** None when no test noted anything. */
async function entries(folder: string): Promise<readonly Deno.DirEntry[]> {
  try {
    return await Array.fromAsync(Deno.readDir(folder));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

/** Says which requirements no test cites. */
function judgeCitations(): never {
  const requirements = readRequirements();
  const citations = readCitations();
  const excused = new Set(readNotes().flatMap(({ ids }) => ids));
  if (Deno.args.includes("--who")) {
    for (const { id } of requirements) {
      say(`${id} ${citations.get(id)?.join(" ") ?? "-"}`);
    }
  }
  const open = requirements
    .filter(({ id }) => !citations.has(id) && !excused.has(id));
  conclude(
    open.map(({ id, text }) => `${id} ${text}`),
    `${requirements.length} requirements: ${citations.size} cited, ` +
      `${excused.size} excused`,
  );
}

if (import.meta.main) judgeCitations();
