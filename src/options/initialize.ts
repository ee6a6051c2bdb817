import { isObject } from "../errors/text.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { Schema } from "../types/schema.ts";
import { valueAt } from "./fields.ts";
import type { Target } from "./option.ts";
import type { Settings } from "./settings.ts";
import { OPTION_ROWS } from "./table.ts";
import { targetOf } from "./features.ts";

/** The fields of the `initialize` request that come from options; hooks and servers of this package are not among them. */
export function toInitialize(
  settings: Settings,
  outputSchema: Schema | undefined = settings.options.outputSchema,
  version?: string,
): JsonObject {
  const options = { ...settings.options, outputSchema };
  return fieldsOf(FIELD_ROWS, targetOf({ ...settings, options }, { version }));
}

/** The fields of `initialize` that the CLI has to read before anything else, for later it ignores them. */
export function startFields(target: Target): JsonObject {
  return fieldsOf(START_ROWS, target);
}

const FIELD_ROWS = OPTION_ROWS.flatMap(
  ([key, { field, fields = {}, confirmedBy }]) => {
    const writers = Object.entries(fields)
      .map(([name, write]) => ({ name, write }));
    return field || writers.length > 0
      ? [{ key, field, writers, confirmedBy }]
      : [];
  },
);
const START_ROWS = FIELD_ROWS.filter(({ confirmedBy }) => confirmedBy);

function fieldsOf(
  rows: typeof FIELD_ROWS,
  target: Target,
): JsonObject {
  const all: Record<string, JsonValue> = {};
  for (const { key, field, writers, confirmedBy } of rows) {
    if (confirmedBy && !target.knows(key)) continue;
    const value: unknown = valueAt(target.settings.options, key);
    if (field && value) all[field] = value as JsonValue;
    for (const { name, write } of writers) {
      const sent = write(value as never, target);
      if (sent !== undefined) all[name] = sent;
    }
  }
  return all;
}

/** The fields that an older CLI reads from files instead. */
export function startFiles(
  settings: Settings,
  version: string | undefined,
): { readonly settings?: JsonValue; readonly mcpConfig?: JsonObject } {
  const { knows } = targetOf(settings, { version });
  const fields = startFields(targetOf(settings));
  const { settings: own, mcpServers } = fields;
  return {
    ...own !== undefined && hasContent(own) && !knows("settings") &&
      { settings: own },
    ...mcpServers !== undefined && !knows("mcpServers") &&
      { mcpConfig: { mcpServers } },
  };
}

/** The fields that were sent and that the CLI does not confirm: an older one ignores what it does not know. */
export function unconfirmedFields(
  sent: JsonObject,
  reply: JsonObject,
): readonly string[] {
  return START_ROWS.filter(({ key, confirmedBy = "" }) =>
    hasContent(sent[key]) && reply[confirmedBy] !== true
  ).map(({ key }) => key);
}

/** Whether a CLI that ignores a field would miss something. */
function hasContent(value: JsonValue | undefined): boolean {
  return value !== undefined &&
    !(isObject(value) && Object.keys(value).length === 0);
}
