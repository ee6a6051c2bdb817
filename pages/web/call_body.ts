import type { ShownCall } from "../../src/command/web/data.ts";
import { make } from "../inspect/elements.ts";
import type { Body } from "./card.ts";
import { linesIn, textIn } from "./lines.ts";

/** The change that a call would make, and the permissions that can be given with it. */
export function callBody(
  { change, grants, grantsNote, id }: ShownCall,
): Body {
  const nodes: HTMLElement[] = [];
  if (change !== undefined) {
    const { isComparison, parts, title } = change;
    nodes.push(textIn("p", title, "name"));
    for (const { isFar, lines } of parts) {
      const block = linesIn(lines, { isComparison, isProse: !isComparison });
      nodes.push(isFar ? folded(block, lines.length) : block);
    }
  }
  const boxes = grants.map((_, at) => checkbox(`${id}-grant-${at}`));
  const saved = checkbox(`${id}-saved`);
  if (grants.length > 0) {
    const set = make("fieldset", "grants");
    set.append(make("legend", "part", "With a yes, allow from now on"));
    if (grantsNote !== undefined) set.append(textIn("p", grantsNote, "part"));
    grants.forEach(({ file, lines }, at) => {
      const label = make("label", "choice");
      const text = make("span");
      text.append(linesIn(lines));
      if (file !== undefined) {
        text.append(textIn("span", `Kept in ${file}`, "label"));
      }
      if (boxes[at]) label.append(boxes[at], text);
      set.append(label);
    });
    if (grants.some(({ file }) => file !== undefined)) {
      const label = make("label", "choice");
      label.append(saved, make("span", "part", "Beyond this session"));
      set.append(label);
    }
    nodes.push(set);
  }
  return {
    nodes,
    yes: "Yes, allow it",
    answer() {
      const chosen = boxes.flatMap((box, at) => box.checked ? [at] : []);
      return { grants: chosen, isSaved: saved.checked };
    },
  };
}

/** Lines that stay as they are, away from any change. */
function folded(block: HTMLElement, count: number): HTMLElement {
  // They need not be seen.
  for (const part of block.querySelectorAll(".part")) {
    part.classList.remove("part");
  }
  const node = make("details");
  node.append(make("summary", "label", `${count} unchanged lines`), block);
  return node;
}

function checkbox(id: string): HTMLInputElement {
  const node = make("input");
  node.type = "checkbox";
  node.id = id;
  return node;
}
