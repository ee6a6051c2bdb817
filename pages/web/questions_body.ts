import type { ShownQuestions } from "../../src/command/web/data.ts";
import { make } from "../inspect/elements.ts";
import type { Body } from "./card.ts";
import { linesIn, textIn } from "./lines.ts";

/** The questions of the model, each with its options and a place for own words. */
export function questionsBody({ id, questions }: ShownQuestions): Body {
  const asked = questions.map((question, at) => oneQuestion(question, id, at));
  return {
    nodes: asked.map(({ node }) => node),
    yes: "Answer",
    answer() {
      const answers = asked.map(({ answer }) => answer());
      return answers.every((one) => one.length > 0) ? { answers } : undefined;
    },
  };
}

function oneQuestion(
  { header, isMulti, lines, options }: ShownQuestions["questions"][number],
  id: string,
  at: number,
): { readonly node: HTMLElement; answer(): string | readonly number[] } {
  const node = make("fieldset");
  const legend = make("legend");
  if (header !== "") legend.append(textIn("span", header, "label"));
  legend.append(linesIn(lines, { isProse: true }));
  node.append(legend);
  const boxes = options.map(({ description, label, preview }, place) => {
    const box = make("input");
    box.type = isMulti ? "checkbox" : "radio";
    box.name = `${id}-${at}`;
    box.id = `${id}-${at}-${place}`;
    const choice = make("label", "choice");
    const text = make("span");
    text.append(
      textIn("strong", label),
      linesIn(description, { isProse: true }),
      linesIn(preview),
    );
    choice.append(box, text);
    node.append(choice);
    return box;
  });
  const words = make("input", "words");
  words.type = "text";
  words.placeholder = "Or in your own words";
  words.setAttribute("aria-label", "Your own words");
  node.append(words);
  return {
    node,
    answer() {
      const text = words.value.trim();
      if (text !== "") return text;
      return boxes.flatMap((box, place) => box.checked ? [place] : []);
    },
  };
}
