import { z } from "zod";
import {
  type Client,
  type Conversation,
  Pool,
  type PoolOptions,
  type PoolResult,
} from "@sluice/agent";
import { test } from "../_harness.ts";
import { holds, type Same } from "./_same.ts";

interface Plan {
  steps: string[];
}

test("Pool<T> follows from outputSchema, and so do its conversations, clients and results", async () => {
  const pool = new Pool({
    size: 0,
    outputSchema: {
      type: "object",
      properties: { age: { type: "number" } },
      required: ["age"],
    },
  });
  holds<Same<typeof pool, Pool<{ age: number }>>>();
  const query = () => pool.query("x");
  holds<Same<ReturnType<typeof query>, Conversation<{ age: number }>>>();
  const client = () => pool.client({ model: "m" });
  holds<Same<ReturnType<typeof client>, Promise<Client<{ age: number }>>>>();
  const other = () =>
    pool.query("x", { outputSchema: z.object({ b: z.boolean() }) });
  holds<Same<ReturnType<typeof other>, Conversation<{ b: boolean }>>>();
  const otherClient = () =>
    pool.client({ outputSchema: z.object({ b: z.boolean() }) });
  holds<
    Same<ReturnType<typeof otherClient>, Promise<Client<{ b: boolean }>>>
  >();
  const run = () =>
    pool.run([1], (one) => ({ prompt: `${one}`, options: { model: "m" } }));
  holds<
    Same<
      ReturnType<typeof run>,
      AsyncIterableIterator<PoolResult<number, { age: number }>>
    >
  >();
  void (async () => {
    for await (const { output, error } of run()) {
      if (error === undefined) holds<Same<typeof output, { age: number }>>();
      else holds<Same<typeof output, undefined>>();
    }
  });
  const outputSchema = { type: "object" } as const;
  // @ts-expect-error: one schema for all results of a run
  pool.run([], () => ({ prompt: "x", options: { outputSchema } }));
  await pool.close();
});

test("Pool is Pool<unknown> without a schema, can be named by hand, and be extended", async () => {
  const bare = new Pool({ size: 0 });
  holds<Same<typeof bare, Pool>>();
  const options: PoolOptions = { size: 0 };
  const open = new Pool(options);
  holds<Same<typeof open, Pool>>();
  const named = new Pool<Plan>(options);
  holds<Same<typeof named, Pool<Plan>>>();
  const any: Pool = named;
  class Planner extends Pool<Plan> {
    async plan(prompt: string): Promise<string[]> {
      return (await this.query(prompt).output()).steps;
    }
  }
  const planner = new Planner(options);
  holds<Same<Awaited<ReturnType<Planner["plan"]>>, string[]>>();
  // @ts-expect-error: a typing error is not an option
  void (() => new Pool({ siez: 1 }));
  for (const one of [bare, open, any, planner]) await one.close();
});
