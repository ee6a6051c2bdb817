import type { Host } from "../ports/host.ts";
import type { Launch } from "../ports/transport.ts";
import type { JsonObject } from "../types/json.ts";
import type { Mirror } from "./session.ts";
import type { Options } from "./types_options.ts";

/** Takes what the CLI writes to the user's store. */
export function mirrorOf(
  _options: Options,
  _launch: Launch,
  _host: Host,
  _tell: (message: JsonObject) => void,
): Mirror {
  throw new Error("no store yet");
}
