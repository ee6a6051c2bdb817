import assert from "node:assert/strict";
import type { AgentOptions, JsonObject } from "@sluice/agent";
import { test } from "../_harness.ts";
import { pick, randomFrom } from "../options/_random.ts";
import { asking } from "./_asking.ts";

/** An object of any shape; an attack is free to be anything. */
type Bag = Record<PropertyKey, unknown>;

/** A kind of request to a callback, and whether an answer lets the call run. */
interface Target {
  readonly name: string;
  readonly options: (callback: () => unknown) => AgentOptions;
  readonly request: JsonObject;
  readonly opens: (answer: JsonObject) => boolean;
  /** A fresh answer that allows, and one that denies. */
  readonly valid: (random: () => number) => Bag;
  /** Where an object may be swapped for something else: paths to objects of the valid answer. */
  readonly inside: readonly (readonly string[])[];
}

const INPUT = { command: "ls" };
const UPDATES = [
  { type: "setMode", mode: "plan", destination: "session" },
  { type: "addDirectories", directories: ["/w"], destination: "session" },
  {
    type: "addRules",
    rules: [{ toolName: "Bash", ruleContent: "ls" }],
    behavior: "allow",
    destination: "session",
  },
];

function allowOrDeny(random: () => number): Bag {
  if (random() < 0.5) {
    return { behavior: "deny", message: "no", interrupt: random() < 0.5 };
  }
  const allowance = {
    behavior: "allow",
    updatedInput: { command: "ls", deep: { list: [1, "a", null, true] } },
  };
  return random() < 0.5
    ? allowance
    : { ...allowance, updatedPermissions: structuredClone(UPDATES) };
}

const PERMISSION: Target = {
  name: "permission",
  options: (callback) => ({ permissions: { canUseTool: callback as never } }),
  request: {
    subtype: "can_use_tool",
    tool_name: "Bash",
    input: INPUT,
    tool_use_id: "t",
  },
  opens: ({ behavior }) => behavior !== "deny",
  valid: allowOrDeny,
  inside: [["updatedInput"], ["updatedInput", "deep"], [
    "updatedPermissions",
    "0",
  ], ["updatedPermissions", "2", "rules", "0"]],
};

function hookTarget(
  event: string,
  valid: Target["valid"],
  inside: Target["inside"],
): Target {
  return {
    name: event,
    options: (callback) => ({
      hooks: { [event]: [{ onFailure: "block", hooks: [callback as never] }] },
    }),
    request: {
      subtype: "hook_callback",
      callback_id: "hook_0",
      input: { hook_event_name: event, tool_name: "Bash", tool_input: INPUT },
    },
    opens: (answer) => {
      const specific = (answer.hookSpecificOutput ?? {}) as JsonObject;
      const { behavior } = (specific.decision ?? {}) as JsonObject;
      return answer.decision !== "block" && behavior !== "deny" &&
        specific.permissionDecision !== "deny";
    },
    valid,
    inside,
  };
}

const TARGETS: readonly Target[] = [
  PERMISSION,
  hookTarget("PreToolUse", (random) => ({
    continue: true,
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: pick(random, ["allow", "deny", "ask"]),
      updatedInput: { command: "ls", deep: { a: 1 } },
    },
  }), [["hookSpecificOutput"], ["hookSpecificOutput", "updatedInput"], [
    "hookSpecificOutput",
    "updatedInput",
    "deep",
  ]]),
  hookTarget("PermissionRequest", (random) => ({
    hookSpecificOutput: {
      hookEventName: "PermissionRequest",
      decision: allowOrDeny(random),
    },
  }), [["hookSpecificOutput"], ["hookSpecificOutput", "decision"], [
    "hookSpecificOutput",
    "decision",
    "updatedInput",
  ]]),
];

class Verdict {
  constructor(fields: object) {
    Object.assign(this, fields);
  }
}

function* generator(value: unknown) {
  yield value;
}

function boom(): never {
  throw new Error("boom");
}

/** Ways to make something of an object that is no plain object of plain values any more. */
const DISGUISES: readonly (readonly [string, (plain: Bag) => unknown])[] = [
  ["an Error", (plain) => Object.assign(new Error("denied"), plain)],
  ["a class instance", (plain) => new Verdict(plain)],
  ["inherited", (plain) => Object.create(plain)],
  ["a Map", (plain) => new Map(Object.entries(plain))],
  ["a Set", (plain) => new Set([plain])],
  ["a Response", (plain) =>
    Object.defineProperties(
      new Response(),
      Object.getOwnPropertyDescriptors(plain),
    )],
  ["a Date", (plain) => Object.assign(new Date(), plain)],
  ["a generator", (plain) => generator(plain)],
  ["a list", (plain) => [plain]],
  ["a list with fields", (plain) => Object.assign([], plain)],
  ["JSON", (plain) => JSON.stringify(plain)],
  ["a function", (plain) => Object.assign(() => plain, plain)],
  ["a symbol", () => Symbol("allow")],
  ["a big number", () => 1n],
  ["true", () => true],
  ["null", () => null],
  ["frozen inside a box", (plain) => Object(Object.freeze([plain]))],
  ["hidden", (plain) => {
    const [key = "x"] = Object.keys(plain);
    return Object.defineProperty({ ...plain }, key, { enumerable: false });
  }],
  ["a proxy that throws", (plain) => new Proxy(plain, { ownKeys: boom })],
  [
    "a proxy without a prototype",
    (plain) => new Proxy(plain, { getPrototypeOf: boom }),
  ],
  [
    "a proxy that hides its fields",
    (plain) => new Proxy(plain, { getOwnPropertyDescriptor: boom }),
  ],
  ["a proxy that was revoked", (plain) => {
    const { proxy, revoke } = Proxy.revocable(plain, {});
    revoke();
    return proxy;
  }],
  ["a field that is a symbol", (plain) => ({ ...plain, [Symbol("x")]: 1 })],
  ["a ring", (plain) => {
    const ring: Bag = { ...plain };
    ring["self"] = ring;
    return ring;
  }],
  ["toJSON", (plain) => ({ ...plain, toJSON: () => ({}) })],
  ["toJSON that throws", (plain) => ({ ...plain, toJSON: boom })],
];

/** Fields that make an answer unknown or not serialisable, wherever they are put. */
const BAD_FIELDS: readonly (readonly [string, unknown])[] = [
  ["deny", true],
  ["allow", true],
  ["behaviour", "deny"],
  ["Behavior", "deny"],
  ["permissionDecison", "deny"],
  ["denied", "yes"],
  ["constructor", "x"],
  ["__proto__x", "x"],
  ["toString", "x"],
];
const BAD_VALUES: readonly (readonly [string, () => unknown])[] = [
  ["big", () => 10n ** 30n],
  ["NaN", () => NaN],
  ["Infinity", () => -Infinity],
  ["function", () => boom],
  ["symbol", () => Symbol("x")],
  ["date", () => new Date(0)],
  ["map", () => new Map()],
  ["bytes", () => new Uint8Array(2)],
  ["gap", () => [, 1]],
  ["undefined in a list", () => [undefined]],
  ["deep", () => {
    let deep: unknown = 1;
    for (let level = 0; level < 1_000; level++) deep = { deep };
    return deep;
  }],
  ["long", () => "x".repeat(20_000_000)],
];

/** A way in which an answer comes. */
const WAYS: readonly ((value: unknown) => unknown)[] = [
  (value) => value,
  (value) => Promise.resolve(value),
  (value) => ({ then: (done: (value: unknown) => void) => done(value) }),
  async (value) => {
    await undefined;
    return value;
  },
];

/** Asks of one conversation what becomes of answers, as the CLI reads them. */
async function attack(target: Target, more: AgentOptions = {}) {
  let callback: () => unknown = () => {};
  const { ask, errors, close } = await asking({
    ...target.options(() => callback()),
    ...more,
  });
  return {
    asked(next: () => unknown) {
      callback = next;
      return ask(target.request);
    },
    /** Closes it; each answer that was none is to have been told once. */
    async close(wrong: number, maybe = 0) {
      await close();
      assert.ok(errors.length >= wrong && errors.length <= wrong + maybe);
    },
  };
}

/** Replaces the object at a path by what a disguise makes of it. */
function swapped(
  value: Bag,
  path: readonly string[],
  make: (plain: Bag) => unknown,
): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return make(value);
  const part = value[key];
  if (typeof part !== "object" || part === null) return make(value);
  const copy: Bag = Array.isArray(value)
    ? [...value] as unknown as Bag
    : { ...value };
  copy[key] = swapped(part as Bag, rest, make);
  return copy;
}

const SEED = 20_260_731;

test("no disguise of an answer lets a call run: 1,500 shapes, of permissions and hooks, now and later", async () => {
  const random = randomFrom(SEED);
  let count = 0;
  for (const target of TARGETS) {
    const { asked, close } = await attack(target);
    let [wrong, maybe] = [0, 0];
    for (let round = 0; round < 500; round++) {
      const valid = target.valid(random);
      const path = random() < 0.4 ? [] : pick(random, target.inside);
      const [name, make] = pick(random, DISGUISES);
      const value = swapped(valid, path, make);
      const way = pick(random, WAYS);
      const answer = await asked(() => way(value));
      const what = `${SEED}/${round}: ${target.name}, ${name} at "${
        path.join(".")
      }"`;
      // A list or a text may stand inside an input.
      if (path.at(-1) === "deep" && isJson(value)) {
        maybe++;
        continue;
      }
      assert.equal(target.opens(answer), false, what);
      count++;
      wrong++;
    }
    await close(wrong, maybe);
  }
  assert.ok(count >= 1_000, `${count} shapes`);
});

test("no field that is unknown or no JSON lets a call run, wherever it stands", async () => {
  const random = randomFrom(SEED + 1);
  for (const target of TARGETS) {
    const { asked, close } = await attack(target);
    let wrong = 0;
    for (const [key, field] of BAD_FIELDS) {
      const value = { ...target.valid(random), [key]: field };
      const way = pick(random, WAYS);
      const answer = await asked(() => way(value));
      assert.equal(target.opens(answer), false, `${target.name} ${key}`);
      wrong++;
    }
    for (const path of [[], ...target.inside]) {
      for (const [name, make] of BAD_VALUES) {
        const valid = target.valid(random);
        const value = swapped(
          valid,
          path,
          (plain) => ({ ...plain, extra: make() }),
        );
        const way = pick(random, WAYS);
        const answer = await asked(() => way(value));
        const what = `${target.name} ${name} at "${path.join(".")}"`;
        assert.equal(target.opens(answer), false, what);
        wrong++;
      }
    }
    await close(wrong);
  }
});

/** The oracle: what the protocol reference lets a permission callback answer, said a second time. */
function isDecision(value: unknown): value is JsonObject {
  const is = (one: unknown, type: string) =>
    one === undefined || typeof one === type;
  if (Object.prototype.toString.call(value) !== "[object Object]") return false;
  const { behavior, ...rest } = value as JsonObject;
  const known = behavior === "allow"
    ? /^(updatedInput|updatedPermissions|toolUseID|decisionClassification)$/
    : /^(message|interrupt|toolUseID|decisionClassification)$/;
  if (!Object.keys(rest).every((key) => known.test(key))) return false;
  const classes = /^user_(temporary|permanent|reject)$/;
  const { decisionClassification: kind } = rest;
  if (kind !== undefined && !(typeof kind === "string" && classes.test(kind))) {
    return false;
  }
  if (rest.toolUseID !== undefined && rest.toolUseID !== "t") return false;
  const { updatedInput: input, updatedPermissions: updates } = rest;
  if (behavior === "deny") {
    return typeof rest.message === "string" && is(rest.interrupt, "boolean");
  }
  return behavior === "allow" &&
    (input === undefined ||
      Object.prototype.toString.call(input) === "[object Object]") &&
    (updates === undefined ||
      Array.isArray(updates) && updates.every(isUpdate));
}

function isUpdate(value: unknown): boolean {
  return UPDATES.some((one) => JSON.stringify(one) === JSON.stringify(value));
}

test("a permission is allowed exactly when the answer is an allow by the protocol: 1,500 mixtures", async () => {
  const random = randomFrom(SEED + 2);
  const values: Readonly<Record<string, readonly unknown[]>> = {
    behavior: ["allow", "allow", "allow", "deny", "ALLOW", "ask", true, 1],
    updatedInput: [{}, { command: "x" }, [], null, "ls", 1],
    updatedPermissions: [[], [UPDATES[0]], UPDATES, [{}], {}, "all", [[]]],
    message: ["no", "", 7, null],
    interrupt: [true, false, "yes"],
    toolUseID: ["t", "other", 1],
    decisionClassification: ["user_reject", "user", 0],
    permissionDecision: ["allow"],
    decision: ["approve"],
    allow: [true],
  };
  const counts = { open: 0, shut: 0 };
  const { asked, close } = await attack(PERMISSION);
  for (let round = 0; round < 1_500; round++) {
    const answer: Bag = {};
    if (random() < 0.95) {
      answer["behavior"] = pick(random, values.behavior ?? []);
    }
    const more = Math.floor(random() * 3);
    for (let at = 0; at < more; at++) {
      const key = pick(random, Object.keys(values));
      answer[key] = pick(random, values[key] ?? []);
    }
    const way = pick(random, WAYS);
    const got = await asked(() => way(answer));
    const what = `${SEED + 2}/${round}: ${JSON.stringify(answer)}`;
    if (!isDecision(answer)) {
      assert.equal(got.behavior, "deny", what);
      counts.shut++;
    } else {
      assert.deepEqual(got, answer, what);
      counts.open += answer.behavior === "allow" ? 1 : 0;
    }
  }
  await close(counts.shut);
  assert.ok(counts.open > 150 && counts.shut > 150, JSON.stringify(counts));
});

/** An object whose values are other ones each time it is looked at: the first is harmless. */
function fickle(first: Bag, later: Bag): Bag {
  let looks = 0;
  const now = () => looks++ === 0 ? first : later;
  return new Proxy({ ...first }, {
    get: (_target, key) => Reflect.get(now(), key),
    ownKeys: () => Reflect.ownKeys(first),
    getOwnPropertyDescriptor: (_target, key) =>
      Object.getOwnPropertyDescriptor(first, key),
  });
}

test("the answer that is sent is the one that was checked, even if it changes while it is read", async () => {
  const harmless = { command: "ls" };
  const harmful = { command: "rm -rf /" };
  const answers: readonly (() => Bag)[] = [
    () => ({ behavior: "allow", updatedInput: fickle(harmless, harmful) }),
    () =>
      fickle({ behavior: "allow", updatedInput: harmless }, {
        behavior: "allow",
        updatedInput: harmful,
      }),
    () => ({
      behavior: "allow",
      updatedInput: { command: "ls", more: fickle(harmless, harmful) },
    }),
    () => {
      const updatedInput = { ...harmless };
      queueMicrotask(() => Object.assign(updatedInput, harmful));
      return { behavior: "allow", updatedInput };
    },
  ];
  const { asked, close } = await attack(PERMISSION, {
    deniedTools: ["Bash(rm *)"],
  });
  let wrong = 1;
  for (const way of WAYS) {
    for (const make of answers) {
      const answer = await asked(() => way(make()));
      if (answer.behavior === "deny") wrong++;
      assert.ok(!JSON.stringify(answer).includes("rm -rf"));
    }
  }
  const changed = await asked(() => ({
    behavior: "allow",
    updatedInput: harmful,
  }));
  assert.equal(changed.behavior, "deny");
  await close(wrong);
});

test("thrown values and lying promises are denials too", async () => {
  const unreadable = new Proxy({}, {
    get: boom,
    getPrototypeOf: boom,
    has: boom,
    ownKeys: boom,
  });
  const liar = Object.assign(Promise.resolve({ behavior: "allow" }), {
    then: boom,
  });
  const twisted = Object.defineProperty(
    Promise.resolve({ behavior: "allow" }),
    "constructor",
    { get: boom },
  );
  Object.defineProperty(twisted, "then", { value: boom });
  const cases: readonly (() => unknown)[] = [
    () => {
      throw unreadable;
    },
    () => Promise.reject(unreadable),
    () => unreadable,
    () => Promise.resolve().then(() => unreadable),
    () => liar,
    () => twisted,
    () => {
      throw Object.assign(new Error("x"), { message: unreadable });
    },
    () => {
      throw new Error("x".repeat(1_000_000));
    },
    () => {
      throw undefined;
    },
    () => ({
      get then() {
        return boom();
      },
    }),
  ];
  for (const target of TARGETS) {
    const { asked, close } = await attack(target);
    for (const callback of cases) {
      const answer = await asked(callback);
      assert.equal(target.opens(answer), false);
      assert.ok(JSON.stringify(answer).length < 30_000);
    }
    await close(cases.length);
  }
});

/** Whether a value is what JSON gives, so that it may stand inside an input. */
function isJson(value: unknown): boolean {
  try {
    assert.deepEqual(JSON.parse(JSON.stringify(value)), value);
    return true;
  } catch {
    return false;
  }
}
