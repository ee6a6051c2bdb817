import { type Check, fitting, isText, record } from "./fields.ts";
import { contradict, nameAlone } from "./refuse.ts";

/** Flags that keep the conversation going and belong to this package. */
const OURS =
  /^(?:await-initialize|help|init-only|initialize-fields|input-format|output-format|p|permission-prompt-tool|print|sdk-url|verbose|version)$/;

const flagValue = fitting(
  "a string without a null character, or null for a flag without a value",
  (value) => value === null || isText(value) && !value.includes("\0"),
);

/** The check of further flags: only those that neither this package nor another option sets, told by `owners`. */
export function extraArgs(owners: () => ReadonlyMap<string, string>): Check {
  return record(flagValue, (name, key) => {
    const why = reasonAgainst(String(name), owners());
    const bare = nameAlone(String(name));
    if (why) contradict(`${key}.${bare}`, bare, why);
  });
}

function reasonAgainst(
  name: string,
  owners: ReadonlyMap<string, string>,
): string | undefined {
  if (name.startsWith("-")) {
    const bare = nameAlone(name).replace(/^-+/, "");
    return `must be written without dashes, as "${bare}"`;
  }
  if (!/^[A-Za-z][A-Za-z0-9-]*$/.test(name)) {
    return "must be the name of a flag";
  }
  if (OURS.test(name)) return "must be left out, this package sets that flag";
  const option = owners.get(name);
  return option && `must be left out, use "${option}" instead`;
}
