import assert from "node:assert/strict";
import { recorder } from "../../src/otel/instruments.ts";
import { ATTRIBUTE, METRIC, SPAN } from "../../src/otel/names.ts";
import { readSource } from "../_examples.ts";
import { test } from "../_harness.ts";

/** First cells of the tables of the page, without code marks. */
const cells = [
  ...readSource("docs/observability.md").matchAll(/^\| `([^`]+)`/gm),
]
  .map(([, cell = ""]) => cell);

test("docs/observability.md lists every span, attribute and metric, and no other", () => {
  const known = [...Object.values(ATTRIBUTE), ...Object.values(METRIC)];
  const spans = new Set<string>(Object.values(SPAN));
  const isSpan = (cell: string) => spans.has(cell.split(" ")[0] ?? "");
  assert.deepEqual(cells.filter((one) => !isSpan(one)).sort(), known.sort());
  assert.deepEqual(
    cells.filter(isSpan).map((one) => one.split(" ")[0]).sort(),
    [...spans].sort(),
  );
});

/** Names that Prometheus makes of a metric. */
function seriesOf(key: keyof typeof METRIC): readonly string[] {
  const series: string[] = [];
  const made = (ends: readonly string[]) =>
  (
    name: string,
    { unit }: { readonly unit?: string } = {},
  ) => {
    const base = name.replaceAll(".", "_") + (unit === "s" ? "_seconds" : "");
    series.push(...ends.map((end) => base + end));
    return { add() {}, record() {} };
  };
  const meter = {
    createHistogram: made(["_bucket", "_sum", "_count"]),
    createCounter: made(["_total"]),
    createUpDownCounter: made([""]),
    createGauge: made([""]),
  };
  recorder(() => meter, {})(key, 1);
  return series;
}

test("The dashboard and the alert rules name series and labels that telemetry() makes", () => {
  const series = new Set(
    Object.keys(METRIC).flatMap((
      key,
    ) => seriesOf(key as keyof typeof METRIC)),
  );
  const labels = new Set<string>(
    Object.values(ATTRIBUTE).map((one) => one.replaceAll(".", "_")),
  );
  const dashboard = JSON.parse(readSource("docs/grafana/sluice.json"));
  const queries: string[] = dashboard.panels
    .flatMap(({ targets = [] }) => targets)
    .map(({ expr }: { readonly expr: string }) => expr);
  const rules = readSource("docs/grafana/alerts.yaml");
  assert.ok(queries.length > 15);
  for (const text of [...queries, rules]) {
    const names = text.match(/\b(?:sluice|gen_ai|mcp|error)_\w+/g) ?? [];
    assert.ok(names.length > 0, text);
    for (const name of names) {
      assert.ok(series.has(name) || labels.has(name), name);
    }
  }
  for (
    const alert of ["Stalled", "WaitsForPermission", "ErrorRate", "CostPerDay"]
  ) {
    assert.match(rules, new RegExp(`alert: Agent${alert}\n`));
  }
});
