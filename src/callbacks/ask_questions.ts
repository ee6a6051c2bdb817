import type { PermissionDecision } from "../protocol/permissions.ts";
import type { AskedQuestion } from "../protocol/tools.ts";
import type { JsonObject } from "../types/json.ts";
import { fieldRows } from "./call_rows.ts";
import { fieldView } from "./call_view.ts";
import { type Layout, pagesOf, type Screen } from "./pages.ts";
import {
  answered,
  declined,
  labelsOf,
  refusalOf,
  unknownOfOption,
  unknownOfQuestion,
} from "./questions.ts";
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
    const isLast = at === questions.length - 1;
    const none = `- = no answer${isLast ? "" : ", and no more questions"}: `;
    const answer = await askOne(screen, question, none, signal, (columns) => [
      `The agent asks (${at + 1} of ${questions.length})`,
      ...fields.flatMap(([name, value]) =>
        fieldRows(fieldView(name, value), columns)
      ),
    ]);
    if (answer === undefined) return undefined;
    if (answer === DECLINED) return declined(questions, answers);
    answers.push(answer);
  }
  return answered(input, questions, answers);
}

/** The person typed `-`; an option may have that label. */
const DECLINED = Symbol("declined");

async function askOne(
  screen: Screen,
  asked: AskedQuestion,
  none: string,
  signal: AbortSignal,
  head: (columns: number) => readonly string[],
): Promise<string | typeof DECLINED | undefined> {
  const { question, multiSelect, options } = asked;
  const mark = markOf(asked);
  const layout: Layout = (columns) => [
    ...head(columns),
    ...moreRows(unknownOfQuestion(asked), columns),
    ...blockRows(linesOf(question), columns),
    ...options.flatMap(({ label, description, preview }, at) => [
      ...toRows(label, columns, `  ${mark}${at + 1}  `),
      ...description ? blockRows(linesOf(description), columns) : [],
      ...preview ? ["     preview:"] : [],
      ...preview ? blockRows(linesOf(preview), columns) : [],
      ...moreRows(unknownOfOption(asked, at), columns),
    ]),
  ];
  const form = options.length === 0
    ? "Your own words"
    : multiSelect
    ? `Numbers such as ${mark}1 ${mark}3, or your own words`
    : `Number${mark && ` such as ${mark}1`}, or your own words`;
  const pages = pagesOf(screen, () => layout, signal);
  for (let notice: string | undefined;;) {
    const answer = await pages.ask(
      () => `${form}; ${none}`,
      isNone,
      none,
      notice,
    );
    notice = undefined;
    if (answer === undefined) return undefined;
    if (isNone(answer)) return DECLINED;
    if (answer === "") continue;
    const numbers = new RegExp(`^${mark}\\d+(?:[\\s,]+${mark}\\d+)*$`);
    if (options.length === 0 || !numbers.test(answer)) return answer;
    const places = (answer.match(/\d+/g) ?? []).map((one) => Number(one) - 1);
    const labels = labelsOf(asked, places);
    if (labels !== undefined) return labels;
    notice = `Not taken as an answer: choose ${
      multiSelect ? "numbers" : "one number"
    } from ${mark}1 to ${mark}${options.length}.`;
  }
}

/** Stands before the numbers of options: nothing, unless a label reads like the number of another. */
function markOf({ options }: AskedQuestion): "" | "#" {
  const isLikeOther = options.some(({ label }, at) =>
    /^\s*\d+\s*$/.test(label) && Number(label) !== at + 1
  );
  return isLikeOther ? "#" : "";
}

function moreRows(
  fields: ReturnType<typeof unknownOfQuestion>,
  columns: number,
): readonly string[] {
  return fields.flatMap(([name, value]) =>
    fieldRows(fieldView(name, value), columns)
  );
}

function isNone(answer: string): boolean {
  return answer === "-";
}
