/**
 * Purposes of hooks that the CLI calls: `hook` = of the program, `policy` = makes the CLI ask, `approval` = waits for a decision in a
 * store, `deferral` = makes an older CLI defer a call.
 */
export type HookPurpose = "hook" | "policy" | "approval" | "deferral";

/** Id under which a hook is registered; it names the purpose to those who see ids alone. */
export function hookId(purpose: HookPurpose, number: number): string {
  return `${purpose}_${number}`;
}

/** Purpose of the hook with an id; any other id is one of the program. */
export function purposeOf(id: unknown): HookPurpose {
  const name = typeof id === "string" ? id.replace(/_\d+$/, "") : undefined;
  return OURS.find((one) => one === name) ?? "hook";
}

const OURS: readonly HookPurpose[] = ["policy", "approval", "deferral"];
