// Prints which requirements no test cites; which of the cited ones are proven is said at the end of `npm test`. With --prune, notes lose the ids
// that a test cites by now; with --who, each id is followed by its tests.
import { conclude, say, writeJson } from "./project.ts";
import {
  readCitations,
  readNotes,
  readRequirements,
} from "../tests/_requirements.ts";

const requirements = readRequirements();
const citations = readCitations();
if (Deno.args.includes("--prune")) {
  const notes = readNotes()
    .map(({ reason, ids }) => ({
      reason,
      ids: ids.filter((id) => !citations.has(id)),
    }))
    .filter(({ ids }) => ids.length > 0);
  await writeJson("tests/requirement_notes.json", notes);
}
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
