import { asObject, cut } from "../../errors/text.ts";
import type { JsonObject } from "../../types/json.ts";
import type { FakeCliPlan, FakeStep, FakeTurn } from "../fake_cli_script.ts";
import { matches, textIn } from "../lines.ts";

/** The steps that a plan has for prompts: the turn that matches them, else the next in its list. */
export function scriptOf(
  { match, turns = match === undefined ? "ok" : [] }: FakeCliPlan,
): (prompts: readonly JsonObject[]) => readonly FakeStep[] {
  let begun = 0;
  return (prompts) => {
    const text = prompts
      .map(({ message }) => textIn(asObject(message).content)).join("\n");
    const { turn = nextTurn(text) } =
      match?.find(({ prompt }) => matches(text, prompt)) ?? {};
    return isList(turn) ? turn : [turn];
  };

  function nextTurn(text: string): FakeTurn {
    if (!isList(turns)) return turns;
    const prompt = `prompt ${++begun}, ${JSON.stringify(cut(text, 60))}`;
    const misfit = match === undefined ? "" : ` no "match" fits, and`;
    const result =
      `Fake CLI has no turn for ${prompt}:${misfit} its script has ${turns.length} in "turns"`;
    return turns[begun - 1] ?? { result: { is_error: true, result } };
  }
}

function isList<T>(value: T): value is Extract<T, readonly unknown[]> {
  return Array.isArray(value);
}
