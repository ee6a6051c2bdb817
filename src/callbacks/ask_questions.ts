import type { PermissionDecision } from "../protocol/permissions.ts";
import type { AskedQuestion } from "../protocol/tools.ts";
import type { JsonObject } from "../types/json.ts";
import { fieldRows } from "./call_rows.ts";
import { fieldView } from "./call_view.ts";
import { type Layout, pagesOf, type Screen } from "./pages.ts";
import { answered, labelsOf, NO_ANSWER, refusalOf } from "./questions.ts";
import { blockRows, linesOf, toRows } from "./visible.ts";

/** Asks the model's questions one after the other; `undefined` when the person left. */
export async function askQuestions(
  screen: Screen,
  input: JsonObject,
  questions: readonly AskedQuestion[],
  signal: AbortSignal,
): Promise<PermissionDecision | undefined> {
  const refusal = refusalOf(questions);
  if (refusal !== undefined) return refusal;
  const rest = Object.entries(input).filter(([name]) => name !== "questions");
  const answers: string[] = [];
  for (const [at, question] of questions.entries()) {
    const fields = [
      ...at === 0 ? rest : [],
      ...question.header ? [["header", question.header] as const] : [],
    ];
    const answer = await askOne(screen, question, signal, (columns) => [
      `The agent asks (${at + 1} of ${questions.length})`,
      ...fields.flatMap(([name, value]) =>
        fieldRows(fieldView(name, value), columns)
      ),
    ]);
    if (answer === undefined) return undefined;
    if (answer === DECLINED) return NO_ANSWER;
    answers.push(answer);
  }
  return answered(input, questions, answers);
}

/** The person typed `-`; an option may have that label. */
const DECLINED = Symbol("declined");

async function askOne(
  screen: Screen,
  asked: AskedQuestion,
  signal: AbortSignal,
  head: (columns: number) => readonly string[],
): Promise<string | typeof DECLINED | undefined> {
  const { question, options, multiSelect } = asked;
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
    const places = (answer.match(/\d+/g) ?? []).map((one) => Number(one) - 1);
    const labels = labelsOf(asked, places);
    if (labels !== undefined) return labels;
  }
}

function isNone(answer: string): boolean {
  return answer === "-";
}
