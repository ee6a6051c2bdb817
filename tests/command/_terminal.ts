import assert from "node:assert/strict";
import { needsProc, needsShell } from "../_children.ts";
import type { JsonObject } from "@sluice/agent";
import type { FakeCli, FakeCliScript } from "@sluice/agent/testing";
import { type StandIn, testStandIn } from "./_program.ts";
import { atTerminal, needsTmux, type Screen } from "./_tmux.ts";

/** Declares a test in which the program runs at a terminal, then one may look at what the CLI got. */
export function testTerminal(
  name: string,
  script: FakeCliScript,
  args: readonly string[],
  use: (screen: Screen) => Promise<void>,
  look: (standIn: StandIn) => void | Promise<void> = () => {},
  more: {
    beside?: readonly string[];
    input?: string;
    errors?: string;
    errorsElsewhere?: boolean;
    exitFile?: string;
    locale?: string;
    printed?: string;
    columns?: number;
  } = {},
): void {
  testStandIn(name, script, async (standIn) => {
    const { env, folder: cwd, signal } = standIn;
    await atTerminal(args, { cwd, env, signal, ...more }, use);
    await look(standIn);
  }, { skip: needsTmux ?? needsShell ?? needsProc });
}

/** The decision about the only call. */
export function decisionOf({ decisions: [only] }: FakeCli): JsonObject {
  assert.ok(only?.kind === "permission");
  const { behavior, message, updatedPermissions } = only.decision as Record<
    string,
    unknown
  >;
  return JSON.parse(JSON.stringify({ behavior, message, updatedPermissions }));
}

/** Keys that arrive together. */
export function bytes(text: string): readonly string[] {
  const codes = Array.from(text, (one) => one.charCodeAt(0).toString(16));
  return ["-H", ...codes];
}

/** The prompts that the CLI got. */
export function prompts(fake: FakeCli): readonly unknown[] {
  return fake.received.filter(({ type }) => type === "user")
    .map(({ message }) => (message as { readonly content: unknown }).content)
    .map((content) =>
      Array.isArray(content) ? content[0]?.text ?? content : content
    );
}
