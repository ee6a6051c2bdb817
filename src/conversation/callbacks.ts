import type { Answering, Setting } from "../callbacks/run_callback.ts";
import type { JsonObject } from "../types/json.ts";

/** Requests that the user's code answers. */
const ASKED = [
  "hook_callback",
  "can_use_tool",
  "elicitation",
  "request_user_dialog",
] as const;

/** Puts the user's callbacks in; returns the `hooks` field of `initialize`. Where there are none, the code that says so is loaded when the CLI asks. */
export async function putCallbacks(
  setting: Setting,
  answering: Answering,
): Promise<JsonObject | undefined> {
  const { policy, desk, settings: { options } } = setting;
  const { handlers } = answering;
  const load = async () => {
    const { putHandlers } = await import("../callbacks/handlers.ts");
    return putHandlers(setting, answering);
  };
  const callbacks = [
    policy,
    desk,
    options.hooks,
    options.permissions?.canUseTool,
    options.onElicitation,
    options.onUserDialog,
  ];
  if (callbacks.some((one) => one !== undefined)) return await load();
  for (const subtype of ASKED) {
    handlers.set(subtype, async (request, context) => {
      await load();
      return await handlers.get(subtype)?.(request, context);
    });
  }
  return undefined;
}
