import assert from "node:assert/strict";
import process from "node:process";
import { type AgentOptions, query } from "@sluice/agent";
import { test } from "../_harness.ts";
import { logSpy, memoryCli, REPLY } from "./_rig.ts";

/** The warnings of the process while some conversations begin and end. */
async function warningsOf(
  all: readonly AgentOptions[],
): Promise<readonly string[]> {
  const warned: string[] = [];
  const onWarning = (
    { message, code }: Error & { readonly code?: unknown },
  ) => {
    if (code === "SLUICE_WARNING") warned.push(message);
  };
  process.on("warning", onWarning);
  try {
    for (const options of all) {
      const conversation = query("x", {
        ...options,
        transport: memoryCli().transport,
      });
      await conversation.ready;
      await conversation.close();
    }
    // Warnings come with the next tick.
    await new Promise((resolve) => setTimeout(resolve));
  } finally {
    process.off("warning", onWarning);
  }
  return warned;
}

test("without a logger a warning is one of the process, once for each text", async () => {
  const odd = (name: string): AgentOptions => ({
    permissions: { approve: [name] },
  });
  const warned = await warningsOf([odd("Quux"), odd("Quux"), odd("Xyzzy"), {}]);
  assert.deepEqual(warned, [
    'permissions.approve names the unknown tool "Quux"',
    'permissions.approve names the unknown tool "Xyzzy"',
  ]);
});

test("with a logger no warning goes to the process", async () => {
  const lines: string[] = [];
  const ignore = () => {};
  const warn = (text: string) => void lines.push(text);
  const logger = { debug: ignore, info: ignore, warn, error: ignore };
  const permissions = { approve: ["Frobozz"] };
  assert.deepEqual(await warningsOf([{ permissions, logger }]), []);
  assert.match(lines[0] ?? "", /Frobozz/);
});

test("a mode that settings set and no option allows is a warning when the CLI has started", async () => {
  for (const current_permission_mode of ["default", "bypassPermissions"]) {
    const { logger, lines } = logSpy();
    const initialize = { ...REPLY, current_permission_mode };
    const conversation = query("x", {
      logger,
      transport: memoryCli({ initialize }).transport,
    });
    await conversation.ready;
    await conversation.close();
    const found = lines.filter(({ message }) => /defaultMode/.test(message));
    const isBypass = current_permission_mode === "bypassPermissions";
    assert.deepEqual(found.map(({ level }) => level), isBypass ? ["warn"] : []);
  }
});
