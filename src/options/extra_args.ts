import type { Check } from "./fields.ts";
import { plainObject } from "./plain_object.ts";
import { contradict, nameAlone, refuse } from "./refuse.ts";

/** Flags that keep the conversation going and belong to this package. */
const OURS =
  /^(?:await-initialize|help|init-only|initialize-fields|input-format|output-format|p|permission-prompt-tool|print|sdk-url|verbose|version)$/;

/** The check of further flags: only those that neither this package nor another option sets, told by `owners`. */
export function extraArgs(owners: () => ReadonlyMap<string, string>): Check {
  return (value, key) => {
    plainObject(value, key);
    for (const name of Object.keys(value)) {
      const set = value[name];
      if (set === undefined) continue;
      const at = `${key}.${nameAlone(name)}`;
      const why = reasonAgainst(name, owners());
      if (why) contradict(at, set, why);
      if (set !== null && typeof set !== "string") {
        refuse(at, set, "a string, or null for a flag without a value");
      }
      if (set?.includes("\0")) refuse(at, set, "without a null character");
    }
  };
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
