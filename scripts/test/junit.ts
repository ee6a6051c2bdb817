/** Reads the JUnit reports of the three runtimes, which agree on little. */

/** One test as a report tells it. */
export interface TestCase {
  readonly name: string;
  readonly outcome: "passed" | "failed" | "skipped";
  /** What the failure says, or why it is skipped where the report tells; else empty. */
  readonly text: string;
  /** How long it took. */
  readonly seconds: number;
}

/** Takes the tests out of a report; an empty or cut one gives those it holds. */
export function parseJunit(xml: string): readonly TestCase[] {
  const cases = xml.matchAll(
    /<testcase\b((?:[^>"]|"[^"]*")*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g,
  );
  return [...cases]
    .map(([, attributes = "", body = ""]) => toCase(attributes, body))
    .filter((one) => !isFileItself(one));
}

function toCase(attributes: string, body: string): TestCase {
  const name = unescape(/\bname="([^"]*)"/.exec(attributes)?.[1] ?? "");
  const seconds = Number(/\btime="([^"]*)"/.exec(attributes)?.[1] ?? 0);
  const failure =
    /<(failure|error)\b((?:[^>"]|"[^"]*")*?)(?:\/>|>([\s\S]*?)<\/\1>)/.exec(
      body,
    );
  if (failure !== null) {
    const [, , details = "", text = ""] = failure;
    const message = /\bmessage="([^"]*)"/.exec(details)?.[1] ?? "";
    const full = unescape(text).trim() || unescape(message);
    return { name, outcome: "failed", text: full, seconds };
  }
  const skip = /<skipped\b(?:[^>"]|"[^"]*")*>/.exec(body)?.[0];
  if (skip === undefined) return { name, outcome: "passed", text: "", seconds };
  const text = unescape(/\bmessage="([^"]*)"/.exec(skip)?.[1] ?? "");
  return { name, outcome: "skipped", text, seconds };
}

/** Node reports a program that declares no test as one passed test with the path as its name. */
function isFileItself(one: TestCase): boolean {
  return one.outcome === "passed" && isWholeFile(one);
}

/** Whether it tells of the program itself: Node does so when that fails outside of its tests, without saying why. */
export function isWholeFile({ name }: TestCase): boolean {
  return /test[\\/]part\.mjs$/.test(name);
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  apos: "'",
  gt: ">",
  lt: "<",
  quot: '"',
};

function unescape(text: string): string {
  return text.replace(
    /&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi,
    (whole, decimal, hex, named) => {
      if (decimal) return String.fromCodePoint(Number(decimal));
      if (hex) return String.fromCodePoint(parseInt(hex, 16));
      return ENTITIES[named] ?? whole;
    },
  );
}
