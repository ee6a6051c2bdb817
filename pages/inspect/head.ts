import type {
  StoryData,
  StoryHead,
  Turn,
} from "../../src/command/story_data.ts";
import { count, find, make, shape, time, usd } from "./elements.ts";

/** Shows what stands above the steps: facts, warnings, context and turns. */
export function showHead({ context, head, turns }: StoryData): void {
  showFacts(factsOf(head));
  find("#warnings").replaceChildren(...head.warnings.map(warning));
  showContext(context);
  showTurns(turns);
}

/** Shows facts, each with its name. */
export function showFacts(
  facts: readonly (readonly [name: string, value: string])[],
): void {
  find(".facts").replaceChildren(
    ...facts.map(([name, value]) => {
      const pair = make("div");
      pair.append(make("dt", "", name), make("dd", "", value));
      return pair;
    }),
  );
}

/** A warning, as the head has them. */
export function warning(text: string): HTMLElement {
  return make("p", "warning", text);
}

/** Facts of a story that are known. */
export function factsOf(
  head: StoryHead,
): readonly (readonly [name: string, value: string])[] {
  const began = head.startedAt === undefined
    ? undefined
    : new Date(head.startedAt).toISOString().replace("T", " ").slice(0, 19);
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["Model", head.model],
    ["CLI", head.version],
    ["Session", head.sessionId],
    ["Folder", head.cwd],
    ["Began", began],
    ["Took", shown(head.ms, time)],
    ["Cost", shown(head.usd, usd)],
    ["Recorded as", head.form],
  ];
  return facts.flatMap(([name, value]) => value ? [[name, value]] : []);
}

/** A table of all takes seconds where there are thousands; those left out stand among the steps, too. */
const MOST_TURNS = 500;

function showTurns(turns: readonly Turn[]): void {
  find("#turns").hidden = turns.length === 0;
  find("#turns h2").textContent = turns.length > MOST_TURNS
    ? `The last ${MOST_TURNS} of ${count(turns.length)} turns`
    : "Turns";
  find("tbody").replaceChildren(
    ...turns.slice(-MOST_TURNS).map((turn) => {
      const { isError, ms, number, prompt, read, usd: cost, written } = turn;
      const link = make("a", isError ? "failed" : "", `${number}. ${prompt}`);
      link.href = `#turn${number}`;
      const first = make("td");
      first.append(link);
      const row = make("tr");
      row.append(
        first,
        ...[
          shown(ms, time),
          shown(cost, usd),
          shown(read, count),
          shown(written, count),
        ].map((text) => make("td", "", text)),
      );
      return row;
    }),
  );
}

function shown(
  value: number | undefined,
  how: (value: number) => string,
): string | undefined {
  return value === undefined ? undefined : how(value);
}

const WIDTH = 720;
const HEIGHT = 120;
/** Room for the numbers at the left, and for the text below. */
const LEFT = 56;
const BOTTOM = 18;

function showContext(context: StoryData["context"]): void {
  const svg = find<SVGElement>(".plot");
  const all = context.map(([, tokens]) => tokens);
  const [first, last] = [all[0], all.at(-1)];
  find("#context").hidden = last === undefined;
  if (first === undefined || last === undefined) return;
  const most = all.reduce((a, b) => Math.max(a, b));
  const y = (tokens: number) => (HEIGHT - BOTTOM) * (1 - tokens / most) + 6;
  const zero = y(0);
  const drawn = drawable(all);
  const edge = drawn.map((tokens, at) => {
    const x = LEFT + (WIDTH - LEFT) * at / (drawn.length - 1);
    return `${x.toFixed(1)},${y(tokens).toFixed(1)}`;
  }).join(" ");
  const end = { "text-anchor": "end" };
  svg.replaceChildren(
    shape("line", { x1: LEFT, x2: WIDTH, y1: zero, y2: zero }),
    shape("text", { x: LEFT - 6, y: 12, ...end }, count(most)),
    shape("text", { x: LEFT - 6, y: zero, ...end }, "0"),
    shape(
      "text",
      { x: WIDTH, y: HEIGHT - 2, ...end },
      `${all.length} answers of the model`,
    ),
    shape("polygon", {
      class: "area",
      points: `${LEFT},${zero} ${edge} ${WIDTH},${zero}`,
    }),
    shape("polyline", { class: "edge", points: edge }),
  );
  svg.setAttribute(
    "aria-label",
    `Tokens in the context: ${count(first)} at the first answer, ${
      count(last)
    } at the last, at most ${count(most)}`,
  );
}

/** As many as there is room for, of several the highest; one alone is a line all the way. */
function drawable(all: readonly number[]): readonly number[] {
  if (all.length === 1) return [...all, ...all];
  const each = Math.ceil(all.length / WIDTH);
  if (each === 1) return all;
  return Array.from(
    { length: Math.ceil(all.length / each) },
    (_, at) => Math.max(...all.slice(at * each, (at + 1) * each)),
  );
}
