// How many assertions ran: a test that proves a requirement has to make some.
import assert from "node:assert/strict";

let count = 0;

// Getters: a wrapper would take the place of the failing line in messages and stacks.
for (const [name, value] of Object.entries(assert)) {
  if (typeof value !== "function" || !/^[a-z]/.test(name)) continue;
  Object.defineProperty(assert, name, {
    configurable: true,
    enumerable: true,
    get() {
      count++;
      return value;
    },
  });
}

/** Counts an assertion of another kind, such as one that the compiler makes. */
export function countAssertion(): void {
  count++;
}

/** Runs a test that proves requirements; rejects when it makes no assertion, because then it proves nothing. */
export async function mustAssert(
  name: string,
  run: () => Promise<void>,
): Promise<void> {
  const before = count;
  await run();
  if (count > before) return;
  throw new Error(
    `Test cites requirements and asserts nothing with node:assert/strict: ${name}`,
  );
}
