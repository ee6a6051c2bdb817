import type { Screen } from "./screen.ts";
import type { DemoFlags } from "./tree.ts";
export function demo(flags: DemoFlags, on: Screen): Promise<number> {
  void flags;
  void on;
  return Promise.resolve(1);
}
