import type { Screen } from "./screen.ts";
import type { ChatFlags } from "./tree.ts";
export function chat(flags: ChatFlags, on: Screen): Promise<number> {
  void flags;
  void on;
  return Promise.resolve(1);
}
