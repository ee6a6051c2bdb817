// Made from pages/inspect/ by `npm run generate`; edit that.
/** Script of the page, as text: it is inserted unchanged, and its hash into the policy. */
export const PAGE_SCRIPT: string = `
(() => {
  // pages/theme.ts
  function switchTheme(button) {
    button?.addEventListener("click", () => {
      const { dataset: dataset2 } = document.documentElement;
      const isDark = dataset2["theme"] === void 0 ? matchMedia("(prefers-color-scheme: dark)").matches : dataset2["theme"] === "dark";
      dataset2["theme"] = isDark ? "light" : "dark";
    });
  }

  // pages/inspect/elements.ts
  function find(selector) {
    const found = document.querySelector(selector);
    if (found === null) throw new Error(\`The page has no \${selector}\`);
    return found;
  }
  function make(name, className = "", text) {
    const node = document.createElement(name);
    if (className !== "") node.className = className;
    if (text !== void 0) node.textContent = text;
    return node;
  }
  function shape(name, attributes, text) {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) {
      node.setAttribute(key, String(value));
    }
    if (text !== void 0) node.textContent = text;
    return node;
  }
  function time(ms) {
    if (ms < 1e3) return \`\${Math.round(ms)} ms\`;
    if (ms < 6e4) return \`\${(ms / 1e3).toFixed(1)} s\`;
    const whole = Math.round(ms / 1e3);
    return \`\${Math.floor(whole / 60)} min \${whole % 60} s\`;
  }
  function count(n) {
    return n.toLocaleString("en");
  }
  function usd(amount) {
    return \`$\${amount.toFixed(4)}\`;
  }

  // pages/inspect/head.ts
  function showHead({ context, head, turns }) {
    showFacts(factsOf(head));
    find("#warnings").replaceChildren(...head.warnings.map(warning));
    showContext(context);
    showTurns(turns);
  }
  function showFacts(facts) {
    find(".facts").replaceChildren(
      ...facts.map(([name, value]) => {
        const pair = make("div");
        pair.append(make("dt", "", name), make("dd", "", value));
        return pair;
      })
    );
  }
  function warning(text) {
    return make("p", "warning", text);
  }
  function factsOf(head) {
    const began = head.startedAt === void 0 ? void 0 : new Date(head.startedAt).toISOString().replace("T", " ").slice(0, 19);
    const facts = [
      ["Model", head.model],
      ["CLI", head.version],
      ["Session", head.sessionId],
      ["Folder", head.cwd],
      ["Began", began],
      ["Took", shown(head.ms, time)],
      ["Cost", shown(head.usd, usd)],
      ["Recorded as", head.form]
    ];
    return facts.flatMap(([name, value]) => value ? [[name, value]] : []);
  }
  var MOST_TURNS = 500;
  function showTurns(turns) {
    find("#turns").hidden = turns.length === 0;
    find("#turns h2").textContent = turns.length > MOST_TURNS ? \`The last \${MOST_TURNS} of \${count(turns.length)} turns\` : "Turns";
    find("tbody").replaceChildren(
      ...turns.slice(-MOST_TURNS).map((turn) => {
        const { isError, ms, number, prompt, read, usd: cost, written } = turn;
        const link = make("a", isError ? "failed" : "", \`\${number}. \${prompt}\`);
        link.href = \`#turn\${number}\`;
        const first = make("td");
        first.append(link);
        const row = make("tr");
        row.append(
          first,
          ...[
            shown(ms, time),
            shown(cost, usd),
            shown(read, count),
            shown(written, count)
          ].map((text) => make("td", "", text))
        );
        return row;
      })
    );
  }
  function shown(value, how) {
    return value === void 0 ? void 0 : how(value);
  }
  var WIDTH = 720;
  var HEIGHT = 120;
  var LEFT = 56;
  var BOTTOM = 18;
  function showContext(context) {
    const svg = find(".plot");
    const all = context.map(([, tokens]) => tokens);
    const [first, last] = [all[0], all.at(-1)];
    find("#context").hidden = last === void 0;
    if (first === void 0 || last === void 0) return;
    const most = all.reduce((a, b) => Math.max(a, b));
    const y = (tokens) => (HEIGHT - BOTTOM) * (1 - tokens / most) + 6;
    const zero = y(0);
    const drawn = drawable(all);
    const edge = drawn.map((tokens, at) => {
      const x = LEFT + (WIDTH - LEFT) * at / (drawn.length - 1);
      return \`\${x.toFixed(1)},\${y(tokens).toFixed(1)}\`;
    }).join(" ");
    const end = { "text-anchor": "end" };
    svg.replaceChildren(
      shape("line", { x1: LEFT, x2: WIDTH, y1: zero, y2: zero }),
      shape("text", { x: LEFT - 6, y: 12, ...end }, count(most)),
      shape("text", { x: LEFT - 6, y: zero, ...end }, "0"),
      shape(
        "text",
        { x: WIDTH, y: HEIGHT - 2, ...end },
        \`\${all.length} answers of the model\`
      ),
      shape("polygon", {
        class: "area",
        points: \`\${LEFT},\${zero} \${edge} \${WIDTH},\${zero}\`
      }),
      shape("polyline", { class: "edge", points: edge })
    );
    svg.setAttribute(
      "aria-label",
      \`Tokens in the context: \${count(first)} at the first answer, \${count(last)} at the last, at most \${count(most)}\`
    );
  }
  function drawable(all) {
    if (all.length === 1) return [...all, ...all];
    const each = Math.ceil(all.length / WIDTH);
    if (each === 1) return all;
    return Array.from(
      { length: Math.ceil(all.length / each) },
      (_, at) => Math.max(...all.slice(at * each, (at + 1) * each))
    );
  }

  // pages/inspect/long_list.ts
  var CHUNK = 100;
  var ITEM_REM = 1.7;
  var LongList = class {
    #main = find("main");
    #nodeOf;
    #chunks = [];
    #places = /* @__PURE__ */ new Map();
    /** Takes what gives an item its node, the same one each time. */
    constructor(nodeOf) {
      this.#nodeOf = nodeOf;
      addEventListener("scroll", this.#settle, { passive: true });
      addEventListener("resize", this.#settle);
      addEventListener("beforeprint", () => this.#chunks.forEach(this.#fill));
    }
    /** Its items, in order. */
    get ids() {
      return this.#chunks.flatMap(({ ids }) => ids);
    }
    /** Shows these; what stays where it was is not touched. */
    show(ids) {
      this.#places = new Map(ids.map((id, place) => [id, place]));
      const count2 = Math.ceil(ids.length / CHUNK);
      for (const { node } of this.#chunks.splice(count2)) node.remove();
      for (let at = 0; at < count2; at++) {
        const here = ids.slice(at * CHUNK, (at + 1) * CHUNK);
        const chunk = this.#chunks[at] ?? this.#append();
        const isSame = chunk.ids.length === here.length && here.every((id, place) => id === chunk.ids[place]);
        if (isSame) continue;
        chunk.ids = here;
        if (chunk.isFilled && isNear(chunk)) this.#fill(chunk);
        else empty(chunk);
      }
      this.#settle();
    }
    /** Makes an item, wherever it is; false where it is not in the list. */
    reveal(id) {
      const place = this.#places.get(id);
      if (place === void 0) return false;
      const at = Math.floor(place / CHUNK);
      this.#chunks.slice(Math.max(at - 1, 0), at + 2).forEach(this.#fill);
      return true;
    }
    #append() {
      const chunk = { node: make("div", "chunk"), ids: [], isFilled: false };
      this.#main.append(chunk.node);
      this.#chunks.push(chunk);
      return chunk;
    }
    /** Makes what is near the screen, until all of that is there: it may be lower than it was taken for. */
    #settle = () => {
      for (; ; ) {
        const near = this.#chunks.filter((one) => !one.isFilled && isNear(one));
        if (near.length === 0) return;
        near.forEach(this.#fill);
      }
    };
    #fill = (chunk) => {
      const { ids, node } = chunk;
      if (!chunk.isFilled) node.style.height = "";
      chunk.isFilled = true;
      let next = node.firstElementChild;
      for (const id of ids) {
        const item = this.#nodeOf(id);
        if (item === next) next = next.nextElementSibling;
        else node.insertBefore(item, next);
      }
      while (next !== null) {
        const after = next.nextElementSibling;
        next.remove();
        next = after;
      }
    };
  };
  function empty(chunk) {
    chunk.isFilled = false;
    chunk.node.replaceChildren();
    chunk.node.style.height = \`\${chunk.ids.length * ITEM_REM}rem\`;
  }
  function isNear({ node }) {
    const { bottom, top } = node.getBoundingClientRect();
    return bottom >= -innerHeight && top <= 2 * innerHeight;
  }

  // pages/inspect/row.ts
  var Row = class {
    node = make("div", "step");
    summary = make("summary");
    #details = make("details");
    #step;
    constructor(step, depth) {
      this.#step = step;
      this.summary.id = \`s\${step.id}\`;
      this.#details.append(this.summary);
      this.#details.addEventListener("toggle", () => {
        if (this.#details.open) this.#fill();
      });
      this.node.append(this.#details);
      this.show(step, depth);
    }
    /** Shows the current state of the step, at its depth below other calls. */
    show(step, depth) {
      this.#step = step;
      const { isError, kind, ms, t, title } = step;
      const waited = kind === "permission" ? "waited " : "";
      this.summary.replaceChildren(
        make("span", "time", t === void 0 ? "" : time(t)),
        make("span", "kind", kind),
        make("span", "title", title || "(empty)"),
        make("span", "ms", ms === void 0 ? "" : waited + time(ms))
      );
      this.node.style.setProperty("--depth", String(depth));
      this.node.className = \`step \${kind}\${isError ? " error" : ""}\`;
      if (this.#details.open) this.#fill();
    }
    /** Opens it, and goes there. */
    goTo() {
      this.#details.open = true;
      this.#fill();
      this.summary.scrollIntoView({ block: "start" });
      this.summary.focus({ preventScroll: true });
    }
    #fill() {
      const { answer, change, id, kind, text } = this.#step;
      while (this.summary.nextSibling !== null) this.summary.nextSibling.remove();
      if (text !== void 0) this.#details.append(block(text, kind));
      if (change !== void 0) this.#details.append(changed(change));
      if (answer !== void 0) {
        const name = kind === "tool" ? "Result" : "Answer";
        this.#details.append(make("p", "label", name), block(answer, name));
      }
      const link = make("a", "label", "Link to this step");
      link.href = \`#s\${id}\`;
      this.#details.append(link);
    }
  };
  function block(text, name) {
    const node = make("pre", "", text);
    node.tabIndex = 0;
    node.setAttribute("role", "group");
    node.setAttribute("aria-label", name);
    return node;
  }
  function changed(text) {
    const node = block("", "Change");
    node.append(...text.split("\\n").map(signed));
    return node;
  }
  function signed(line) {
    const kinds2 = {
      "+": "added",
      "-": "removed"
    };
    return make("div", \`line \${kinds2[line.charAt(0)] ?? ""}\`, line);
  }

  // pages/inspect/steps.ts
  var Steps = class {
    #all = [];
    #turns = [];
    #ordered = [];
    /** Searched texts, by step, from the first search on. */
    #texts = /* @__PURE__ */ new Map();
    /** Number of steps. */
    get count() {
      return this.#all.length;
    }
    /** Takes steps that came or changed. */
    take({ steps: steps2, turns }) {
      this.#turns = turns;
      for (const step of steps2) {
        this.#all[step.id] = step;
        this.#texts.delete(step.id);
      }
      this.#ordered = ordered(this.#all);
    }
    /** A step by its id in the page. */
    byId(id) {
      return id.startsWith("s") ? this.#all[Number(id.slice(1))] : void 0;
    }
    /** Number of calls above it. */
    depthOf(step) {
      let depth = 0;
      for (const _ of this.#above(step)) depth++;
      return depth;
    }
    /** Heading of a turn. */
    headingOf(number) {
      const turn = this.#turns[number - 1];
      return turn === void 0 ? "Before the first prompt" : \`Turn \${turn.number}: \${turn.prompt}\`;
    }
    /** Number of steps of each kind, and of failed ones. */
    counts() {
      const kinds2 = /* @__PURE__ */ new Map();
      let failed = 0;
      for (const { isError, kind } of this.#all) {
        kinds2.set(kind, (kinds2.get(kind) ?? 0) + 1);
        if (isError) failed++;
      }
      return { kinds: kinds2, failed };
    }
    /** Visible items, as ids of the page: turns, and their steps. */
    list(filter2) {
      const fitting = /* @__PURE__ */ new Set();
      let found = 0;
      for (const step of this.#all) {
        if (!this.#fits(step, filter2)) continue;
        found++;
        fitting.add(step);
        for (const one of this.#above(step)) fitting.add(one);
      }
      const ids = [];
      let turn;
      for (const step of this.#ordered) {
        if (!fitting.has(step)) continue;
        const isInner = step.parent !== void 0;
        if (!isInner && step.turn !== turn) ids.push(\`turn\${turn = step.turn}\`);
        ids.push(\`s\${step.id}\`);
      }
      return { ids, found };
    }
    *#above(step) {
      let one = this.#all[step.parent ?? -1];
      while (one !== void 0) {
        yield one;
        one = this.#all[one.parent ?? -1];
      }
    }
    #fits(step, { isErrorsOnly: isErrorsOnly2, kinds: kinds2, words }) {
      if (isErrorsOnly2 && !step.isError) return false;
      if (kinds2.size > 0 && !kinds2.has(step.kind)) return false;
      return words === "" || this.#textOf(step).includes(words);
    }
    #textOf({ answer = "", change = "", id, text = "", title }) {
      const known = this.#texts.get(id);
      if (known !== void 0) return known;
      const all = \`\${title}
\${text}
\${change}
\${answer}\`.toLowerCase();
      this.#texts.set(id, all);
      return all;
    }
  };
  function ordered(steps2) {
    const below = /* @__PURE__ */ new Map();
    const turns = /* @__PURE__ */ new Map();
    for (const step of steps2) {
      const { parent, turn } = step;
      const [lists, key] = parent === void 0 ? [turns, turn] : [below, parent];
      const list2 = lists.get(key);
      if (list2 === void 0) lists.set(key, [step]);
      else list2.push(step);
    }
    const all = [];
    const add = (list2) => {
      for (const step of list2) {
        all.push(step);
        const inner = below.get(step.id);
        if (inner !== void 0) add(inner);
      }
    };
    for (const list2 of turns.values()) add(list2);
    return all;
  }

  // pages/inspect/main.ts
  var steps = new Steps();
  var rows = /* @__PURE__ */ new Map();
  var headings = /* @__PURE__ */ new Map();
  var kinds = /* @__PURE__ */ new Set();
  var isErrorsOnly = false;
  var input = find("input");
  var list = new LongList((id) => rowOf(id)?.node ?? headingOf(id));
  function rowOf(id) {
    const known = rows.get(id);
    const step = steps.byId(id);
    if (known !== void 0 || step === void 0) return known;
    const row = new Row(step, steps.depthOf(step));
    rows.set(id, row);
    return row;
  }
  function headingOf(id) {
    const known = headings.get(id);
    if (known !== void 0) return known;
    const heading = make("h2", "", steps.headingOf(Number(id.slice(4))));
    heading.id = id;
    headings.set(id, heading);
    return heading;
  }
  function filter() {
    const words = input.value.toLowerCase();
    const { found, ids } = steps.list({ kinds, isErrorsOnly, words });
    list.show(ids);
    find("#found").textContent = \`\${found} of \${steps.count} steps\`;
  }
  function showFilters() {
    const { failed, kinds: counts } = steps.counts();
    const buttons = [...counts].map(
      ([kind, number]) => toggle(\`\${kind} \${number}\`, kinds.has(kind), () => {
        if (!kinds.delete(kind)) kinds.add(kind);
      })
    );
    if (failed > 0) {
      buttons.push(toggle(\`failed \${failed}\`, isErrorsOnly, () => {
        isErrorsOnly = !isErrorsOnly;
      }));
    }
    find("#filters").replaceChildren(...buttons);
  }
  function toggle(text, isOn, act) {
    const button = make("button", "", text);
    button.type = "button";
    button.setAttribute("aria-pressed", String(isOn));
    button.addEventListener("click", () => {
      act();
      button.setAttribute("aria-pressed", String(!isOn));
      filter();
    });
    return button;
  }
  function move(by, toErrors = false) {
    const { ids } = list;
    const here = document.activeElement?.closest(".step")?.querySelector("summary");
    const from = here ? ids.indexOf(here.id) : -1;
    for (let to = from + by; to >= 0 && to < ids.length; to += by) {
      const id = ids[to] ?? "";
      const step = steps.byId(id);
      if (step === void 0 || toErrors && !step.isError) continue;
      list.reveal(id);
      const summary = rowOf(id)?.summary;
      summary?.focus({ preventScroll: true });
      summary?.scrollIntoView({ block: "nearest" });
      return;
    }
  }
  function follow() {
    const id = location.hash.slice(1);
    if (!list.reveal(id)) {
      const isThere = steps.byId(id) !== void 0 || /^turn\\d+$/.test(id);
      if (!isThere) return;
      input.value = "";
      kinds.clear();
      isErrorsOnly = false;
      showFilters();
      filter();
      if (!list.reveal(id)) return;
    }
    const row = rowOf(id);
    if (row === void 0) headingOf(id).scrollIntoView({ block: "start" });
    else row.goTo();
  }
  var KEYS = {
    "/": () => input.focus(),
    j: () => move(1),
    k: () => move(-1),
    e: () => move(1, true)
  };
  input.addEventListener("input", filter);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target !== input) {
      const act = KEYS[event.key];
      if (act === void 0) return;
      event.preventDefault();
      act();
    } else if (event.key === "Escape") {
      input.value = "";
      filter();
      input.blur();
    }
  });
  switchTheme(document.querySelector("#theme"));
  addEventListener("hashchange", follow);
  function show(story) {
    steps.take(story);
    showHead(story);
    for (const step of story.steps) {
      rows.get(\`s\${step.id}\`)?.show(step, steps.depthOf(step));
    }
    showFilters();
    filter();
  }
  function listen() {
    const source = new EventSource("events");
    source.addEventListener("message", ({ data: data2 }) => {
      const event = JSON.parse(data2);
      if ("isAnew" in event) location.reload();
      else show(event);
    });
    source.addEventListener("error", () => {
      find("#warnings").replaceChildren(
        warning("Connection lost: these are the messages received so far")
      );
    });
  }
  var { dataset } = document.documentElement;
  var data = find("#data");
  show(JSON.parse(data.textContent ?? ""));
  data.remove();
  follow();
  dataset["ready"] = "yes";
  if (dataset["live"] !== void 0) listen();
})();
`;

/** Its style: light and dark, wide and narrow. */
export const PAGE_STYLE: string = `
/* pages/page.css */
:root {
  color-scheme: light dark;
  --ground: #fff;
  --raised: #f5f6f8;
  --line: #d5d9e0;
  --text: #1b1f27;
  --quiet: #59616e;
  --accent: #1f5fbf;
  --good: #1a7f45;
  --bad: #b3261e;
  --warn: #8a5a00;
  --mark: #fff1b8;
}
@media (prefers-color-scheme: dark) {
  :root:not([data-theme=light]) {
    --ground: #14171c;
    --raised: #1d2128;
    --line: #363c47;
    --text: #e8eaee;
    --quiet: #a3abb8;
    --accent: #8ab4f8;
    --good: #7ad19a;
    --bad: #ff9a92;
    --warn: #f2c46d;
    --mark: #4d4210;
  }
}
:root[data-theme=light] {
  color-scheme: light;
}
:root[data-theme=dark] {
  color-scheme: dark;
  --ground: #14171c;
  --raised: #1d2128;
  --line: #363c47;
  --text: #e8eaee;
  --quiet: #a3abb8;
  --accent: #8ab4f8;
  --good: #7ad19a;
  --bad: #ff9a92;
  --warn: #f2c46d;
  --mark: #4d4210;
}
* {
  box-sizing: border-box;
}
html {
  scroll-padding-top: 7rem;
}
body {
  margin: 0;
  background: var(--ground);
  color: var(--text);
  font: 15px/1.5 system-ui, sans-serif;
}
header,
main {
  max-width: 72rem;
  margin: 0 auto;
  padding: 1rem;
}
h1 {
  font-size: 1.3rem;
  margin: 0 0 .3rem;
  overflow-wrap: anywhere;
}
h2 {
  font-size: 1rem;
  margin: 1.6rem 0 .4rem;
  overflow-wrap: anywhere;
}
.facts {
  display: flex;
  flex-wrap: wrap;
  gap: .2rem 1.2rem;
  margin: 0;
  color: var(--quiet);
}
.facts dt {
  display: inline;
}
.facts dt::after {
  content: " ";
}
.facts dd {
  display: inline;
  margin: 0;
  color: var(--text);
  overflow-wrap: anywhere;
}
.warning {
  color: var(--warn);
  margin: .4rem 0 0;
}
.bar {
  position: sticky;
  top: 0;
  z-index: 1;
  background: var(--ground);
  border-bottom: 1px solid var(--line);
  padding: .6rem 1rem;
  max-width: 72rem;
  margin: 0 auto;
  display: flex;
  flex-wrap: wrap;
  gap: .4rem;
  align-items: center;
}
input,
button {
  font: inherit;
  color: inherit;
  background: var(--raised);
  border: 1px solid var(--line);
  border-radius: .4rem;
  padding: .2rem .6rem;
}
input {
  flex: 1 1 12rem;
  min-width: 8rem;
}
button {
  cursor: pointer;
}
button[aria-pressed=true] {
  border-color: var(--accent);
  color: var(--accent);
}
:focus-visible {
  outline: 2px solid var(--accent);
  outline-offset: 1px;
}
a {
  color: var(--accent);
}
.step {
  border-left: 3px solid var(--line);
  margin: .15rem 0;
  padding-left: .6rem;
  margin-left: calc(var(--depth, 0) * 1.4rem);
}
.step.error {
  border-left-color: var(--bad);
}
.step.prompt {
  border-left-color: var(--accent);
}
.step.permission {
  border-left-color: var(--warn);
}
summary:target {
  background: var(--mark);
}
summary {
  cursor: pointer;
  list-style: none;
  display: flex;
  flex-wrap: wrap;
  gap: 0 .6rem;
  align-items: baseline;
  border-radius: .3rem;
  padding: .05rem .3rem;
}
summary::-webkit-details-marker {
  display: none;
}
summary:hover {
  background: var(--raised);
}
.time,
.ms,
.kind {
  color: var(--quiet);
  font-size: .85rem;
  font-variant-numeric: tabular-nums;
}
.time {
  flex: 0 0 4.2rem;
}
.kind {
  flex: 0 0 5.2rem;
}
.title {
  flex: 1 1 14rem;
  min-width: 0;
  overflow-wrap: anywhere;
}
.error > details > summary .title,
.failed {
  color: var(--bad);
}
pre {
  background: var(--raised);
  border-radius: .4rem;
  padding: .6rem;
  margin: .3rem 0;
  white-space: pre-wrap;
  overflow-wrap: anywhere;
  max-height: 30rem;
  overflow-y: auto;
  font: 13px/1.45 ui-monospace, monospace;
}
.line {
  min-height: 1.45em;
}
.line.added {
  color: var(--good);
}
.line.removed {
  color: var(--bad);
}
.label {
  color: var(--quiet);
  font-size: .85rem;
  margin: .4rem 0 0;
}
footer {
  max-width: 72rem;
  margin: 0 auto;
  padding: 1rem;
  color: var(--quiet);
  font-size: .85rem;
}
kbd {
  border: 1px solid var(--line);
  border-radius: .25rem;
  padding: 0 .3rem;
  font: inherit;
}
[hidden] {
  display: none !important;
}
@media (max-width: 40rem) {
  .bar {
    position: static;
    padding: .7rem;
  }
  html {
    scroll-padding-top: .5rem;
  }
  .ms {
    order: 1;
  }
  .title {
    order: 2;
  }
  header,
  main {
    padding: .7rem;
  }
  .time {
    flex-basis: auto;
  }
  .kind {
    flex-basis: auto;
  }
  .title {
    flex-basis: 100%;
  }
  .step {
    margin-left: calc(var(--depth, 0) * .8rem);
  }
}
@media print {
  .bar,
  footer {
    display: none;
  }
}

/* pages/inspect/page.css */
.plot {
  width: 100%;
  height: auto;
  display: block;
}
.plot .area {
  fill: var(--accent);
  opacity: .18;
}
.plot .edge {
  fill: none;
  stroke: var(--accent);
  stroke-width: 1.5;
}
.plot text {
  fill: var(--quiet);
  font: 11px system-ui, sans-serif;
}
.plot line {
  stroke: var(--line);
}
.scroll {
  overflow: auto;
  max-height: 24rem;
}
table {
  border-collapse: collapse;
  width: 100%;
  font-variant-numeric: tabular-nums;
}
th,
td {
  text-align: right;
  padding: .15rem .6rem;
  border-bottom: 1px solid var(--line);
  white-space: nowrap;
}
th {
  color: var(--quiet);
  font-weight: 500;
}
th:first-child,
td:first-child {
  text-align: left;
  white-space: normal;
  overflow-wrap: anywhere;
  min-width: 10rem;
}
#filters {
  display: flex;
  flex-wrap: wrap;
  gap: .3rem;
}
`;
