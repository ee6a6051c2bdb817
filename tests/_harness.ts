import { test as nodeTest } from "node:test";
import { note } from "./_proof.ts";

const DEFAULT_TIMEOUT_MS = 60_000;

/** What a test function gets. */
export interface TestContext {
  /** Aborts when the time of the test is up. */
  readonly signal: AbortSignal;
}

/** Options of {@link test}. */
export interface TestOptions {
  /** Requirements of the specification that the test proves when it ran and passed; see `_proof.ts`. */
  readonly ids?: readonly string[];
  /** Why the test is left out; decided before it starts, because Deno counts a skip from inside as a pass. */
  readonly skip?: string | undefined;
  /** The one runtime that has what is tested; in the other lanes there is no such test. */
  readonly only?: "deno";
  /** Milliseconds until the test fails, 60 000 unless given. */
  readonly timeoutMs?: number;
}

/**
 * Declares a test. Under Deno it is a `Deno.test`: those are watched for leaked
 * processes, timers and streams, tests declared through `node:test` never are.
 */
export function test(
  name: string,
  fn: (context: TestContext) => void | Promise<void>,
  { ids = [], skip, only, timeoutMs = DEFAULT_TIMEOUT_MS }: TestOptions = {},
): void {
  if (only === "deno" && !("Deno" in globalThis)) return;
  const run = async () => {
    note({ test: name, ids, state: "began" });
    await runLimited(name, fn, timeoutMs);
    note({ test: name, ids, state: "passed" });
  };
  if (skip !== undefined) note({ test: name, ids, state: "skipped" });
  if ("Deno" in globalThis) {
    Deno.test({ name, fn: run, ignore: skip !== undefined });
  } else {
    // The limit is ours, so that it reads the same everywhere; the runtime's own comes later.
    const timeout = timeoutMs + 5_000;
    nodeTest(name, skip === undefined ? { timeout } : { timeout, skip }, run);
  }
}

/** Rejects with the name of the test when it takes too long, and leaves no timer behind. */
async function runLimited(
  name: string,
  fn: (context: TestContext) => void | Promise<void>,
  timeoutMs: number,
): Promise<void> {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const error = new Error(`Test took over ${timeoutMs} ms: ${name}`);
      reject(error);
      controller.abort(error);
    }, timeoutMs);
  });
  try {
    await Promise.race([fn({ signal: controller.signal }), late]);
  } finally {
    clearTimeout(timer);
  }
}
