import { chosenUpdates, grantsOf } from "../../callbacks/grants.ts";
import {
  answered,
  isMaybe,
  labelsOf,
  NO_ANSWER,
} from "../../callbacks/questions.ts";
import { isObject } from "../../errors/text.ts";
import type { PendingPermission } from "../../permission_queue.ts";
import type { PermissionDecision } from "../../protocol/permissions.ts";
import type { AskedQuestion } from "../../protocol/tools.ts";
import type { Answer } from "./data.ts";
import { questionsIn } from "./shown.ts";

/** The answer that a page sent; throws `TypeError` for anything else. */
export function readAnswer(body: unknown): Answer {
  if (!isObject<unknown>(body)) throw new TypeError("An answer is an object");
  const { answers, digest, grants, id, isAllowed, isSaved, reason } = body;
  const check = (isRight: boolean, name: string, form: string) => {
    if (!isRight) throw new TypeError(`Field "${name}" must be ${form}`);
  };
  check(typeof id === "string", "id", "a text");
  check(typeof digest === "string", "digest", "a text");
  check(typeof isAllowed === "boolean", "isAllowed", "true or false");
  check(isMaybe(reason, "string"), "reason", "a text");
  check(isMaybe(isSaved, "boolean"), "isSaved", "true or false");
  const isList = answers === undefined || Array.isArray(answers) &&
      answers.every((one) => typeof one === "string" || isPlaces(one));
  check(isList, "answers", "a list of texts and lists of places");
  const areGrants = grants === undefined || isPlaces(grants);
  check(areGrants, "grants", "a list of places");
  return body as unknown as Answer;
}

/** The decision that an answer means; throws `TypeError` for choices that do not exist. */
export function decisionOf(
  pending: PendingPermission,
  { answers, grants = [], isAllowed, isSaved = false, reason = "" }: Answer,
): PermissionDecision {
  const questions = questionsIn(pending);
  if (questions !== undefined) {
    return isAllowed
      ? answered(pending.input, questions, answersOf(questions, answers))
      : NO_ANSWER;
  }
  if (!isAllowed) {
    const message = reason.trim() === "" ? "The person said no" : reason;
    return { behavior: "deny", message };
  }
  if (grants.length === 0) return { behavior: "allow" };
  const { suggestions = [] } = pending;
  const updates = chosenUpdates(grantsOf(suggestions), grants, isSaved);
  if (updates === undefined) throw new TypeError("There is no such grant");
  return { behavior: "allow", updatedPermissions: updates };
}

function answersOf(
  questions: readonly AskedQuestion[],
  answers: Answer["answers"] = [],
): readonly string[] {
  if (answers.length !== questions.length) {
    throw new TypeError("Each question needs an answer");
  }
  return questions.map((question, at) => {
    const given = answers[at] ?? "";
    const text = typeof given === "string"
      ? given.trim()
      : labelsOf(question, given);
    if (text) return text;
    throw new TypeError(`Answer ${at + 1} chooses nothing that exists`);
  });
}

function isPlaces(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => Number.isInteger(one));
}
