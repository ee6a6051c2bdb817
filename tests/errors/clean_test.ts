import assert from "node:assert/strict";
import { inspect } from "node:util";
import { cleanCopy, cleanError } from "../../src/errors/clean.ts";
import { ProtocolError } from "@sluice/agent";
import { Scrubber } from "../../src/errors/scrubber.ts";
import { leakIn, packed, Plants } from "../_planted.ts";
import { test } from "../_harness.ts";
import { pick, randomFrom } from "../options/_random.ts";

const SECRET = "z8f3kq-Secret-4711";
const scrubber = new Scrubber({ env: { MY_TOKEN: SECRET } });

class Session {
  readonly token: string;
  constructor(token: string) {
    this.token = token;
  }
}

class Silent {
  readonly #token: string;
  constructor(token: string) {
    this.#token = token;
  }
  toJSON(): unknown {
    return { t: [this.#token] };
  }
}

class Spoken {
  readonly #token: string;
  constructor(token: string) {
    this.#token = token;
  }
  toString(): string {
    return `Spoken of ${this.#token}`;
  }
}

class Inspected {
  readonly #token: string;
  constructor(token: string) {
    this.#token = token;
  }
  [inspect.custom](): string {
    return this.#token;
  }
}

class OwnError extends Error {
  readonly #token: string;
  constructor(token: string) {
    super("it broke");
    this.#token = token;
  }
  toJSON(): unknown {
    return { token: this.#token };
  }
  override toString(): string {
    return this.#token;
  }
  [inspect.custom](): string {
    return this.#token;
  }
}

/** Values that show a text, each in its way. */
const SHAPES: Readonly<Record<string, (secret: string) => unknown>> = {
  "a text": (secret) => `it was ${secret}`,
  "a Map": (secret) => new Map([["a", secret]]),
  "names of a Map": (secret) => new Map([[secret, 1]]),
  "a Set": (secret) => new Set([{ a: [secret] }]),
  "a URL": (secret) => new URL(`http://host/${encodeURIComponent(secret)}`),
  "a query": (secret) => new URLSearchParams({ a: secret }),
  "headers": (secret) => new Headers({ "x-own": encodeURIComponent(secret) }),
  "a form": (secret) => {
    const form = new FormData();
    form.set("a", secret);
    return form;
  },
  "a Request": (secret) =>
    new Request("http://host/", {
      headers: { "x-own": encodeURIComponent(secret) },
    }),
  "a Response": (secret) =>
    new Response("x", { headers: { "x-own": encodeURIComponent(secret) } }),
  "a signal": (secret) => AbortSignal.abort(new Error(secret)),
  "an event": (secret) => new CustomEvent("a", { detail: secret }),
  "a Uint8Array": (secret) => new TextEncoder().encode(secret),
  "an ArrayBuffer": (secret) => new TextEncoder().encode(secret).buffer,
  "a DataView": (secret) =>
    new DataView(new TextEncoder().encode(secret).buffer),
  "16 bit numbers": (secret) =>
    Uint16Array.from(secret, (one) => one.charCodeAt(0)),
  "a symbol": (secret) => Symbol(secret),
  "a field of a symbol": (secret) => ({ [Symbol("a")]: secret }),
  "the name of a symbol": (secret) => ({ [Symbol(secret)]: 1 }),
  "a name": (secret) => ({ [secret]: 1 }),
  "a list": (secret) => [[secret]],
  "a field of a list": (secret) => Object.assign([1], { a: secret }),
  "a class": (secret) => new Session(secret),
  "a class in a class": (secret) => new Session(new Session(secret) as never),
  "toJSON()": (secret) => new Silent(secret),
  "toJSON() of its own": (secret) => ({ toJSON: () => secret }),
  "toString()": (secret) => new Spoken(secret),
  "words for inspectors": (secret) => new Inspected(secret),
  "words of its own": (secret) => ({ [inspect.custom]: () => secret }),
  "a getter": (secret) => ({
    get a() {
      return secret;
    },
  }),
  "a getter of new objects": (secret) => ({
    get a() {
      return { secret };
    },
  }),
  "a hidden field": (secret) =>
    Object.defineProperty({}, "a", { value: secret }),
  "a frozen field": (secret) => Object.freeze({ a: secret }),
  "no prototype": (secret) =>
    Object.assign(Object.create(null), { a: { b: secret } }),
  "a function": (secret) => Object.assign(() => {}, { a: secret }),
  "a text in an object": (secret) => Object(secret),
  "a pattern": () => new RegExp(SECRET),
  "a promise": (secret) => Promise.resolve(secret),
  "a walk through a Map": (secret) => new Map([["a", secret]]).values(),
  "a generator": (secret) =>
    (function* () {
      yield secret;
    })(),
  "an error": (secret) => new Error(secret),
  "an error in an error": (secret) =>
    new Error("a", { cause: new TypeError("b", { cause: secret }) }),
  "an error of errors": (secret) =>
    new AggregateError([new Error("a", { cause: secret })], "b"),
  "a field of an error": (secret) =>
    Object.assign(new Error("a"), { request: { headers: { a: secret } } }),
  "a class in an error": (secret) =>
    Object.assign(new Error("a"), { client: new Session(secret) }),
  "a hidden field of an error": (secret) =>
    Object.defineProperty(new Error("a"), "b", { value: secret }),
  "a getter of an error": (secret) =>
    Object.defineProperty(new Error("a"), "b", { get: () => secret }),
  "a symbol of an error": (secret) =>
    Object.assign(new Error("a"), { [Symbol("b")]: secret }),
  "the stack": (secret) => {
    const error = new Error(secret);
    void error.stack;
    error.message = "clean";
    error.stack = `Error: ${secret}\n    at a`;
    return error;
  },
  "a frozen error": (secret) => Object.freeze(new Error(secret)),
  "an error that speaks": (secret) => new OwnError(secret),
  "a DOMException": (secret) => new DOMException(secret, "AbortError"),
  "a round": (secret) => {
    const round: Record<string, unknown> = { a: { b: secret } };
    round.self = round;
    round.again = [round, round];
    return round;
  },
  "a round error": (secret) => {
    const error = new Error("a");
    return Object.assign(error, { list: [{ error }, { secret }] });
  },
  "a proxy that breaks": (secret) =>
    new Proxy({ secret }, {
      ownKeys: () => {
        throw new Error(secret);
      },
    }),
  "a proxy that is over": () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  },
};

/** These write a text in a way of their own, or hold none that they are given. */
const DRESSING = new Set([
  ...["a URL", "a query", "headers", "a Request", "a Response"],
  ...["a pattern", "a proxy that is over"],
]);

const PLACES: readonly ((value: unknown) => unknown)[] = [
  (value) => value,
  (value) => new Error("outside", { cause: value }),
  (value) => ({ deep: [{ in: value }] }),
  (value) => Object.assign(new Error("outside"), { response: value }),
  (value) => new AggregateError([new Error("x"), value], "outside"),
];

/** All that somebody may see of a value. */
function shownBy(value: unknown): string {
  const texts = [
    inspect(value, { depth: Infinity, showHidden: true, getters: true }),
    inspect(value, { depth: Infinity }),
  ];
  for (const say of [String, JSON.stringify]) {
    try {
      texts.push(String(say(value)));
    } catch {
      // Some have no text, and some hold themselves.
    }
  }
  walk(value, texts, new Set());
  return texts.join("\n");
}

function walk(value: unknown, texts: string[], seen: Set<unknown>): void {
  if (typeof value === "symbol" || typeof value === "string") {
    texts.push(String(value));
  }
  if (typeof value !== "object" || value === null || seen.has(value)) return;
  seen.add(value);
  if (value instanceof Map || value instanceof Set) {
    for (const one of value) walk(one, texts, seen);
  }
  if (ArrayBuffer.isView(value)) {
    texts.push(new TextDecoder().decode(value));
    return;
  }
  for (const name of [...Reflect.ownKeys(value), "message", "stack"]) {
    texts.push(String(name));
    walk(Reflect.get(value, name), texts, seen);
  }
}

test(
  "cleanCopy() and cleanError() leave no secret to be seen, whatever holds it and wherever that stands",
  () => {
    for (const [what, make] of Object.entries(SHAPES)) {
      for (const [at, place] of PLACES.entries()) {
        const label = `${what}, place ${at}`;
        const clean = cleanCopy(place(make(SECRET)), scrubber);
        assert.equal(leakIn(shownBy(clean), SECRET), undefined, label);
        const error = new ProtocolError({
          message: "it failed",
          category: "handler",
          cause: place(make(SECRET)),
        });
        assert.equal(cleanError(error, scrubber), error);
        assert.equal(leakIn(shownBy(error), SECRET), undefined, label);
        assert.equal(error.code, "protocol_handler");
      }
    }
  },
  { ids: ["E-07"] },
);

test("cleanCopy() leaves what it was given as it was", () => {
  for (const [what, make] of Object.entries(SHAPES)) {
    if (what.includes("proxy")) continue;
    for (const place of PLACES) {
      const value = place(make(SECRET));
      const options = { depth: Infinity, showHidden: true } as const;
      const before = inspect(value, options);
      cleanCopy(value, scrubber);
      assert.equal(inspect(value, options), before, what);
    }
  }
});

test("cleanCopy() gives the same value when it shows no secret", () => {
  const sure = Object.entries(SHAPES).filter(([what]) =>
    !/pattern|proxy|promise|walk|generator|words|speaks/.test(what)
  );
  for (const [what, make] of sure) {
    for (const [at, place] of PLACES.entries()) {
      const value = place(make("harmless"));
      assert.equal(cleanCopy(value, scrubber), value, `${what}, place ${at}`);
    }
  }
  for (
    const value of [
      new Date(0),
      /a/,
      () => {},
      new Session("harmless"),
      7n,
      123_456_789,
      new WeakMap(),
      new Response("body"),
      new Request("http://host/", { method: "POST", body: "body" }),
      new Blob(["a"]),
      new AbortController(),
      new ReadableStream(),
      globalThis.crypto,
    ]
  ) assert.equal(cleanCopy(value, scrubber), value, inspect(value));
});

test("cleanCopy() keeps the class of an error, what is clean in it, and how its fields are seen", () => {
  const part = { clean: true };
  const error = Object.assign(new RangeError(`of ${SECRET}`), { part });
  Object.defineProperty(error, "hidden", { value: 7 });
  const copy = cleanCopy(error, scrubber) as typeof error & { hidden: number };
  assert.notEqual(copy, error);
  assert.ok(copy instanceof RangeError);
  assert.equal(copy.message, "of [redacted]");
  assert.equal(copy.part, part);
  assert.equal(copy.hidden, 7);
  assert.deepEqual(Object.keys(copy), ["part"]);
  assert.equal(error.message, `of ${SECRET}`);
  const own = cleanCopy(new OwnError(SECRET), scrubber);
  assert.equal(String(own), "Error: it broke");
  const abort = cleanCopy(new DOMException(SECRET, "AbortError"), scrubber);
  assert.equal(abort.name, "AbortError");
  assert.equal(abort.code, 20);
});

test("cleanCopy() names the class of what it does not show", () => {
  assert.equal(cleanCopy(new Session(SECRET), scrubber), "Session [redacted]");
  assert.deepEqual(
    cleanCopy({ a: new Map([["b", SECRET]]), c: new URL("a:b") }, scrubber).a,
    "Map [redacted]",
  );
});

test(
  "cleanCopy() cleans texts and names at any depth, and keeps the parts that are clean",
  () => {
    const part = { a: ["b", 1, null, { c: true }] };
    const value = { [SECRET]: 1, a: [{ b: `my ${SECRET}` }, "c"], d: part };
    const copy = cleanCopy(value, scrubber);
    assert.deepEqual(copy as unknown, {
      "[redacted]": 1,
      a: [{ b: "my [redacted]" }, "c"],
      d: part,
    });
    assert.equal(copy.d, part);
    assert.equal(cleanCopy(SECRET, scrubber), "[redacted]");
  },
  { ids: ["E-07"] },
);

test("cleanCopy() keeps what holds itself", () => {
  const round: Record<string, unknown> = { token: SECRET };
  round.self = round;
  const copy = cleanCopy(round, scrubber);
  assert.equal(copy.token, "[redacted]");
  assert.equal(copy.self, copy);
});

test("cleanCopy() leaves out what is too deep or too much to be looked through, in a moment", () => {
  let deep: unknown = SECRET;
  for (let level = 0; level < 50_000; level++) deep = [deep];
  const text = JSON.stringify(cleanCopy(deep, scrubber));
  assert.ok(text.includes("[redacted]"));
  assert.ok(!text.includes(SECRET));
  const endless = () => ({
    get a(): unknown {
      return endless();
    },
    get b(): unknown {
      return endless();
    },
  });
  assert.ok(
    JSON.stringify(cleanCopy(endless(), scrubber)).includes("redacted"),
  );
  type Node = { up: unknown; parts: unknown[]; last?: string };
  const tree: Node = { up: undefined, parts: [] };
  for (let at = 0; at < 20_000; at++) {
    tree.parts.push({ up: tree, parts: [] });
  }
  tree.last = SECRET;
  const copy = cleanCopy(tree, scrubber);
  assert.equal(copy.last, "[redacted]");
  assert.equal((copy.parts[19_999] as Node).up, copy);
});

test(
  "cleanCopy() finds planted secrets in every dress, shape and place",
  () => {
    for (let seed = 1; seed <= 20; seed++) {
      const random = randomFrom(seed);
      const plants = new Plants(random);
      const env = { A_TOKEN: plants.odd(), B_KEY: plants.odd() };
      const known = new Scrubber({ env });
      const dresses: readonly ((secret: string) => string)[] = [
        (one) => one,
        encodeURIComponent,
        JSON.stringify,
        (one) => packed(`${"u".repeat(seed % 7)}:${one}`),
        (one) => packed(`${one}${"u".repeat(seed % 7)}`),
      ];
      const names = Object.keys(SHAPES).filter((name) => !DRESSING.has(name));
      for (let round = 0; round < 30; round++) {
        const secret = pick(random, plants.secrets);
        const what = pick(random, names);
        const dress = pick(random, dresses);
        const inner = SHAPES[what]?.(dress(secret));
        const value = pick(random, PLACES)(pick(random, PLACES)(inner));
        const shown = shownBy(cleanCopy(value, known));
        for (const one of [secret, dress(secret).slice(4, -4)]) {
          assert.equal(leakIn(shown, one), undefined, `${what}, seed ${seed}`);
        }
      }
    }
  },
  { ids: ["E-07"] },
);
