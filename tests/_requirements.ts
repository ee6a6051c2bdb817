import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const TESTS = fileURLToPath(new URL("./", import.meta.url));

/** One row of the specification's list. */
export interface Requirement {
  readonly id: string;
  readonly area: string;
  readonly text: string;
}

/** Why no test cites some requirements yet. */
export interface RequirementNote {
  readonly reason: string;
  readonly ids: readonly string[];
}

/** All requirements, in the order of the specification. */
export function readRequirements(): readonly Requirement[] {
  return readJson("requirements.json") as readonly Requirement[];
}

/** The excuses. */
export function readNotes(): readonly RequirementNote[] {
  return readJson("requirement_notes.json") as readonly RequirementNote[];
}

/** Who cites what: the test files of each id, found in the source by `ids: [...]`. Whether they pass is another matter. */
export function readCitations(): ReadonlyMap<string, readonly string[]> {
  const citations = new Map<string, string[]>();
  for (const file of testFiles()) {
    const source = readFileSync(join(TESTS, file), "utf8");
    for (const [, list = ""] of source.matchAll(/\bids: \[([^\]]*)\]/g)) {
      for (const [, id = ""] of list.matchAll(/["']([^"']+)["']/g)) {
        const files = citations.get(id) ?? [];
        if (!files.includes(file)) files.push(file);
        citations.set(id, files);
      }
    }
  }
  return citations;
}

/** In the Node lane the tests are JavaScript. */
function testFiles(): readonly string[] {
  return readdirSync(TESTS, { recursive: true })
    .map(String)
    .filter((file) => /(_test|_suite)\.(ts|js|mjs)$/.test(file));
}

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(join(TESTS, name), "utf8"));
}
