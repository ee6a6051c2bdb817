import type { WaitOptions } from "@sluice/agent/testing";
import { statSync } from "node:fs";
import { test as nodeTest } from "node:test";
import { Watch } from "../src/testing/watch.ts";
import { mustAssert } from "./_assertions.ts";
import { note } from "./_proof.ts";

/** Ten times what the longest test takes on a quiet machine. */
const DEFAULT_TIMEOUT_MS = 180_000;
const LAST_WORDS_MS = 2_000;
/** Of a wait for what a fake CLI or a scripted model gets: a busy machine may take longer to start a CLI than users' tests wait. */
const WAIT_MS = DEFAULT_TIMEOUT_MS - 30_000;

const { withTimeout } = Watch.prototype;
Watch.prototype.withTimeout = function <T>(
  this: Watch,
  find: () => T | undefined,
  { timeoutMs = WAIT_MS }: WaitOptions,
  texts: Parameters<typeof withTimeout>[2],
): Promise<T> {
  return withTimeout.call<Watch, Parameters<typeof withTimeout<T>>, Promise<T>>(
    this,
    find,
    { timeoutMs },
    texts,
  );
};

/** Of a program that runs many files: called when all are read, each declares a test. */
const LATER = Symbol.for("sluice.later_tests");

/** The argument of a test function. */
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
  /** Milliseconds until the test fails, 180 000 unless given. */
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
  const later: (() => void)[] | undefined = Reflect.get(globalThis, LATER);
  const run = async () => {
    note({ test: name, ids, state: "began" });
    // While Node's last synchronous look at a path found a pipe or a socket, it imports through links without following them.
    statSync("/");
    const body = () => runLimited(name, fn, timeoutMs);
    await (ids.length > 0 ? mustAssert(name, body) : body());
    note({ test: name, ids, state: "passed" });
  };
  if (skip !== undefined) note({ test: name, ids, state: "skipped" });
  // The limit is ours, so that it reads the same everywhere; the runtime's own comes later.
  const timeout = timeoutMs + 5_000;
  const declare = () =>
    "Deno" in globalThis
      ? Deno.test({ name, fn: run, ignore: skip !== undefined })
      : void nodeTest(
        name,
        { timeout, ...skip !== undefined && { skip } },
        run,
      );
  if (later === undefined) declare();
  else later.push(declare);
}

/** Aborts a test that takes too long, which may say why; leaves no timer behind. */
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
      timer = setTimeout(() => reject(error), LAST_WORDS_MS);
      controller.abort(error);
    }, timeoutMs);
  });
  try {
    await Promise.race([fn({ signal: controller.signal }), late]);
  } finally {
    clearTimeout(timer);
  }
}
