import type { JsonObject } from "../types/json.ts";
import type { Problem } from "./fields.ts";

/** Everything about a known message that differs from its type; empty for an unknown one. */
export type StrictCheck = (message: JsonObject) => readonly Problem[];

/** Loads the schemas of all messages, and the library they are written with: only `validation: "strict"` pays for it. */
export async function loadStrictCheck(): Promise<StrictCheck> {
  const { deviations } = await import("./schemas.ts");
  return deviations;
}
