import type { Doing } from "../../src/command/web/data.ts";
import { find, make, time } from "../inspect/elements.ts";

const STATES: Readonly<Record<Doing["state"], string>> = {
  starting: "The CLI starts",
  idle: "Ready",
  running: "The agent works",
  waiting: "The agent waits for you",
  background: "The agent works in the background",
  stalled: "The CLI is silent for long",
  stopping: "The CLI ends",
  gone: "Ready; the CLI starts with your prompt",
};

const state = make("span");
/** It changes each second, which a screen reader would read out. */
const since = make("span", "label");
since.setAttribute("aria-hidden", "true");
find("#doing").append(state, since);
let began: number | undefined;

/** Shows what the agent is doing. */
export function showDoing({ error, ms, queued, state: name }: Doing): void {
  const isBusy = !["gone", "idle"].includes(name);
  const more = queued > 0 ? `; ${queued} more prompts wait` : "";
  state.textContent = STATES[name] + more;
  began = isBusy ? performance.now() - ms : undefined;
  find<HTMLButtonElement>("#stop").disabled = !isBusy;
  showFailure(error);
  tick();
}

/** Shows an error below the session; none with `undefined`. */
export function showFailure(text: string | undefined): void {
  const failure = find("#failure");
  failure.hidden = text === undefined;
  failure.textContent = text ?? "";
}

function tick(): void {
  since.textContent = began === undefined
    ? ""
    : ` ${time(performance.now() - began)}`;
}
setInterval(tick, 1_000);
