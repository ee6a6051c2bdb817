import type { Terminal } from "../ports/terminal.ts";
import type { JsonObject } from "../types/json.ts";
import type { PermissionContext } from "../types/permissions.ts";
import type { PermissionDecision } from "../protocol/permissions.ts";
import { isObject } from "../errors/text.ts";
import { askQuestions } from "./ask_questions.ts";
import { callLayout } from "./call_rows.ts";
import type { ReadText } from "../ports/read_text.ts";
import { chooseGrants } from "./choose_grants.ts";
import { grantsOf } from "./grants.ts";
import {
  type Layout,
  needsWord,
  pagesOf,
  type Screen,
  watchScreen,
} from "./pages.ts";
import { readPlain } from "./plain.ts";
import { approvedPlan, planReader } from "./approved_plan.ts";
import { Unshowable } from "./plan_change.ts";
import { questionsOf } from "./questions.ts";

const LEFT: PermissionDecision = deny("The person left without an answer");

/**
 * Asks whether a tool may be used, until there is an answer; a denial where there is no person.
 *
 * Nothing is allowed before all of the call was shown.
 */
export async function askPerson(
  terminal: Terminal,
  tool: string,
  given: JsonObject,
  context: PermissionContext,
  readText: ReadText,
): Promise<PermissionDecision> {
  if (!terminal.isPerson) {
    return deny(terminal.absence ?? "There is no person at a terminal to ask");
  }
  const input = plainInput(given);
  if (input === undefined) {
    return deny(
      "The input is no plain JSON, or too deep, so the person was not asked",
    );
  }
  const questions = tool === "AskUserQuestion" ? questionsOf(input) : undefined;
  const screen = watchScreen(terminal);
  let endTurn: (() => void) | undefined;
  try {
    endTurn = await terminal.takeTurn?.(context.signal);
    if (questions !== undefined) {
      const { signal } = context;
      return await askQuestions(screen, input, questions, signal) ?? LEFT;
    }
    const plans = planReader(input, readText);
    // A file that the call changes may itself change before it is shown again.
    const load = () => callLayout(tool, input, context, plans.readText);
    const decision = await askAbout(screen, load, context) ?? LEFT;
    return approvedPlan(tool, input, decision, plans.shown);
  } catch (error) {
    if (error instanceof Unshowable) return deny(error.message);
    throw error;
  } finally {
    // Both may be async functions.
    try {
      await endTurn?.();
    } finally {
      await screen.leave();
    }
  }
}

/** A copy of an input, which nothing changes meanwhile; `undefined` for one that JSON does not hold. */
function plainInput(given: JsonObject): JsonObject | undefined {
  try {
    const copy = readPlain(given, () => {});
    return isObject(copy) ? copy : undefined;
  } catch {
    return undefined;
  }
}

/** Asks until there is an answer to what is on the screen; `undefined` when there will be none. */
async function askAbout(
  screen: Screen,
  load: () => Promise<Layout>,
  { raw, signal, suggestions = [] }: PermissionContext,
): Promise<PermissionDecision | undefined> {
  const { terminal } = screen;
  const pages = pagesOf(screen, load, signal);
  // A program that builds a context may leave the request out.
  const { suppress_always_allow_rule }: Partial<JsonObject> = raw ?? {};
  const grants = suppress_always_allow_rule === true
    ? []
    : grantsOf(suggestions);
  const no = "n = no, or why not: ";
  // The screen may change while it is asked.
  const offersGrants = () => !needsWord(terminal) && grants.length > 0;
  const choices = () =>
    `${needsWord(terminal) ? "yes" : "y"} = yes, ${
      offersGrants() ? "a = always, " : ""
    }${no}`;
  for (;;) {
    const answer = await pages.ask(choices, isRefusal, no);
    if (answer === undefined) return undefined;
    if (/^[ya]$/i.test(answer) && needsWord(terminal)) continue;
    switch (meaningOf(answer)) {
      case "nothing":
        // Many of them would push the call off the screen.
        pages.startAgain();
        continue;
      case "yes":
        // The call as it was shown is approved, no other.
        if (await pages.isOutdated()) {
          pages.startAgain();
          continue;
        }
        return { behavior: "allow" };
      case "always": {
        if (!offersGrants()) continue;
        const chosen = await chooseGrants(screen, grants, signal);
        if (chosen === undefined) return undefined;
        if (chosen.length === 0 || await pages.isOutdated()) {
          pages.startAgain();
          continue;
        }
        return { behavior: "allow", updatedPermissions: chosen };
      }
      case "no":
        return deny("The person said no");
      case "reason":
        return deny(answer);
    }
  }
}

function meaningOf(
  answer: string,
): "nothing" | "yes" | "always" | "no" | "reason" {
  switch (answer.toLowerCase()) {
    case "":
      return "nothing";
    case "y":
    case "yes":
      return "yes";
    case "a":
    case "always":
      return "always";
    case "n":
    case "no":
      return "no";
    default:
      return "reason";
  }
}

function isRefusal(answer: string): boolean {
  const meaning = meaningOf(answer);
  return meaning === "no" || meaning === "reason";
}

function deny(message: string): PermissionDecision {
  return { behavior: "deny", message };
}
