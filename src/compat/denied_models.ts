import type { DeniedModelsMatch } from "./generated/types.ts";

/** Families that an entry may name alone. */
const FAMILIES = ["sonnet", "opus", "haiku", "fable"] as const;
/** Names whose model changes. */
const ALIASES: ReadonlySet<string> = new Set(["best", "default", "opusplan"]);
/** Regions of Bedrock. */
const REGIONS: ReadonlySet<string> = new Set(
  ["us", "eu", "apac", "jp", "au", "us-gov", "global"],
);
/** Longer names are cut in warnings. */
const LONGEST_NAME = 128;

interface ModelName {
  readonly family: string;
  readonly major: number;
  readonly minor?: number | undefined;
  /** Rest of the name behind family and version. */
  readonly rest: string;
  /** The same, unless it is a date or a form of the same model. */
  readonly variant?: string | undefined;
}

interface Rule {
  readonly denies?: (name: string, model: ModelName | undefined) => boolean;
  readonly warning?: string | undefined;
}

/**
 * Matches models against a list of denied ones.
 *
 * An entry is a family (`"opus"`: all of it), a family with a version (`"claude-opus-4"`: 4.7 and 4.8 as well,
 * `"claude-opus-4-0"`: `claude-opus-4` and its snapshots; in every spelling), or one name.
 *
 * @example Deny a family of models
 * ```ts
 * import { matchDeniedModels } from "@sluice/agent/compat";
 * import assert from "node:assert/strict";
 *
 * const { denied } = await matchDeniedModels(["claude-opus-4-8", "sonnet"], ["opus"]);
 * assert.deepEqual(denied, [true, false]);
 * ```
 */
// deno-lint-ignore require-await -- a promise, as the official one
export async function matchDeniedModels(
  models: readonly string[],
  deniedModels: readonly string[] | undefined,
): Promise<DeniedModelsMatch> {
  // Callers without types may pass anything.
  const [names, entries]: readonly unknown[] = [models, deniedModels ?? []];
  const ofModels = Array.isArray(names)
    ? names.filter((name) => typeof name !== "string").map((name) =>
      `"models" contained a non-string entry (${
        kindOf(name)
      }), which is not a model name, so it cannot be matched.`
    )
    : ['"models" is not a list of model names, so nothing was matched.'];
  const list: readonly unknown[] = Array.isArray(names) ? names : [];
  if (!Array.isArray(entries)) {
    const ofList =
      '"deniedModels" was present but is not a list of model names, so it was ignored and blocks no models until it is fixed.';
    return {
      denied: list.map(() => false),
      warnings: [...new Set([ofList, ...ofModels])],
    };
  }
  const rules = entries.filter((one) => typeof one === "string").map(ruleOf);
  const warnings = [
    ...entries.filter((one) => typeof one !== "string").map((one) =>
      `"deniedModels" contained a non-string entry (${
        kindOf(one)
      }); the entry was ignored.`
    ),
    ...rules.flatMap(({ warning }) => warning ?? []),
    ...ofModels,
  ];
  return {
    denied: list.map((one) => {
      if (typeof one !== "string") return false;
      const name = withoutTags(one.trim()).toLowerCase();
      const model = readModel(name);
      return rules.some(({ denies }) => denies?.(name, model) === true);
    }),
    warnings: [...new Set(warnings)],
  };
}

function ruleOf(entry: string): Rule {
  const plain = entry.trim().toLowerCase();
  const name = withoutTags(plain).trim();
  const ofTags = name === plain
    ? ""
    : " Context-size tags such as [1m] are ignored: the entry blocks the model at every context size.";
  if (name === "") {
    return { warning: "An empty deniedModels entry was ignored." };
  }
  if (isFamily(name)) {
    const warning = `${quoted(entry)} blocks every ${capital(name)} model.`;
    return {
      denies: (other, model) => model?.family === name || hasWord(other, name),
      warning: ofTags === "" ? undefined : warning + ofTags,
    };
  }
  if (ALIASES.has(name)) {
    return {
      warning: `${
        quoted(entry)
      } was ignored: it names a different model depending on the release and settings. Name the model instead, for example "claude-opus-5-5".`,
    };
  }
  const rule = readModel(name) ??
    (name.startsWith("claude-") ? undefined : readModel(`claude-${name}`));
  if (rule === undefined) {
    return {
      denies: (other) => other === name,
      warning: warningOf(entry, name),
    };
  }
  const { family, major, minor, rest, variant } = rule;
  const ofRest = variant === undefined && rest !== ""
    ? ` ${quoted(rest)} is ignored.`
    : "";
  const what = minor === undefined
    ? `every ${capital(family)} ${major}.x model`
    : `${capital(family)} ${major}.${minor} in every spelling and snapshot`;
  return {
    denies: (_, model) =>
      model?.family === family && model.major === major &&
      (minor === undefined || (model.minor ?? 0) === minor) &&
      (variant === undefined ||
        `${model.variant ?? ""}-`.startsWith(`${variant}-`)),
    warning: ofTags + ofRest === ""
      ? undefined
      : `${quoted(entry)} blocks ${what}.${ofRest}${ofTags}`,
  };
}

/** Reads a model's name; `undefined` if it names no model. */
function readModel(name: string): ModelName | undefined {
  let plain = name.trim().toLowerCase();
  if (/\s/.test(plain)) return undefined;
  plain = plain.replace(/\[[12]m\]$/, "").replace(/^.*\//s, "");
  const ofBedrock = /^(?:([a-z-]+)\.)?anthropic\.(claude-.*)$/.exec(plain);
  if (ofBedrock) {
    const [, region, model = ""] = ofBedrock;
    if (region !== undefined && !REGIONS.has(region)) return undefined;
    plain = model;
  }
  const match =
    /^claude-(?<family>[a-z]+)-(?<major>\d{1,2})(?!\d)(?:-(?<minor>\d{1,2})(?!\d))?/
      .exec(plain) ??
      /^claude-(?<major>\d{1,2})(?!\d)(?:-(?<minor>\d{1,2})(?!\d))?-(?<family>[a-z]+)/
        .exec(plain);
  if (match === null) return undefined;
  const { family = "", major, minor } = match.groups ?? {};
  const rest = plain.slice(match[0].length);
  if (!/^(?:$|[-@])/.test(rest)) return undefined;
  return {
    family,
    major: Number(major),
    minor: minor === undefined ? undefined : Number(minor),
    rest,
    variant: FORM.test(rest) ? undefined : rest,
  };
}

/** Suffixes that leave it the same model: a mode of serving, a date, the revision of a provider. */
const FORM =
  /^(?:-fast|-latest)?(?:-v\d{1,3}@\d{8}|[-@]\d{8})?(?:-v\d{1,3}(?::\d{1,3})?)?$/;

/** Warning for a name that names no model, with the spelling that was probably meant. */
function warningOf(entry: string, name: string): string {
  const fact = `${quoted(entry)} blocks only the exact model name ${
    quoted(name)
  }; other spellings of the same model are not blocked.`;
  const hyphens = name.replace(/(\d)\.(\d)/g, "$1-$2");
  const id = hyphens.startsWith("claude-") ? hyphens : `claude-${hyphens}`;
  if (hyphens !== name && readModel(id)) {
    return `${fact} To block a version, write it with a hyphen: ${quoted(id)}.`;
  }
  const [, family, major, minor] =
    /^(sonnet|opus|haiku|fable)\s+(\d+)(?:\.(\d+))?$/.exec(name) ?? [];
  if (family !== undefined) {
    const model = `claude-${family}-${major}`;
    return minor === undefined
      ? `${fact} To block only version ${major}, write "${model}-0"; "${model}" blocks every ${
        capital(family)
      } ${major}.x model.`
      : `${fact} To block a version, write its model ID, for example "${model}-${minor}".`;
  }
  if (!/^[a-z]+$/.test(name)) return fact;
  const meant = FAMILIES.find((one) => isOneEdit(name, one));
  return meant === undefined
    ? `${fact} To block a model family other than sonnet, opus, haiku or fable, list its versioned IDs.`
    : `${fact} If you meant the ${capital(meant)} family, write "${meant}".`;
}

/** Whether one letter less, more or other, or two in the other order, makes the second of the first. */
function isOneEdit(from: string, to: string): boolean {
  let at = 0;
  while (at < from.length && from[at] === to[at]) at++;
  const rest = (text: string, skip: number) => text.slice(at + skip);
  return rest(from, 1) === rest(to, 1) || rest(from, 1) === rest(to, 0) ||
    rest(from, 0) === rest(to, 1) ||
    from[at] === to[at + 1] && from[at + 1] === to[at] &&
      rest(from, 2) === rest(to, 2);
}

function isFamily(name: string): boolean {
  return FAMILIES.some((family) => family === name);
}

/** Whether a word stands in a name by itself. */
function hasWord(name: string, word: string): boolean {
  return new RegExp(`(?<![a-z0-9])${word}(?![a-z0-9])`).test(name);
}

function withoutTags(name: string): string {
  return name.replace(/\[[12]m\]/gi, "");
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function kindOf(value: unknown): string {
  return value === null ? "null" : typeof value;
}

/** A name without control characters, cut. */
function quoted(name: string): string {
  // deno-lint-ignore no-control-regex -- they are what is replaced
  const plain = name.replace(/[\u0000-\u001f\u007f-\u009f]/g, "?");
  const text = plain.length > LONGEST_NAME
    ? `${plain.slice(0, LONGEST_NAME)}…`
    : plain;
  return `"${text}"`;
}
