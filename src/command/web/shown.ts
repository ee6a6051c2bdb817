import type { PendingPermission } from "../../permission_queue.ts";
import { callView, fieldView } from "../../callbacks/call_view.ts";
import type { ReadText } from "../../ports/read_text.ts";
import { grantsOf, MAY_ASK_AGAIN } from "../../callbacks/grants.ts";
import {
  questionsOf,
  unknownOfOption,
  unknownOfQuestion,
} from "../../callbacks/questions.ts";
import { base64Digest } from "../../errors/digest.ts";
import {
  foldRepeats,
  linesOf,
  visible,
  visibleLines,
} from "../../callbacks/visible.ts";
import type { AskedQuestion } from "../../protocol/tools.ts";
import type { Fact, FieldView } from "../../callbacks/call_view.ts";
import type {
  Asked,
  ShownCall,
  ShownField,
  ShownLine,
  ShownQuestions,
} from "./data.ts";

type Unsigned<T> = Omit<T, "digest">;

/** All that a person has to know of a pending call, as it is now: a file that it changes may change. */
export async function shownOf(
  pending: PendingPermission,
  readText: ReadText,
): Promise<Asked> {
  const questions = questionsIn(pending);
  const shown = questions === undefined
    ? await shownCall(pending, readText)
    : shownQuestions(pending, questions);
  return { ...shown, digest: await base64Digest(JSON.stringify(shown)) };
}

/** The questions of a call that asks some. */
export function questionsIn(
  { input, tool }: Pick<PendingPermission, "input" | "tool">,
): readonly AskedQuestion[] | undefined {
  return tool === "AskUserQuestion" ? questionsOf(input) : undefined;
}

async function shownCall(
  pending: PendingPermission,
  readText: ReadText,
): Promise<Unsigned<ShownCall>> {
  const { id, input, suggestions = [], tool } = pending;
  const view = await callView(tool, input, pending, readText);
  const { change, facts, fields, title } = view;
  const grants = grantsOf(suggestions);
  return {
    kind: "call",
    id,
    title: visible(title),
    facts: facts.map(shownFact),
    fields: fields.map(shownField),
    ...change !== undefined && {
      change: {
        title: change.title,
        isComparison: change.isComparison,
        parts: change.parts.map(({ isFar, lines }) => ({
          isFar,
          lines: shownLines(lines),
        })),
      },
    },
    ...grants.length > 1 && { grantsNote: MAY_ASK_AGAIN },
    grants: grants.map(({ file, text }) => ({
      lines: shownLines(linesOf(text)),
      ...file !== undefined && { file },
    })),
  };
}

function shownQuestions(
  { id, input }: PendingPermission,
  questions: readonly AskedQuestion[],
): Unsigned<ShownQuestions> {
  return {
    kind: "questions",
    id,
    title: "The agent asks",
    facts: [],
    fields: [
      ...Object.entries(input).filter(([name]) => name !== "questions"),
      ...questions.flatMap((question, at) =>
        [
          ...unknownOfQuestion(question),
          ...question.options.flatMap((_, place) =>
            unknownOfOption(question, place)
          ),
        ].map(([name, value]) => [`question ${at + 1} ${name}`, value] as const)
      ),
    ].map(([name, value]) => shownField(fieldView(name, value))),
    questions: questions.map(({ header, multiSelect, options, question }) => ({
      header: visibleLines(header ?? ""),
      lines: shownLines(linesOf(question)),
      isMulti: multiSelect === true,
      options: options.map(({ description, label, preview }) => ({
        label: visibleLines(label),
        description: description ? shownLines(linesOf(description)) : [],
        preview: preview ? shownLines(linesOf(preview)) : [],
      })),
    })),
  };
}

function shownFact({ lines, words }: Fact): string {
  return lines === undefined
    ? words
    : `${words}: ${visibleLines(lines.join("\n"))}`;
}

function shownField({ isBlock, lines, name }: FieldView): ShownField {
  return { name: visible(name), isBlock, lines: shownLines(lines) };
}

function shownLines(lines: readonly string[]): readonly ShownLine[] {
  return foldRepeats(lines)
    .map((line) => typeof line === "number" ? line : visible(line));
}
