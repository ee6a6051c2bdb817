import { isObject } from "../errors/text.ts";
import type { PermissionDecision } from "../protocol/permissions.ts";
import type { AskedQuestion } from "../protocol/tools.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";

/** The decision of a person who does not answer. */
export const NO_ANSWER: PermissionDecision = {
  behavior: "deny",
  message: "The person does not want to answer",
};

/** The questions of `AskUserQuestion`; `undefined` for an input of another shape. */
export function questionsOf(
  { questions }: JsonObject,
): readonly AskedQuestion[] | undefined {
  if (!Array.isArray(questions) || questions.length === 0) return undefined;
  return questions.every(isQuestion)
    ? questions as unknown as readonly AskedQuestion[]
    : undefined;
}

function isQuestion(value: JsonValue): boolean {
  return isObject(value) && typeof value.question === "string" &&
    Array.isArray(value.options) &&
    value.options.every((one) =>
      isObject(one) && typeof one.label === "string"
    );
}

/** Why questions cannot be asked: their answers are keyed by the text. */
export function refusalOf(
  questions: readonly AskedQuestion[],
): PermissionDecision | undefined {
  const texts = new Set(questions.map(({ question }) => question));
  return texts.size === questions.length ? undefined : {
    behavior: "deny",
    message: "Two questions have the same text: give each its own",
  };
}

/** The answer that chosen options make, by their places; `undefined` if they cannot be chosen. */
export function labelsOf(
  { multiSelect, options }: Pick<AskedQuestion, "multiSelect" | "options">,
  places: readonly number[],
): string | undefined {
  const labels = [...new Set(places)].map((at) => options[at]?.label);
  const isTooMany = labels.length > 1 && !multiSelect;
  return labels.length === 0 || labels.includes(undefined) || isTooMany
    ? undefined
    : labels.join(", ");
}

/** The decision that hands over the answers, one for each question. */
export function answered(
  input: JsonObject,
  questions: readonly AskedQuestion[],
  answers: readonly string[],
): PermissionDecision {
  const pairs = questions.map(({ question }, at) =>
    [question, answers[at] ?? ""] as const
  );
  return {
    behavior: "allow",
    updatedInput: { ...input, answers: Object.fromEntries(pairs) },
  };
}
