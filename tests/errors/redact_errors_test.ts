import assert from "node:assert/strict";
import { inspect } from "node:util";
import { redactedCopy, redactError } from "../../src/errors/redact.ts";
import { ProtocolError } from "@sluice/agent";
import { Scrubber } from "../../src/errors/scrubber.ts";
import { leakIn } from "../_planted.ts";
import { test } from "../_harness.ts";

const SECRET = "z8f3kq-Secret-4711";
const scrubber = new Scrubber({ env: { MY_TOKEN: SECRET } });

class Session {
  readonly token: string;
  constructor(token: string) {
    this.token = token;
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
  "a Map": (secret) => new Map([["a", { b: [secret] }]]),
  "a Set": (secret) => new Set([secret]),
  "a URL": (secret) => new URL(`http://host/${encodeURIComponent(secret)}`),
  "a query": (secret) => new URLSearchParams({ a: secret }),
  "a Response": (secret) =>
    new Response("x", { headers: { "x-own": encodeURIComponent(secret) } }),
  "a signal": (secret) => AbortSignal.abort(new Error(secret)),
  "an event": (secret) => new CustomEvent("a", { detail: secret }),
  "a Uint8Array": (secret) => new TextEncoder().encode(secret),
  "a symbol": (secret) => Symbol(secret),
  "the name of a symbol": (secret) => ({ [Symbol(secret)]: 1 }),
  "a name": (secret) => ({ [secret]: 1 }),
  "a field of a list": (secret) => Object.assign([1], { a: secret }),
  "a class in a class": (secret) => new Session(new Session(secret) as never),
  "a getter of new objects": (secret) => ({
    get a() {
      return { secret };
    },
  }),
  "a hidden, frozen field": (secret) =>
    Object.freeze(Object.defineProperty({}, "a", { value: secret })),
  "a function": (secret) => Object.assign(() => {}, { a: secret }),
  "an error of errors": (secret) =>
    new AggregateError([new Error("a", { cause: secret })], "b"),
  "a class in an error": (secret) =>
    Object.assign(new Error("a"), { client: new Session(secret) }),
  "a message of the class of an error": (secret) =>
    new class extends Error {
      override get message() {
        return secret;
      }
    }(),
  "the stack": (secret) => {
    const error = new Error("clean");
    error.stack = `Error: ${secret}\n    at a`;
    return error;
  },
  "a frozen error": (secret) => Object.freeze(new Error(secret)),
  "a DOMException": (secret) => new DOMException(secret, "AbortError"),
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

const PLACES: readonly ((value: unknown) => unknown)[] = [
  (value) => value,
  (value) => new Error("outside", { cause: value }),
  (value) => ({ deep: [{ in: value }] }),
  (value) => Object.assign(new Error("outside"), { response: value }),
  (value) => new AggregateError([new Error("x"), value], "outside"),
];

/** All that is visible of a value. */
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
  "redactedCopy() and redactError() leave no secret to be seen, whatever holds it and wherever that stands",
  () => {
    for (const [what, make] of Object.entries(SHAPES)) {
      for (const [at, place] of PLACES.entries()) {
        const label = `${what}, place ${at}`;
        const clean = redactedCopy(place(make(SECRET)), scrubber);
        assert.equal(leakIn(shownBy(clean), SECRET), undefined, label);
        const error = new ProtocolError({
          message: "it failed",
          category: "handler",
          cause: place(make(SECRET)),
        });
        assert.equal(redactError(error, scrubber), error);
        assert.equal(leakIn(shownBy(error), SECRET), undefined, label);
        assert.equal(error.code, "protocol_handler");
      }
    }
  },
  { ids: ["E-07"] },
);

test("redactedCopy() gives the same value when it shows no secret", () => {
  for (const [what, make] of Object.entries(SHAPES)) {
    if (/proxy/.test(what)) continue;
    for (const [at, place] of PLACES.entries()) {
      const value = place(make("harmless"));
      assert.equal(
        redactedCopy(value, scrubber),
        value,
        `${what}, place ${at}`,
      );
    }
  }
  const { crypto } = globalThis;
  const alive = [new Date(0), /a/, 123_456_789, new WeakMap(), new Blob(["a"])];
  for (const value of [...alive, new ReadableStream(), crypto]) {
    assert.equal(redactedCopy(value, scrubber), value, inspect(value));
  }
});

test("redactedCopy() keeps the class of an error, and how its fields are seen", () => {
  const error = Object.assign(new RangeError(`of ${SECRET}`), { part: [1] });
  Object.defineProperty(error, "hidden", { value: 7 });
  const copy = redactedCopy(error, scrubber) as typeof error & {
    hidden: number;
  };
  assert.ok(copy instanceof RangeError);
  assert.equal(copy.message, "of [redacted]");
  assert.deepEqual(copy.part, [1]);
  assert.equal(copy.hidden, 7);
  assert.deepEqual(Object.keys(copy), ["part"]);
  assert.equal(error.message, `of ${SECRET}`);
  const own = redactedCopy(
    Object.assign(new OwnError("x"), { cause: SECRET }),
    scrubber,
  );
  assert.equal(String(own), "Error: it broke");
  assert.match(inspect(own), /it broke/);
  assert.match(JSON.stringify(own), /redacted/);
  const abort = redactedCopy(new DOMException(SECRET, "AbortError"), scrubber);
  assert.equal(abort.name, "AbortError");
  assert.equal(abort.code, 20);
});

test("redactedCopy() names the class of what it does not show", () => {
  assert.equal(
    redactedCopy(new Session(SECRET), scrubber),
    "Session [redacted]",
  );
  const c = new Session("harmless");
  assert.deepEqual(
    redactedCopy({ a: new Map([["b", SECRET]]), c }, scrubber) as unknown,
    { a: "Map [redacted]", c },
  );
});

test("redactedCopy() leaves out what is too deep or too much to be looked through, in a moment", () => {
  let deep: unknown = SECRET;
  for (let level = 0; level < 50_000; level++) deep = [deep];
  const text = JSON.stringify(redactedCopy(deep, scrubber));
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
    JSON.stringify(redactedCopy(endless(), scrubber)).includes("redacted"),
  );
  type Node = { up: unknown; parts: unknown[]; last?: string };
  const tree: Node = { up: undefined, parts: [] };
  for (let at = 0; at < 20_000; at++) {
    tree.parts.push({ up: tree, parts: [] });
  }
  tree.last = SECRET;
  const copy = redactedCopy(tree, scrubber);
  assert.equal(copy.last, "[redacted]");
  assert.equal((copy.parts[19_999] as Node).up, copy);
});
