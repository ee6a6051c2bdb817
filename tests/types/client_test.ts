import { Type } from "@sinclair/typebox";
import { z } from "zod";
import { type AgentOptions, Client, type Schema } from "@sluice/agent";
import { test } from "../_harness.ts";
import { holds, type Same } from "./_same.ts";

interface Plan {
  steps: string[];
}

test("Client<T> follows from outputSchema, whatever makes the schema", () => {
  const literal = new Client({
    outputSchema: {
      type: "object",
      properties: { steps: { type: "array", items: { type: "string" } } },
      required: ["steps"],
    },
    model: "opus",
  });
  holds<Same<typeof literal, Client<{ steps: string[] }>>>();
  const zod = new Client({ outputSchema: z.object({ a: z.number() }) });
  holds<Same<typeof zod, Client<{ a: number }>>>();
  const typebox = new Client({
    outputSchema: Type.Object({ a: Type.Number() }),
  });
  holds<Same<typeof typebox, Client<{ a: number }>>>();
  const take = () => literal.output("x", { signal: undefined });
  holds<Same<Awaited<ReturnType<typeof take>>, { steps: string[] }>>();
});

test("Client is Client<unknown> without a schema, or with one that may be missing", () => {
  const bare = new Client();
  holds<Same<typeof bare, Client>>();
  const options: AgentOptions = { model: "opus" };
  const open = new Client(options);
  holds<Same<typeof open, Client>>();
  const outputSchema: Schema | undefined = undefined;
  const perhaps = new Client({ outputSchema });
  holds<Same<typeof perhaps, Client>>();
  // @ts-expect-error: a typing error is not an option
  void (() => new Client({ modle: "opus" }));
  // @ts-expect-error: the same beside a schema
  void (() => new Client({ modle: "opus", outputSchema: { type: "object" } }));
});

test("Client<T> can be extended with a type and without, and named by hand", () => {
  class Plain extends Client {
    constructor(options?: AgentOptions) {
      super({ ...options, model: "opus" });
    }
  }
  class Planner extends Client<Plan> {
    async plan(prompt: string): Promise<string[]> {
      return (await this.output(prompt)).steps;
    }
  }
  holds<Same<Awaited<ReturnType<Plain["output"]>>, unknown>>();
  void Plain;
  holds<Same<Awaited<ReturnType<Planner["output"]>>, Plan>>();
  holds<Same<InstanceType<typeof Planner>, Planner>>();
  const named = new Client<Plan>({ model: "opus" });
  holds<Same<typeof named, Client<Plan>>>();
  const any: Client = named;
  if (any instanceof Client) holds<Same<typeof any, Client>>();
});
