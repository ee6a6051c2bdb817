/**
 * What runs in the page, as text: it goes there as it is, and its hash into the policy.
 *
 * Whatever a recording says becomes text of a node, never markup.
 */
export const PAGE_SCRIPT: string = String.raw`
"use strict";
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const steps = [], rows = new Map(), turnRows = new Map();
  let kinds = new Set(), errorsOnly = false, words = "";
  const main = document.querySelector("main");
  const make = (name, className, text) => {
    const node = document.createElement(name);
    if (className) node.className = className;
    if (text !== undefined) node.textContent = text;
    return node;
  };
  const shape = (name, attributes, text) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const key of Object.keys(attributes)) node.setAttribute(key, attributes[key]);
    if (text !== undefined) node.textContent = text;
    return node;
  };
  const time = (ms) => ms < 1000 ? Math.round(ms) + " ms"
    : ms < 60000 ? (ms / 1000).toFixed(1) + " s"
    : Math.floor(ms / 60000) + " min " + Math.round(ms % 60000 / 1000) + " s";
  const count = (n) => n.toLocaleString("en");
  const usd = (n) => "$" + n.toFixed(4);

  function showHead(head) {
    const list = document.querySelector(".facts");
    list.replaceChildren();
    const facts = [["Model", head.model], ["CLI", head.version], ["Session", head.sessionId], ["Folder", head.cwd],
      ["Began", head.startedAt && new Date(head.startedAt).toISOString().replace("T", " ").slice(0, 19)],
      ["Took", head.ms !== undefined && time(head.ms)], ["Cost", head.usd !== undefined && usd(head.usd)],
      ["Recorded as", head.form]];
    for (const [name, value] of facts) {
      if (!value) continue;
      const pair = make("div");
      pair.append(make("dt", "", name), make("dd", "", value));
      list.append(pair);
    }
    const warnings = document.querySelector("#warnings");
    warnings.replaceChildren(...head.warnings.map((text) => make("p", "warning", text)));
  }

  function showTurns(turns) {
    const body = document.querySelector("tbody");
    body.replaceChildren();
    for (const turn of turns) {
      const row = make("tr");
      const first = make("td");
      const link = make("a", turn.isError ? "failed" : "", turn.number + ". " + turn.prompt);
      link.href = "#turn" + turn.number;
      first.append(link);
      row.append(first);
      for (const value of [turn.ms !== undefined && time(turn.ms), turn.usd !== undefined && usd(turn.usd),
        turn.read !== undefined && count(turn.read), turn.written !== undefined && count(turn.written)]) {
        row.append(make("td", "", value === false ? "" : value));
      }
      body.append(row);
    }
    document.querySelector("#turns").hidden = turns.length === 0;
  }

  function showContext(points) {
    const svg = document.querySelector(".plot");
    svg.replaceChildren();
    document.querySelector("#context").hidden = points.length === 0;
    if (points.length === 0) return;
    const width = 720, height = 120, left = 56, bottom = 18;
    const most = Math.max(...points.map((point) => point[1]));
    const x = (at) => left + (width - left) * (points.length === 1 ? 1 : at / (points.length - 1));
    const y = (tokens) => (height - bottom) * (1 - tokens / most) + 6;
    const zero = y(0);
    svg.append(shape("line", { x1: left, x2: width, y1: zero, y2: zero }),
      shape("text", { x: left - 6, y: 12, "text-anchor": "end" }, count(most)),
      shape("text", { x: left - 6, y: zero, "text-anchor": "end" }, "0"),
      shape("text", { x: width, y: height - 2, "text-anchor": "end" }, points.length + " answers of the model"));
    const edge = points.map((point, at) => x(at).toFixed(1) + "," + y(point[1]).toFixed(1)).join(" ");
    const from = points.length === 1 ? left : x(0);
    const whole = points.length === 1 ? left + "," + y(points[0][1]).toFixed(1) + " " + edge : edge;
    svg.append(shape("polygon", { class: "area", points: from + "," + zero + " " + whole + " " + width + "," + zero }),
      shape("polyline", { class: "edge", points: whole }));
    svg.setAttribute("aria-label", "Tokens in the context: " + count(points[0][1]) + " at the first answer, " +
      count(points[points.length - 1][1]) + " at the last, at most " + count(most));
  }

  function turnRow(number) {
    const known = turnRows.get(number);
    if (known) return known;
    const section = make("section");
    section.id = "turn" + number;
    const turn = data.turns.find((one) => one.number === number);
    section.append(make("h2", "", turn ? "Turn " + number + ": " + turn.prompt : "Before the first prompt"));
    turnRows.set(number, section);
    main.append(section);
    return section;
  }

  function fill(row, step) {
    const summary = row.querySelector("summary");
    summary.replaceChildren(make("span", "time", step.t === undefined ? "" : time(step.t)),
      make("span", "kind", step.kind), make("span", "title", step.title || "(empty)"),
      make("span", "ms", step.ms === undefined ? "" : (step.kind === "permission" ? "waited " : "") + time(step.ms)));
    row.className = "step " + step.kind + (step.isError ? " error" : "");
    const details = row.querySelector("details");
    if (details.open) open(details, step);
  }

  // A long one scrolls, by keys as well.
  function block(text, name) {
    const node = make("pre", "", text);
    node.tabIndex = 0;
    node.setAttribute("role", "group");
    node.setAttribute("aria-label", name);
    return node;
  }

  function open(details, step) {
    while (details.lastChild !== details.firstChild) details.lastChild.remove();
    if (step.text !== undefined) details.append(block(step.text, step.kind));
    if (step.answer !== undefined) {
      const name = step.kind === "tool" ? "Result" : "Answer";
      details.append(make("p", "label", name), block(step.answer, name));
    }
    const link = make("a", "label", "Link to this step");
    link.href = "#s" + step.id;
    details.append(link);
  }

  function placeOf(step) {
    const parent = step.parent === undefined ? undefined : rows.get(step.parent);
    if (!parent) return turnRow(step.turn);
    let inner = parent.querySelector(":scope > .children");
    if (!inner) parent.append(inner = make("div", "children"));
    return inner;
  }

  function showStep(step) {
    steps[step.id] = step;
    let row = rows.get(step.id);
    if (!row) {
      row = make("div", "step");
      const details = make("details"), summary = make("summary");
      // The browser gives the focus to what a link leads to, if that takes it.
      summary.id = "s" + step.id;
      details.append(summary);
      details.addEventListener("toggle", () => details.open && open(details, steps[step.id]));
      row.append(details);
      rows.set(step.id, row);
    }
    const place = placeOf(step);
    // What came before the call it is about goes there when that comes.
    if (row.parentElement !== place) place.append(row);
    fill(row, step);
    row.hidden = !fits(step);
  }

  function fits(step) {
    if (errorsOnly && !step.isError) return false;
    if (kinds.size > 0 && !kinds.has(step.kind)) return false;
    if (words === "") return true;
    return [step.title, step.text, step.answer].some((text) => text !== undefined && text.toLowerCase().includes(words));
  }

  function filter() {
    const fitting = new Set();
    let found = 0;
    for (const step of steps) {
      if (!step || !fits(step)) continue;
      found++;
      // What surrounds a step stays, so that it is seen where it belongs.
      for (let one = step; one; one = one.parent === undefined ? undefined : steps[one.parent]) fitting.add(one.id);
    }
    for (const [id, row] of rows) row.hidden = !fitting.has(id);
    for (const section of turnRows.values()) {
      section.hidden = !section.querySelector(".step:not([hidden])");
    }
    document.querySelector("#found").textContent = found + " of " + steps.length + " steps";
  }

  function showFilters() {
    const list = document.querySelector("#filters");
    const counts = new Map();
    for (const step of steps) if (step) counts.set(step.kind, (counts.get(step.kind) || 0) + 1);
    list.replaceChildren();
    const add = (text, isOn, act) => {
      const button = make("button", "", text);
      button.type = "button";
      button.setAttribute("aria-pressed", String(isOn));
      button.addEventListener("click", () => { act(); showFilters(); filter(); });
      list.append(button);
    };
    for (const [kind, number] of counts) {
      add(kind + " " + number, kinds.has(kind), () => kinds.has(kind) ? kinds.delete(kind) : kinds.add(kind));
    }
    const failed = steps.filter((step) => step && step.isError).length;
    if (failed > 0) add("failed " + failed, errorsOnly, () => errorsOnly = !errorsOnly);
  }

  function visible() {
    return [...document.querySelectorAll("summary")].filter((one) => !one.closest("[hidden]"));
  }

  function move(by, accept) {
    const all = visible();
    const step = document.activeElement.closest(".step");
    const at = all.indexOf(step && step.querySelector("summary"));
    for (let to = at + by; to >= 0 && to < all.length; to += by) {
      if (accept && !accept(all[to])) continue;
      all[to].focus();
      all[to].scrollIntoView({ block: "nearest" });
      return;
    }
  }

  function follow() {
    const summary = /^#s\d+$/.test(location.hash) && document.getElementById(location.hash.slice(1));
    if (!summary) return;
    for (let one = summary; one; one = one.parentElement) one.hidden = false;
    const details = summary.parentElement;
    details.open = true;
    open(details, steps[Number(summary.id.slice(1))]);
    summary.scrollIntoView({ block: "start" });
    summary.focus({ preventScroll: true });
  }

  const search = document.querySelector("input");
  search.addEventListener("input", () => { words = search.value.toLowerCase(); filter(); });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target === search) {
      if (event.key === "Escape") { search.value = ""; words = ""; filter(); search.blur(); }
      return;
    }
    if (event.key === "/") { event.preventDefault(); search.focus(); }
    else if (event.key === "j") move(1);
    else if (event.key === "k") move(-1);
    else if (event.key === "e") move(1, (one) => one.closest(".step").classList.contains("error"));
  });
  document.querySelector("#theme").addEventListener("click", () => {
    const root = document.documentElement;
    const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
  });
  addEventListener("hashchange", follow);

  function update(news) {
    data.turns = news.turns;
    showHead(news.head);
    showTurns(news.turns);
    showContext(news.context);
    for (const step of news.steps) showStep(step);
    showFilters();
    filter();
  }

  showHead(data.head);
  showTurns(data.turns);
  showContext(data.context);
  // A long one comes in pieces, so that its beginning is there at once.
  const BATCH = 1000;
  (function more(from) {
    for (const step of data.steps.slice(from, from + BATCH)) showStep(step);
    if (from + BATCH < data.steps.length) return void setTimeout(more, 0, from + BATCH);
    showFilters();
    filter();
    follow();
    document.documentElement.dataset.ready = "yes";
    if (document.documentElement.dataset.live) {
      const source = new EventSource("events");
      source.addEventListener("message", (event) => update(JSON.parse(event.data)));
      source.addEventListener("anew", () => location.reload());
      source.addEventListener("error", () => {
        document.querySelector("#warnings").replaceChildren(
          make("p", "warning", "Nobody answers any more: this is what came so far"));
      });
    }
  })(0);
})();
`;
