import type { PermissionUpdate } from "../protocol/permissions.ts";
import { chosenUpdates, type Grant, MAY_ASK_AGAIN } from "./grants.ts";
import { type Layout, pagesOf, type Screen } from "./pages.ts";
import { blockRows, linesOf, toRows } from "./visible.ts";

/** Lets the person choose what is allowed from now on; `[]` for nothing, or when the call has to be shown again; `undefined` when there will be no answer. */
export async function chooseGrants(
  screen: Screen,
  grants: readonly Grant[],
  signal: AbortSignal,
): Promise<readonly PermissionUpdate[] | undefined> {
  const canSave = grants.some(({ file }) => file !== undefined);
  const layout: Layout = (columns) => [
    "Allow from now on, in this session:",
    ...grants.length > 1 ? toRows(MAY_ASK_AGAIN, columns) : [],
    ...grants.flatMap(({ text, file }, at) => {
      const [first = "", ...rest] = linesOf(text);
      return [
        ...toRows(first, columns, `  ${at + 1}  `),
        ...blockRows(rest, columns),
        ...file === undefined
          ? []
          : toRows(`with "save": written to ${file}`, columns, "       "),
      ];
    }),
  ];
  const choices = [
    grants.length > 1 ? "Numbers such as 1 2 = grant those" : "1 = grant it",
    ...canSave ? ["with save behind = beyond the session too"] : [],
    "b = back: ",
  ].join(", ");
  const pages = pagesOf(screen, () => layout, signal, true);
  for (;;) {
    const answer = await pages.ask(() => choices, isBack, "b = back: ");
    if (answer === undefined) return undefined;
    if (screen.hasChanged() || isBack(answer)) return [];
    const read = /^(\d+(?:[\s,]+\d+)*)?[\s,]*(save)?$/i.exec(answer);
    if (read === null) continue;
    const numbers = new Set((read[1] ?? "").match(/\d+/g)?.map(Number));
    const chosen = chosenUpdates(
      grants,
      [...numbers].map((number) => number - 1),
      read[2] !== undefined,
    );
    if (chosen !== undefined) return chosen;
  }
}

function isBack(answer: string): boolean {
  return /^(?:b|back|n|no)$/i.test(answer);
}
