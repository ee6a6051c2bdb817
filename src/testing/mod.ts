/**
 * Tests without an API key: a stand-in CLI, a scripted model for the real one, a clock that stands still.
 *
 * ```ts
 * import { query } from "@sluice/agent";
 * import { fakeCli } from "@sluice/agent/testing";
 * import assert from "node:assert/strict";
 *
 * const { cliPath } = fakeCli("Hello, Ada!");
 * assert.equal(await query("Say hello", { cliPath }).text(), "Hello, Ada!");
 * ```
 *
 * @module
 */
export { type FakeCli, fakeCli, type FakeCliRun } from "./fake_cli.ts";
export { FakeClock } from "./fake_clock.ts";
