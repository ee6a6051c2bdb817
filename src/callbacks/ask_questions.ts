import { isObject } from "../errors/text.ts";
import type { PermissionDecision } from "../protocol/permissions.ts";
import type { AskedQuestion } from "../protocol/tools.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { fieldRows } from "./call_rows.ts";
import { type Layout, pagesOf, type Screen } from "./pages.ts";
import { blockRows, linesOf, toRows } from "./visible.ts";

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

/** Asks the model's questions one after the other; `undefined` when the person left. */
export async function askQuestions(
  screen: Screen,
  input: JsonObject,
  questions: readonly AskedQuestion[],
  signal: AbortSignal,
): Promise<PermissionDecision | undefined> {
  // The answers are keyed by the text.
  if (new Set(questions.map((one) => one.question)).size < questions.length) {
    return {
      behavior: "deny",
      message: "Two questions have the same text: give each its own",
    };
  }
  const rest = Object.entries(input).filter(([name]) => name !== "questions");
  const answers: [question: string, answer: string][] = [];
  for (const [at, question] of questions.entries()) {
    const fields = [
      ...at === 0 ? rest : [],
      ...question.header ? [["header", question.header] as const] : [],
    ];
    const answer = await askOne(screen, question, signal, (columns) => [
      `The agent asks (${at + 1} of ${questions.length})`,
      ...fields.flatMap(([name, value]) => fieldRows(name, value, columns)),
    ]);
    if (answer === undefined) return undefined;
    if (answer === DECLINED) {
      return {
        behavior: "deny",
        message: "The person does not want to answer",
      };
    }
    answers.push([question.question, answer]);
  }
  return {
    behavior: "allow",
    updatedInput: { ...input, answers: Object.fromEntries(answers) },
  };
}

/** The person typed `-`; an option may have that label. */
const DECLINED = Symbol("declined");

async function askOne(
  screen: Screen,
  { question, options, multiSelect }: AskedQuestion,
  signal: AbortSignal,
  head: (columns: number) => readonly string[],
): Promise<string | typeof DECLINED | undefined> {
  const layout: Layout = (columns) => [
    ...head(columns),
    ...blockRows(linesOf(question), columns),
    ...options.flatMap(({ label, description, preview }, at) => [
      ...toRows(label, columns, `  ${at + 1}  `),
      ...description ? blockRows(linesOf(description), columns) : [],
      ...preview ? ["     preview:"] : [],
      ...preview ? blockRows(linesOf(preview), columns) : [],
    ]),
  ];
  const choices = multiSelect
    ? "Numbers such as 1 3, or your own words; - = no answer: "
    : "Number, or your own words; - = no answer: ";
  const pages = pagesOf(screen, () => layout, signal);
  for (;;) {
    const answer = await pages.ask(() => choices, isNone, "- = no answer: ");
    if (answer === undefined) return undefined;
    if (isNone(answer)) return DECLINED;
    if (answer === "") continue;
    if (!/^\d+(?:[\s,]+\d+)*$/.test(answer)) return answer;
    const labels = [...new Set(answer.match(/\d+/g))]
      .map((number) => options[Number(number) - 1]?.label);
    if (labels.includes(undefined)) continue;
    if (labels.length > 1 && !multiSelect) continue;
    return labels.join(", ");
  }
}

function isNone(answer: string): boolean {
  return answer === "-";
}
