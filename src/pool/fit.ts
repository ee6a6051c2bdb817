import type { AgentOptions } from "../types/options.ts";
import type { PermissionMode } from "../protocol/permissions.ts";
import type { PoolOverrides } from "../types/pool.ts";

/** Callbacks that another may stand in for; each is called by way of a map of these, under its name. */
const EXCHANGED = ["onElicitation", "onUserDialog", "onStderr"] as const;

type Callback = (...args: never[]) => unknown;

export type Callbacks = Record<string, Callback | undefined>;

/** Changes that turn a warm process into one of other options. */
interface Fit {
  readonly model: string | undefined;
  readonly mode: PermissionMode | undefined;
  readonly callbacks: Callbacks;
}

/** The options with callbacks in whose place others may come. */
export function exchangeable(
  options: AgentOptions,
  callbacks: Callbacks,
): AgentOptions {
  function exchanged<C extends Callback | undefined>(key: string, own: C): C {
    if (own === undefined) return own;
    callbacks[key] = own;
    const call = (...args: never[]) => (callbacks[key] as Callback)(...args);
    // It may say how long it takes; whatever else it has is its own.
    const { timeoutMs } = own as { readonly timeoutMs?: number };
    return Object.assign(call, { timeoutMs }) as unknown as C;
  }
  const { permissions } = options;
  const { canUseTool } = permissions ?? {};
  return {
    ...options,
    ...canUseTool && {
      permissions: {
        ...permissions,
        canUseTool: exchanged("canUseTool", canUseTool),
      },
    },
    ...Object.fromEntries(
      EXCHANGED.map((key) => [key, exchanged(key, options[key])]),
    ),
  };
}

/** Changes that make a warm process fit other options, whose permissions include those of the pool; `undefined` = impossible. */
export function fitOf(
  options: AgentOptions,
  overrides: PoolOverrides,
): Fit | undefined {
  const callbacks: Callbacks = {};
  const { permissions: before = {} } = options;
  const { permissions: after = before, model } = overrides;
  for (const key of changedIn<AgentOptions>(options, overrides)) {
    if (key === "signal" || key === "model" || key === "permissions") continue;
    const exchanged = EXCHANGED.find((one) => one === key);
    if (exchanged === undefined || options[exchanged] === undefined) {
      return undefined;
    }
    callbacks[exchanged] = overrides[exchanged];
  }
  for (const key of changedIn(before, after)) {
    if (key === "mode") continue;
    const isExchange = key === "canUseTool" && before.canUseTool &&
      before.canUseTool.timeoutMs === after.canUseTool?.timeoutMs;
    if (!isExchange) return undefined;
    callbacks.canUseTool = after.canUseTool;
  }
  return {
    model: model === options.model ? undefined : model,
    mode: after.mode === before.mode ? undefined : after.mode,
    callbacks,
  };
}

function changedIn<T extends object>(before: T, after: T): (keyof T)[] {
  const keys = Object.keys(after) as (keyof T)[];
  return keys.filter((key) => after[key] !== before[key]);
}
