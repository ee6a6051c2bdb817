import type { BuiltinToolInputs } from "../protocol/tools.ts";

/** Name of a built-in tool whose input is known. */
export type BuiltinToolName = keyof BuiltinToolInputs;
