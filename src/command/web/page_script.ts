// Made from pages/web/ by `npm run generate`; edit that.
/** Script of the page, as text: it is inserted unchanged, and its hash into the policy. */
export const PAGE_SCRIPT: string = `
(() => {
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

  // pages/theme.ts
  function switchTheme(button2) {
    button2?.addEventListener("click", () => {
      const { dataset } = document.documentElement;
      const isDark = dataset["theme"] === void 0 ? matchMedia("(prefers-color-scheme: dark)").matches : dataset["theme"] === "dark";
      dataset["theme"] = isDark ? "light" : "dark";
    });
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
      const { answer, change, id: id2, kind, text } = this.#step;
      while (this.summary.nextSibling !== null) this.summary.nextSibling.remove();
      if (text !== void 0) this.#details.append(block(text, kind));
      if (change !== void 0) this.#details.append(changed(change));
      if (answer !== void 0) {
        const name = kind === "tool" ? "Result" : "Answer";
        this.#details.append(make("p", "label", name), block(answer, name));
      }
      const link = make("a", "label", "Link to this step");
      link.href = \`#s\${id2}\`;
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
    const kinds = {
      "+": "added",
      "-": "removed"
    };
    return make("div", \`line \${kinds[line.charAt(0)] ?? ""}\`, line);
  }

  // pages/web/lines.ts
  var PIECE = 600;
  var ROW = 60;
  function linesIn(lines, { isComparison = false, isProse = false } = {}) {
    const block2 = make("div", isProse ? "block prose" : "block");
    let part;
    let room = 0;
    for (const line of lines) {
      const length = typeof line === "string" ? Math.max(line.length, ROW) : ROW;
      if (typeof line === "string" && length > PIECE) {
        block2.append(longLine(line, isComparison));
        part = void 0;
        continue;
      }
      if (part === void 0 || length > room) {
        part = make("div", "part");
        block2.append(part);
        room = PIECE;
      }
      room -= length;
      part.append(
        typeof line === "number" ? make("div", "repeat", \`(this line \${line} more times)\`) : shownLine(line, isComparison)
      );
      if (isProse) part.lastElementChild.dir = "auto";
    }
    return block2;
  }
  function shownLine(line, isComparison) {
    const node = isComparison ? signed(line) : make("div", "line", line);
    node.replaceChildren(exact(...node.childNodes));
    return node;
  }
  function exact(...text) {
    const node = make("span", "exact");
    node.append(...text);
    return node;
  }
  function longLine(line, isComparison) {
    const node = shownLine(isComparison ? line.charAt(0) : "", isComparison);
    node.firstElementChild?.append(...piecesOf(line.slice(isComparison ? 1 : 0)));
    return node;
  }
  function textIn(tag, text, className = "") {
    const node = make(tag, className);
    if (text.length > PIECE) node.append(exact(...piecesOf(text)));
    else {
      node.classList.add("part");
      node.append(exact(text));
    }
    return node;
  }
  function piecesOf(text) {
    const characters = [...text];
    const pieces = [];
    for (let at = 0; at < characters.length; at += PIECE) {
      const piece = characters.slice(at, at + PIECE).join("");
      pieces.push(make("span", "part", piece));
    }
    return pieces;
  }

  // pages/web/call_body.ts
  function callBody({ change, grants, grantsNote, id: id2 }) {
    const nodes = [];
    if (change !== void 0) {
      const { isComparison, parts, title } = change;
      nodes.push(textIn("p", title, "name"));
      for (const { isFar, lines } of parts) {
        const block2 = linesIn(lines, { isComparison, isProse: !isComparison });
        nodes.push(isFar ? folded(block2, lines.length) : block2);
      }
    }
    const boxes = grants.map((_, at) => checkbox(\`\${id2}-grant-\${at}\`));
    const saved = checkbox(\`\${id2}-saved\`);
    if (grants.length > 0) {
      const set = make("fieldset", "grants");
      set.append(make("legend", "part", "With a yes, allow from now on"));
      if (grantsNote !== void 0) set.append(textIn("p", grantsNote, "part"));
      grants.forEach(({ file, lines }, at) => {
        const label = make("label", "choice");
        const text = make("span");
        text.append(linesIn(lines));
        if (file !== void 0) {
          text.append(textIn("span", \`Kept in \${file}\`, "label"));
        }
        if (boxes[at]) label.append(boxes[at], text);
        set.append(label);
      });
      if (grants.some(({ file }) => file !== void 0)) {
        const label = make("label", "choice");
        label.append(saved, make("span", "part", "Beyond this session"));
        set.append(label);
      }
      nodes.push(set);
    }
    return {
      nodes,
      yes: "Yes, allow it",
      answer() {
        const chosen = boxes.flatMap((box, at) => box.checked ? [at] : []);
        return { grants: chosen, isSaved: saved.checked };
      }
    };
  }
  function folded(block2, count2) {
    for (const part of block2.querySelectorAll(".part")) {
      part.classList.remove("part");
    }
    const node = make("details");
    node.append(make("summary", "label", \`\${count2} unchanged lines\`), block2);
    return node;
  }
  function checkbox(id2) {
    const node = make("input");
    node.type = "checkbox";
    node.id = id2;
    return node;
  }

  // pages/web/seen.ts
  var THRESHOLDS = Array.from({ length: 101 }, (_, at) => at / 100);
  var NEARLY_ALL = 0.95;
  var FILLED = 0.9;
  function watchSeen(parts, onChange) {
    const unseen = new Set(parts);
    const { height } = find("#send").getBoundingClientRect();
    const observer = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        if (!isSeen(entry)) continue;
        unseen.delete(entry.target);
        observer.unobserve(entry.target);
      }
      onChange();
    }, {
      threshold: THRESHOLDS,
      rootMargin: \`0px 0px -\${Math.ceil(height)}px 0px\`
    });
    for (const part of parts) observer.observe(part);
    return { unseen, leave: () => observer.disconnect() };
  }
  function isSeen({ intersectionRatio, intersectionRect, isIntersecting, rootBounds }) {
    if (!isIntersecting) return false;
    const room = rootBounds?.height ?? Infinity;
    return intersectionRatio >= NEARLY_ALL || intersectionRect.height >= FILLED * room;
  }

  // pages/web/send.ts
  var SESSION = new URL(location.href).searchParams.get("session") ?? "";
  async function send(path, body) {
    try {
      const response = await fetch(path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ session: SESSION, ...body })
      });
      if (response.ok) return void 0;
      return await response.text() || \`The answer was \${response.status}\`;
    } catch {
      return "sluice web does not answer any more";
    }
  }

  // pages/web/card.ts
  var STEADY_MS = 500;
  var Card = class {
    node = make("section", "card");
    digest;
    #id;
    #body;
    #seen;
    #yes = button("", "yes");
    #no = button("No", "no");
    #more = button("Show what was not seen yet");
    #reason = make("input");
    #failure = make("p", "failure");
    #steadyAt = 0;
    #wasSeen = false;
    #isSent = false;
    constructor(asked, body) {
      this.digest = asked.digest;
      this.#id = asked.id;
      this.#body = body;
      const heading = textIn("h2", asked.title);
      heading.id = \`asked-\${asked.id}\`;
      this.node.setAttribute("aria-labelledby", heading.id);
      this.#yes.textContent = body.yes;
      this.#reason.placeholder = "Why not, for the agent";
      this.#reason.setAttribute("aria-label", "Why not, for the agent");
      this.#failure.setAttribute("role", "alert");
      const tools = make("div", "tools");
      tools.append(this.#yes, this.#no);
      if (asked.kind === "call") tools.append(this.#reason);
      tools.append(this.#more);
      this.node.append(
        heading,
        ...asked.facts.map((fact) => textIn("p", fact)),
        ...asked.fields.map(({ isBlock, lines, name }) => {
          const field = make("div", isBlock ? "field" : "field inline");
          field.append(textIn("span", \`\${name}:\`, "name"), linesIn(lines));
          return field;
        }),
        ...body.nodes,
        this.#failure,
        tools
      );
      this.#yes.addEventListener("click", () => void this.#send(true));
      this.#no.addEventListener("click", () => void this.#send(false));
      this.#more.addEventListener("click", () => this.#showMore());
      this.node.addEventListener("input", this.update);
      this.steady();
      const parts = [...this.node.querySelectorAll(".part")];
      this.#seen = watchSeen(parts, this.update);
    }
    /** Allows nothing for a moment. */
    steady() {
      this.#steadyAt = performance.now() + STEADY_MS;
      this.#yes.disabled = true;
      setTimeout(this.update, STEADY_MS + 1);
    }
    remove() {
      this.#seen.leave();
      this.node.remove();
    }
    /** Decides what can be pressed. */
    update = () => {
      const { size } = this.#seen.unseen;
      if (size === 0 && !this.#wasSeen) {
        this.#wasSeen = true;
        this.steady();
      }
      this.#more.disabled = size === 0;
      this.#no.disabled = this.#isSent;
      this.#yes.disabled = this.#isSent || size > 0 || performance.now() < this.#steadyAt || this.#body.answer() === void 0;
    };
    #showMore() {
      const [next] = this.#seen.unseen;
      next?.scrollIntoView({ block: "start" });
    }
    async #send(isAllowed) {
      this.#isSent = true;
      this.update();
      const reason = this.#reason.value;
      const chosen = isAllowed ? this.#body.answer() : { reason };
      const answer = { id: this.#id, digest: this.digest, isAllowed, ...chosen };
      const failure = await send("answer", { answer });
      if (failure === void 0) return;
      this.#failure.textContent = failure;
      this.#isSent = false;
      this.update();
    }
  };
  function button(text, className = "") {
    const node = make("button", className, text);
    node.type = "button";
    return node;
  }
  function placeOfCards() {
    return find("#asked");
  }

  // pages/web/questions_body.ts
  function questionsBody({ id: id2, questions }) {
    const asked = questions.map((question, at) => oneQuestion(question, id2, at));
    return {
      nodes: asked.map(({ node }) => node),
      yes: "Answer",
      answer() {
        const answers = asked.map(({ answer }) => answer());
        return answers.every((one) => one.length > 0) ? { answers } : void 0;
      }
    };
  }
  function oneQuestion({ header, isMulti, lines, options }, id2, at) {
    const node = make("fieldset");
    const legend = make("legend");
    if (header !== "") legend.append(textIn("span", header, "label"));
    legend.append(linesIn(lines, { isProse: true }));
    node.append(legend);
    const boxes = options.map(({ description, label, preview }, place) => {
      const box = make("input");
      box.type = isMulti ? "checkbox" : "radio";
      box.name = \`\${id2}-\${at}\`;
      box.id = \`\${id2}-\${at}-\${place}\`;
      const choice = make("label", "choice");
      const text = make("span");
      text.append(
        textIn("strong", label),
        linesIn(description, { isProse: true }),
        linesIn(preview)
      );
      choice.append(box, text);
      node.append(choice);
      return box;
    });
    const words = make("input", "words");
    words.type = "text";
    words.placeholder = "Or in your own words";
    words.setAttribute("aria-label", "Your own words");
    node.append(words);
    return {
      node,
      answer() {
        const text = words.value.trim();
        if (text !== "") return text;
        return boxes.flatMap((box, place) => box.checked ? [place] : []);
      }
    };
  }

  // pages/web/asked.ts
  var cards = /* @__PURE__ */ new Map();
  function showAsked(asked) {
    const ids = new Set(asked.map(({ id: id2 }) => id2));
    for (const [id2, card] of cards) {
      if (ids.has(id2)) continue;
      card.remove();
      cards.delete(id2);
    }
    const place = placeOfCards();
    for (const one of asked) {
      const known = cards.get(one.id);
      if (known?.digest === one.digest) continue;
      const body = one.kind === "call" ? callBody(one) : questionsBody(one);
      const card = new Card(one, body);
      if (known === void 0) place.append(card.node);
      else {
        known.node.after(card.node);
        known.remove();
      }
      cards.set(one.id, card);
    }
    for (const card of cards.values()) card.steady();
  }

  // pages/inspect/head.ts
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
    const began2 = head.startedAt === void 0 ? void 0 : new Date(head.startedAt).toISOString().replace("T", " ").slice(0, 19);
    const facts = [
      ["Model", head.model],
      ["CLI", head.version],
      ["Session", head.sessionId],
      ["Folder", head.cwd],
      ["Began", began2],
      ["Took", shown(head.ms, time)],
      ["Cost", shown(head.usd, usd)],
      ["Recorded as", head.form]
    ];
    return facts.flatMap(([name, value]) => value ? [[name, value]] : []);
  }
  function shown(value, how) {
    return value === void 0 ? void 0 : how(value);
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
      this.#places = new Map(ids.map((id2, place) => [id2, place]));
      const count2 = Math.ceil(ids.length / CHUNK);
      for (const { node } of this.#chunks.splice(count2)) node.remove();
      for (let at = 0; at < count2; at++) {
        const here = ids.slice(at * CHUNK, (at + 1) * CHUNK);
        const chunk = this.#chunks[at] ?? this.#append();
        const isSame = chunk.ids.length === here.length && here.every((id2, place) => id2 === chunk.ids[place]);
        if (isSame) continue;
        chunk.ids = here;
        if (chunk.isFilled && isNear(chunk)) this.#fill(chunk);
        else empty(chunk);
      }
      this.#settle();
    }
    /** Makes an item, wherever it is; false where it is not in the list. */
    reveal(id2) {
      const place = this.#places.get(id2);
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
      for (const id2 of ids) {
        const item2 = this.#nodeOf(id2);
        if (item2 === next) next = next.nextElementSibling;
        else node.insertBefore(item2, next);
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
    take({ steps, turns }) {
      this.#turns = turns;
      for (const step of steps) {
        this.#all[step.id] = step;
        this.#texts.delete(step.id);
      }
      this.#ordered = ordered(this.#all);
    }
    /** A step by its id in the page. */
    byId(id2) {
      return id2.startsWith("s") ? this.#all[Number(id2.slice(1))] : void 0;
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
      const kinds = /* @__PURE__ */ new Map();
      let failed = 0;
      for (const { isError, kind } of this.#all) {
        kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
        if (isError) failed++;
      }
      return { kinds, failed };
    }
    /** Visible items, as ids of the page: turns, and their steps. */
    list(filter) {
      const fitting = /* @__PURE__ */ new Set();
      let found = 0;
      for (const step of this.#all) {
        if (!this.#fits(step, filter)) continue;
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
    #fits(step, { isErrorsOnly, kinds, words }) {
      if (isErrorsOnly && !step.isError) return false;
      if (kinds.size > 0 && !kinds.has(step.kind)) return false;
      return words === "" || this.#textOf(step).includes(words);
    }
    #textOf({ answer = "", change = "", id: id2, text = "", title }) {
      const known = this.#texts.get(id2);
      if (known !== void 0) return known;
      const all = \`\${title}
\${text}
\${change}
\${answer}\`.toLowerCase();
      this.#texts.set(id2, all);
      return all;
    }
  };
  function ordered(steps) {
    const below = /* @__PURE__ */ new Map();
    const turns = /* @__PURE__ */ new Map();
    for (const step of steps) {
      const { parent, turn } = step;
      const [lists, key] = parent === void 0 ? [turns, turn] : [below, parent];
      const list = lists.get(key);
      if (list === void 0) lists.set(key, [step]);
      else list.push(step);
    }
    const all = [];
    const add = (list) => {
      for (const step of list) {
        all.push(step);
        const inner = below.get(step.id);
        if (inner !== void 0) add(inner);
      }
    };
    for (const list of turns.values()) add(list);
    return all;
  }

  // pages/web/speech.ts
  var Speech = class {
    node;
    #text = make("div", "text");
    constructor(step) {
      this.node = make("div", \`step speech \${step.kind}\`);
      this.node.id = \`s\${step.id}\`;
      const who = step.kind === "prompt" ? "You" : "Agent";
      this.node.append(make("p", "label", who), this.#text);
      this.#text.dir = "auto";
      this.show(step);
    }
    show({ text, title }) {
      this.#text.textContent = text || title;
    }
  };

  // pages/web/chat.ts
  var KINDS = /* @__PURE__ */ new Set([
    "prompt",
    "text",
    "thinking",
    "tool",
    "permission",
    "result",
    "error"
  ]);
  var Chat = class {
    #steps = new Steps();
    #rows = /* @__PURE__ */ new Map();
    #headings = /* @__PURE__ */ new Map();
    #list = new LongList((id2) => this.#nodeOf(id2));
    #story;
    #showsAll = false;
    /** Shows all kinds of steps, or those of a chat. */
    toggle() {
      this.#showsAll = !this.#showsAll;
      this.#fill();
      return this.#showsAll;
    }
    /** Shows a story, or what came to it. */
    show(story) {
      this.#story = story;
      this.#steps.take(story);
      const { context, head, turns } = story;
      const tokens = context.at(-1)?.[1];
      showFacts([
        ...factsOf({ ...head, form: void 0 }),
        ...tokens === void 0 ? [] : [["Context", count(tokens)]]
      ]);
      find("#warnings").replaceChildren(...head.warnings.map(warning));
      const [first] = turns;
      find("h1").textContent = first?.prompt ?? "New session";
      for (const step of story.steps) {
        this.#rows.get(\`s\${step.id}\`)?.show(this.#shown(step), this.#steps.depthOf(step));
      }
      this.#fill();
    }
    #fill() {
      const kinds = this.#showsAll ? /* @__PURE__ */ new Set() : KINDS;
      const filter = { kinds, isErrorsOnly: false, words: "" };
      this.#list.show(this.#steps.list(filter).ids);
    }
    #nodeOf(id2) {
      const step = this.#steps.byId(id2);
      if (step === void 0) return this.#headingOf(id2);
      let row = this.#rows.get(id2);
      if (row === void 0) {
        const depth = this.#steps.depthOf(step);
        const isSpeech = step.parent === void 0 && (step.kind === "prompt" || step.kind === "text");
        row = isSpeech ? new Speech(step) : new Row(this.#shown(step), depth);
        this.#rows.set(id2, row);
      }
      return row.node;
    }
    #headingOf(id2) {
      const known = this.#headings.get(id2);
      if (known !== void 0) return known;
      const number = Number(id2.slice(4));
      const text = number === 0 ? "Start" : \`Turn \${number}\`;
      const heading = make("h2", "", text);
      heading.id = id2;
      this.#headings.set(id2, heading);
      return heading;
    }
    /** A result with the time and the cost of its turn. */
    #shown(step) {
      const turn = this.#story?.turns[step.turn - 1];
      if (step.kind !== "result" || turn === void 0) return step;
      const { ms, usd: cost } = turn;
      const title = cost === void 0 ? step.title : \`\${step.title} · \${usd(cost)}\`;
      return { ...step, title, ...ms !== void 0 && { ms } };
    }
  };

  // pages/web/doing.ts
  var STATES = {
    starting: "The CLI starts",
    idle: "Ready",
    running: "The agent works",
    waiting: "The agent waits for you",
    background: "The agent works in the background",
    stalled: "The CLI is silent for long",
    stopping: "The CLI ends",
    gone: "Ready; the CLI starts with your prompt"
  };
  var state = make("span");
  var since = make("span", "label");
  since.setAttribute("aria-hidden", "true");
  find("#doing").append(state, since);
  var began;
  function showDoing({ error, ms, queued, state: name }) {
    const isBusy = !["gone", "idle"].includes(name);
    const more = queued > 0 ? \`; \${queued} more prompts wait\` : "";
    state.textContent = STATES[name] + more;
    began = isBusy ? performance.now() - ms : void 0;
    find("#stop").disabled = !isBusy;
    showFailure(error);
    tick();
  }
  function showFailure(text) {
    const failure = find("#failure");
    failure.hidden = text === void 0;
    failure.textContent = text ?? "";
  }
  function tick() {
    since.textContent = began === void 0 ? "" : \` \${time(performance.now() - began)}\`;
  }
  setInterval(tick, 1e3);

  // pages/web/live.ts
  var id;
  function showLive(live) {
    find("#live").hidden = live === void 0;
    const text = find("#live pre");
    if (live?.id !== id) text.textContent = "";
    id = live?.id;
    if (live === void 0) return;
    find("#live .label").textContent = LABELS[live.label] ?? live.label;
    text.append(live.text);
    text.scrollTop = text.scrollHeight;
  }
  var LABELS = {
    text: "Agent",
    thinking: "Thinking"
  };

  // pages/web/past.ts
  function showsPast(button2) {
    const list = find("#sessions");
    button2.addEventListener("click", () => {
      list.hidden = !list.hidden;
      button2.setAttribute("aria-expanded", String(!list.hidden));
      if (!list.hidden) void fill();
    });
  }
  async function fill() {
    const list = find("#sessions ul");
    try {
      const sessions = await (await fetch("sessions")).json();
      list.replaceChildren(...sessions.map(item));
      if (sessions.length === 0) {
        list.replaceChildren(make("li", "", "This folder has no sessions yet"));
      }
    } catch {
      list.replaceChildren(make("li", "", "The list cannot be read"));
    }
  }
  function item({ id: id2, title, updated }) {
    const node = make("li");
    const link = make("a", "", title || id2);
    link.href = \`?session=\${encodeURIComponent(id2)}\`;
    if (id2 === SESSION) link.setAttribute("aria-current", "page");
    const when = make("span", "label", new Date(updated).toLocaleString());
    node.append(link, " ", when);
    return node;
  }

  // pages/web/prompt.ts
  var DRAFT = \`draft \${SESSION}\`;
  function writes() {
    const form = find("#send");
    const input = find("#prompt");
    const button2 = find("#send button[type=submit]");
    input.value = sessionStorage.getItem(DRAFT) ?? "";
    input.addEventListener("input", keep);
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      form.requestSubmit();
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void submit();
    });
    find("#stop").addEventListener("click", async () => {
      showFailure(await send("interrupt", {}));
    });
    async function submit() {
      const text = input.value;
      if (text.trim() === "" || button2.disabled) return;
      button2.disabled = true;
      input.value = "";
      const failure = await send("prompt", { text });
      button2.disabled = false;
      showFailure(failure);
      if (failure !== void 0) input.value = \`\${text}\${input.value}\`;
      keep();
    }
    function keep() {
      sessionStorage.setItem(DRAFT, input.value);
    }
  }

  // pages/web/main.ts
  var NEAR = 60;
  var chat = new Chat();
  var source;
  function show({ asked, doing, isPaused, live, story }) {
    const { documentElement: page } = document;
    const isAtEnd = scrollY + innerHeight >= page.scrollHeight - NEAR;
    if (story !== void 0) chat.show(story);
    if (live !== void 0) showLive(live ?? void 0);
    if (asked !== void 0) {
      showAsked(asked);
      document.title = \`\${asked.length > 0 ? "Question - " : ""}\${find("h1").textContent} - sluice\`;
    }
    if (doing !== void 0) showDoing(doing);
    page.dataset["ready"] = "yes";
    if (isPaused) pause();
    const [card] = find("#asked").children;
    if (!isAtEnd) return;
    if (card === void 0) scrollTo(0, page.scrollHeight);
    else if (asked !== void 0) card.scrollIntoView({ block: "start" });
  }
  function listen() {
    source = new EventSource(\`events?session=\${encodeURIComponent(SESSION)}\`);
    source.addEventListener("open", () => {
      showLive(void 0);
      showFailure(void 0);
    });
    source.addEventListener("message", ({ data }) => show(JSON.parse(data)));
    source.addEventListener("error", () => {
      showFailure("Not connected: sluice web has ended, or answers again soon");
    });
  }
  function pause() {
    source?.close();
    source = void 0;
    showFailure("Paused, since many pages are open: come back to continue");
  }
  for (const event of ["focus", "pointerdown", "keydown"]) {
    addEventListener(event, () => {
      if (source === void 0) listen();
    });
  }
  find("#new").href = \`?session=\${crypto.randomUUID()}\`;
  find("#all").addEventListener("click", ({ currentTarget }) => {
    const isPressed = String(chat.toggle());
    currentTarget.setAttribute("aria-pressed", isPressed);
  });
  switchTheme(document.querySelector("#theme"));
  showsPast(find("#past"));
  writes();
  listen();
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

/* pages/web/page.css */
body {
  display: flex;
  flex-direction: column;
  min-height: 100vh;
}
header,
main,
#live,
#asked,
#send {
  width: 100%;
  max-width: 60rem;
  margin: 0 auto;
  padding: .7rem 1rem;
}
main {
  flex: 1 0 auto;
  overflow-anchor: none;
}
h1 {
  font-size: 1.1rem;
}
.tools {
  display: flex;
  flex-wrap: wrap;
  gap: .5rem;
  align-items: center;
  margin: .4rem 0;
}
.tools input {
  flex: 1 1 12rem;
}
button:disabled {
  color: var(--quiet);
  cursor: default;
}
.speech {
  padding: .3rem .6rem .5rem;
  margin: .6rem 0;
}
.speech.prompt {
  background: var(--raised);
  border-radius: .4rem;
}
.speech .label {
  margin: 0;
}
.speech .text {
  white-space: pre-wrap;
  overflow-wrap: anywhere;
}
#sessions ul {
  margin: 0;
  padding: 0 0 0 1.2rem;
  max-height: 40vh;
  overflow-y: auto;
  overflow-wrap: anywhere;
}
#sessions a[aria-current] {
  font-weight: 600;
}
#live pre {
  max-height: 40vh;
}
.card {
  --under: var(--ground);
  border: 2px solid var(--warn);
  border-radius: .5rem;
  padding: .8rem 1rem;
  margin: .8rem 0;
  overflow-wrap: anywhere;
}
.card h2 {
  margin: 0 0 .5rem;
}
.card p {
  margin: .2rem 0;
  overflow-wrap: anywhere;
}
.card .name {
  color: var(--quiet);
}
.field {
  margin: .3rem 0;
}
.field.inline {
  display: flex;
  flex-wrap: wrap;
  gap: 0 .5rem;
}
.field.inline .block {
  flex: 0 1 auto;
  padding: 0 .4rem;
}
.block {
  --under: var(--raised);
  background: var(--under);
  border-radius: .4rem;
  padding: .3rem .6rem;
  line-break: anywhere;
  font: 13px/1.45 ui-monospace, monospace;
  direction: ltr;
  unicode-bidi: bidi-override;
}
.block.prose {
  line-break: auto;
  unicode-bidi: normal;
  font: inherit;
}
.grants .block {
  font: inherit;
}
.block:empty {
  display: none;
}
.exact {
  white-space: break-spaces;
  overflow-wrap: anywhere;
  border-inline-end: 1px solid var(--quiet);
  -webkit-box-decoration-break: clone;
  box-decoration-break: clone;
}
.exact::after {
  content: "";
  border-inline-end: 1px solid var(--under);
  margin-inline-end: -1px;
}
.repeat {
  color: var(--quiet);
  font-style: italic;
}
fieldset {
  border: 1px solid var(--line);
  border-radius: .4rem;
  margin: .6rem 0;
  padding: .4rem .8rem .6rem;
  min-width: 0;
}
legend {
  padding: 0 .3rem;
  max-width: 100%;
}
.choice {
  display: flex;
  gap: .6rem;
  align-items: baseline;
  margin: .4rem 0;
}
.choice input {
  flex: none;
  min-width: 0;
}
.choice span {
  min-width: 0;
  overflow-wrap: anywhere;
}
.choice .label {
  display: block;
}
.words {
  width: 100%;
}
.failure,
#failure {
  color: var(--bad);
  margin: .2rem 0;
  overflow-wrap: anywhere;
}
#send {
  position: sticky;
  bottom: 0;
  z-index: 1;
  background: var(--ground);
  border-top: 1px solid var(--line);
}
#doing {
  margin: 0 0 .3rem;
  color: var(--quiet);
}
textarea {
  width: 100%;
  font: inherit;
  color: inherit;
  background: var(--raised);
  border: 1px solid var(--line);
  border-radius: .4rem;
  padding: .4rem .6rem;
  resize: vertical;
  max-height: 40vh;
}
html {
  scroll-padding-bottom: 11rem;
}
`;
