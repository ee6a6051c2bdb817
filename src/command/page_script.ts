// Made from pages/inspect/ by `deno task pages`; edit that.
/** What runs in the page, as text: it goes there as it is, and its hash into the policy. */
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
  function showHead({ context, head, turns: turns2 }) {
    find(".facts").replaceChildren(
      ...factsOf(head).map(([name, value]) => {
        const pair = make("div");
        pair.append(make("dt", "", name), make("dd", "", value));
        return pair;
      })
    );
    find("#warnings").replaceChildren(...head.warnings.map(warning));
    showContext(context);
    showTurns(turns2);
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
  function showTurns(turns2) {
    find("#turns").hidden = turns2.length === 0;
    find("tbody").replaceChildren(...turns2.map((turn) => {
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
    }));
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
    const drawn = all.length === 1 ? [first, first] : all;
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

  // pages/inspect/row.ts
  var Row = class {
    node = make("div", "step");
    summary = make("summary");
    #details = make("details");
    #step;
    constructor(step) {
      this.#step = step;
      this.summary.id = \`s\${step.id}\`;
      this.#details.append(this.summary);
      this.#details.addEventListener("toggle", () => {
        if (this.#details.open) this.#fill();
      });
      this.node.append(this.#details);
      this.show(step);
    }
    /** Shows the step as it is by now. */
    show(step) {
      this.#step = step;
      const { isError, kind, ms, t, title } = step;
      const waited = kind === "permission" ? "waited " : "";
      this.summary.replaceChildren(
        make("span", "time", t === void 0 ? "" : time(t)),
        make("span", "kind", kind),
        make("span", "title", title || "(empty)"),
        make("span", "ms", ms === void 0 ? "" : waited + time(ms))
      );
      this.node.className = \`step \${kind}\${isError ? " error" : ""}\`;
      if (this.#details.open) this.#fill();
    }
    /** Opens it. */
    open() {
      this.#details.open = true;
      this.#fill();
    }
    #fill() {
      const { answer, id, kind, text } = this.#step;
      this.#details.replaceChildren(this.summary);
      if (text !== void 0) this.#details.append(block(text, kind));
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

  // pages/inspect/main.ts
  var BATCH = 1e3;
  var steps = [];
  var rows = /* @__PURE__ */ new Map();
  var sections = /* @__PURE__ */ new Map();
  var kinds = /* @__PURE__ */ new Set();
  var turns = [];
  var isErrorsOnly = false;
  var words = "";
  var main = find("main");
  var input = find("input");
  function sectionOf(number) {
    const known = sections.get(number);
    if (known !== void 0) return known;
    const section = make("section");
    section.id = \`turn\${number}\`;
    const turn = turns[number - 1];
    section.append(make("h2", "", titleOf(turn)));
    sections.set(number, section);
    main.append(section);
    return section;
  }
  function titleOf(turn) {
    return turn === void 0 ? "Before the first prompt" : \`Turn \${turn.number}: \${turn.prompt}\`;
  }
  function placeOf(step) {
    const parent = rows.get(step.parent ?? -1)?.node;
    if (parent === void 0) return sectionOf(step.turn);
    const inner = parent.querySelector(":scope > .children");
    if (inner !== null) return inner;
    const made = make("div", "children");
    parent.append(made);
    return made;
  }
  function showStep(step) {
    steps[step.id] = step;
    const known = rows.get(step.id);
    const row = known ?? new Row(step);
    rows.set(step.id, row);
    const place = placeOf(step);
    if (row.node.parentElement !== place) place.append(row.node);
    if (known !== void 0) row.show(step);
    row.node.hidden = !fits(step);
  }
  function fits({ answer, isError, kind, text, title }) {
    if (isErrorsOnly && !isError) return false;
    if (kinds.size > 0 && !kinds.has(kind)) return false;
    return words === "" || [title, text, answer].some((one) => one?.toLowerCase().includes(words));
  }
  function filter() {
    const fitting = /* @__PURE__ */ new Set();
    let found = 0;
    for (const step of steps) {
      if (!fits(step)) continue;
      found++;
      for (let one = step; one !== void 0; ) {
        fitting.add(one.id);
        one = steps[one.parent ?? -1];
      }
    }
    for (const [id, { node }] of rows) node.hidden = !fitting.has(id);
    for (const section of sections.values()) {
      section.hidden = section.querySelector(".step:not([hidden])") === null;
    }
    find("#found").textContent = \`\${found} of \${steps.length} steps\`;
  }
  function showFilters() {
    const list = find("#filters");
    const counts = /* @__PURE__ */ new Map();
    for (const { kind } of steps) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    list.replaceChildren();
    const add = (text, isOn, act) => {
      const button = make("button", "", text);
      button.type = "button";
      button.setAttribute("aria-pressed", String(isOn));
      button.addEventListener("click", () => {
        act();
        showFilters();
        filter();
      });
      list.append(button);
    };
    for (const [kind, number] of counts) {
      add(\`\${kind} \${number}\`, kinds.has(kind), () => {
        if (!kinds.delete(kind)) kinds.add(kind);
      });
    }
    const failed = steps.filter(({ isError }) => isError).length;
    if (failed > 0) {
      add(\`failed \${failed}\`, isErrorsOnly, () => {
        isErrorsOnly = !isErrorsOnly;
      });
    }
  }
  function move(by, accept) {
    const all = [...document.querySelectorAll("summary")].filter(
      (one) => one.closest("[hidden]") === null
    );
    const here = document.activeElement?.closest(".step")?.querySelector("summary");
    const from = here ? all.indexOf(here) : -1;
    for (let to = from + by; to >= 0; to += by) {
      const summary = all[to];
      if (summary === void 0) return;
      const row = summary.closest(".step");
      if (row === null || !accept(row)) continue;
      summary.focus();
      summary.scrollIntoView({ block: "nearest" });
      return;
    }
  }
  function follow() {
    const row = rows.get(Number(/^#s(\\d+)$/.exec(location.hash)?.[1]));
    if (row === void 0) return;
    for (let one = row.node; one; one = one.parentElement) {
      one.hidden = false;
    }
    row.open();
    row.summary.scrollIntoView({ block: "start" });
    row.summary.focus({ preventScroll: true });
  }
  function search(text) {
    words = text.toLowerCase();
    filter();
  }
  var KEYS = {
    "/": () => input.focus(),
    j: () => move(1, () => true),
    k: () => move(-1, () => true),
    e: () => move(1, (row) => row.classList.contains("error"))
  };
  input.addEventListener("input", () => search(input.value));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target !== input) {
      const act = KEYS[event.key];
      if (act === void 0) return;
      event.preventDefault();
      act();
    } else if (event.key === "Escape") {
      input.value = "";
      search("");
      input.blur();
    }
  });
  switchTheme(document.querySelector("#theme"));
  addEventListener("hashchange", follow);
  function update(news) {
    turns = news.turns;
    showHead(news);
    for (const step of news.steps) showStep(step);
    showFilters();
    filter();
  }
  function listen() {
    const source = new EventSource("events");
    source.addEventListener("message", ({ data }) => update(JSON.parse(data)));
    source.addEventListener("anew", () => location.reload());
    source.addEventListener("error", () => {
      find("#warnings").replaceChildren(
        warning("Nobody answers any more: this is what came so far")
      );
    });
  }
  var { dataset } = document.documentElement;
  var story = JSON.parse(find("#data").textContent ?? "");
  turns = story.turns;
  showHead(story);
  more(0);
  function more(from) {
    const next = from + BATCH;
    for (const step of story.steps.slice(from, next)) showStep(step);
    if (next < story.steps.length) {
      setTimeout(more, 0, next);
      return;
    }
    showFilters();
    filter();
    follow();
    dataset["ready"] = "yes";
    if (dataset["live"] !== void 0) listen();
  }
})();
`;
