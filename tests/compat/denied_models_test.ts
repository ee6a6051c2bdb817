import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { matchDeniedModels } from "@sluice/agent/compat";
import { test } from "../_harness.ts";
import { casesOf, type DeniedModels } from "./_denied_models.ts";

const TABLE: DeniedModels = JSON.parse(
  readFileSync(new URL("./denied_models.json", import.meta.url), "utf8"),
);

test("matchDeniedModels() denies and warns as the official package, case by case", async () => {
  const cases = casesOf(TABLE);
  assert.equal(cases.length, TABLE.answers.length);
  for (const [index, [models, list]] of cases.entries()) {
    const { denied, warnings } = await matchDeniedModels(
      models as string[],
      list as string[],
    );
    const answer = TABLE.answers[index];
    const what = JSON.stringify(list);
    assert.equal(denied.map(Number).join(""), answer?.denied, what);
    assert.deepEqual(warnings, answer?.warnings ?? [], what);
  }
});

test("matchDeniedModels() without a list denies nothing", async () => {
  assert.deepEqual(await matchDeniedModels(["opus"], undefined), {
    denied: [false],
    warnings: [],
  });
});
