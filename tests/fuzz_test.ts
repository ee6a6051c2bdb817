import assert from "node:assert/strict";
import process from "node:process";
import { framer } from "./fuzz/framer.ts";
import { names } from "./fuzz/names.ts";
import { parser } from "./fuzz/parser.ts";
import { sessions } from "./fuzz/sessions.ts";
import { strict } from "./fuzz/strict.ts";
import { test } from "./_harness.ts";
import { randomFrom } from "./options/_random.ts";

const CASES = 500;
const TARGETS = [names, framer, parser, sessions, strict];
/** How long more inputs are tried of each target, from another seed in every run: `deno task fuzz`. */
const SECONDS = Number(process.env["SLUICE_FUZZ_SECONDS"] ?? 0);
const FIRST = Number(
  process.env["SLUICE_FUZZ_SEED"] ??
    (SECONDS > 0 ? Math.floor(Math.random() * 2 ** 32) : 0),
);

for (const { name, tryOne } of TARGETS) {
  test(`the fuzz target "${name}" holds for random inputs`, () => {
    const end = performance.now() + SECONDS * 1_000;
    for (let n = 0; n < CASES || performance.now() < end; n++) {
      const seed = (FIRST + n) >>> 0;
      try {
        tryOne(randomFrom(seed));
      } catch (cause) {
        throw new Error(`${name} fails: SLUICE_FUZZ_SEED=${seed}`, { cause });
      }
    }
  }, { ids: ["QA-12"] });
}

/** Runs with a clock and with random numbers that throw when they are read. */
function withoutChance(use: () => void): void {
  const taboo = (what: string) => () => {
    throw new Error(`An input depends on ${what}`);
  };
  const { Date: RealDate, Math: math, crypto, performance } = globalThis;
  const restores = [
    replaced(math, "random", taboo("Math.random()")),
    replaced(crypto, "getRandomValues", taboo("getRandomValues()")),
    replaced(crypto, "randomUUID", taboo("randomUUID()")),
    replaced(performance, "now", taboo("performance.now()")),
    replaced(
      globalThis,
      "Date",
      new Proxy(RealDate, {
        construct(target, args) {
          if (args.length === 0) taboo("new Date()")();
          return Reflect.construct(target, args);
        },
        get: (target, key) =>
          key === "now" ? taboo("Date.now()") : Reflect.get(target, key),
      }),
    ),
  ];
  try {
    use();
  } finally {
    for (const restore of restores) restore();
  }
}

/** Puts something in the place of a member; the returned function takes it back. */
function replaced(target: object, key: string, value: unknown): () => void {
  const own = Object.getOwnPropertyDescriptor(target, key);
  Object.defineProperty(target, key, {
    value,
    configurable: true,
    writable: true,
  });
  return () => {
    if (own === undefined) Reflect.deleteProperty(target, key);
    else Object.defineProperty(target, key, own);
  };
}

test(
  "inputs of the fuzz targets come from their seed alone: no time, no other random numbers",
  () => {
    // The trap works.
    for (
      const ask of [() => Math.random(), () => Date.now(), () => new Date()]
    ) {
      assert.throws(() => withoutChance(() => void ask()), /depends on/);
    }
    for (const { name, tryOne } of TARGETS) {
      for (let seed = 0; seed < 100; seed++) {
        const [one = [], other = []] = [1, 2].map(() => {
          const drawn: number[] = [];
          const random = randomFrom(seed);
          withoutChance(() =>
            tryOne(() => {
              const number = random();
              drawn.push(number);
              return number;
            })
          );
          return drawn;
        });
        assert.ok(one.length > 0);
        assert.deepEqual(one, other, `${name} ${seed}`);
      }
    }
  },
  { ids: ["REG-10"] },
);
