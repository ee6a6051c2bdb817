import type { Live } from "../../src/command/web/data.ts";
import { find } from "../inspect/elements.ts";

let id: number | undefined;

/** Shows what came to the block that is being written; `undefined` for none. */
export function showLive(live: Live | undefined): void {
  find("#live").hidden = live === undefined;
  const text = find("#live pre");
  if (live?.id !== id) text.textContent = "";
  id = live?.id;
  if (live === undefined) return;
  find("#live .label").textContent = LABELS[live.label] ?? live.label;
  text.append(live.text);
  text.scrollTop = text.scrollHeight;
}

const LABELS: Readonly<Record<string, string>> = {
  text: "Agent",
  thinking: "Thinking",
};
