import { isObject } from "../errors/text.ts";
import type { PermissionDecision } from "../protocol/permissions.ts";
import type { AskedQuestion } from "../protocol/tools.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";

const DECLINED = "The person does not want to answer";
/** The decision of a person who does not answer. */
export const NO_ANSWER: PermissionDecision = {
  behavior: "deny",
  message: DECLINED,
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

const QUESTION_FIELDS = ["question", "header", "multiSelect", "options"];
const OPTION_FIELDS = ["label", "description", "preview"];

type Fields = readonly (readonly [string, JsonValue])[];

/** Fields that questions have not had so far, by name. */
export function unknownOfQuestion(question: AskedQuestion): Fields {
  return restOf(question, QUESTION_FIELDS);
}

/** The same of the option at a place; its number stands before the name. */
export function unknownOfOption(
  { options }: AskedQuestion,
  place: number,
): Fields {
  return restOf(options[place] ?? {}, OPTION_FIELDS)
    .map(([name, value]) => [`option ${place + 1} ${name}`, value] as const);
}

function restOf(
  value: object,
  known: readonly string[],
): readonly [string, JsonValue][] {
  return Object.entries(value).filter(([name]) => !known.includes(name));
}

function isQuestion(value: JsonValue): boolean {
  return isObject(value) && typeof value.question === "string" &&
    isMaybe(value.header, "string") && isMaybe(value.multiSelect, "boolean") &&
    Array.isArray(value.options) && value.options.every(isOption);
}

function isOption(value: JsonValue): boolean {
  return isObject(value) && typeof value.label === "string" &&
    isMaybe(value.description, "string") && isMaybe(value.preview, "string");
}

/** Whether a value is absent or of a type. */
export function isMaybe(value: unknown, type: "string" | "boolean"): boolean {
  return value === undefined || typeof value === type;
}

/** Why questions cannot be asked: answers are keyed by the question, and name labels. */
export function refusalOf(
  questions: readonly AskedQuestion[],
): PermissionDecision | undefined {
  const message = problemOf(questions);
  return message === undefined ? undefined : { behavior: "deny", message };
}

function problemOf(questions: readonly AskedQuestion[]): string | undefined {
  if (hasTwins(questions.map(({ question }) => question))) {
    return "Two questions have the same text: give each its own";
  }
  const labels = questions.map(({ options }) =>
    options.map(({ label }) => label)
  );
  if (labels.some(hasTwins)) {
    return "Two options of a question have the same label: give each its own";
  }
  if (labels.flat().some((label) => label.trim() === "")) {
    return "An option has an empty label: give each a text";
  }
  const [similar] = questions.flatMap(({ multiSelect }, at) =>
    multiSelect ? labelLikeSeveral(labels[at] ?? []) ?? [] : []
  );
  return similar === undefined
    ? undefined
    : `The label ${
      JSON.stringify(similar)
    } reads like several answers: give its option another one`;
}

/** Between the labels of an answer. */
const SEPARATOR = ", ";

/** A label that begins like several others in one answer; without one, different choices never make the same answer. */
function labelLikeSeveral(labels: readonly string[]): string | undefined {
  return labels.find((label) =>
    labels.some((other) => label.startsWith(`${other}${SEPARATOR}`))
  );
}

function hasTwins(texts: readonly string[]): boolean {
  return new Set(texts).size < texts.length;
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
    : labels.join(SEPARATOR);
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

/** The decision of a person who answers the first questions and declines the next: the model gets both. */
export function declined(
  questions: readonly AskedQuestion[],
  answers: readonly string[],
): PermissionDecision {
  if (questions.length === 1) return NO_ANSWER;
  const quoted = questions.map(({ question }) => JSON.stringify(question));
  const given = answers.map((answer, at) =>
    `${quoted[at]}=${JSON.stringify(answer)}`
  );
  const rest = given.length === 0 ? "" : `, but answered: ${given.join(", ")}`;
  return {
    behavior: "deny",
    message: `${DECLINED} ${quoted[answers.length]}${rest}`,
  };
}
