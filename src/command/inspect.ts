import type { Screen } from "./screen.ts";
import type { InspectFlags } from "./tree.ts";
export function inspect(
  file: string,
  flags: InspectFlags,
  on: Screen,
): Promise<number> {
  void file;
  void flags;
  void on;
  return Promise.resolve(1);
}
