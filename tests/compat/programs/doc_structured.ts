import type { Model, Program } from "../_program.ts";
import { z } from "zod";
import * as z3 from "zod/v3";
import { zodToJsonSchema } from "zod-to-json-schema";

const GOOD = { name: "Ada", tags: ["x"], address: { city: "London" } };

export const model: Model = [
  { tool: "StructuredOutput", input: { name: "Ada" } },
  { tool: "StructuredOutput", input: GOOD },
  "done",
  { tool: "StructuredOutput", input: GOOD },
  "done",
  { tool: "StructuredOutput", input: { name: 7 }, repeat: true },
];

const Person4 = z.object({
  name: z.string().describe("Full name"),
  tags: z.array(z.enum(["x", "y"])),
  address: z.object({ city: z.string() }).optional(),
  kind: z.union([z.literal("a"), z.literal("b")]).nullable().optional(),
});
const Person3 = z3.object({
  name: z3.string().min(1),
  tags: z3.array(z3.enum(["x", "y"])),
  address: z3.object({ city: z3.string() }).optional(),
});

/** A schema of each zod, an answer that does not fit at first, and one that never does. */
const program: Program = async ({ query }, place) => {
  const { options, print } = place;
  const schemas = [
    z.toJSONSchema(Person4, { target: "draft-7" }),
    zodToJsonSchema(Person3 as never, { $refStrategy: "none" }),
    {
      type: "object",
      properties: { name: { type: "string" } },
      required: ["name"],
    },
  ];
  for (const schema of schemas) {
    try {
      for await (
        const message of query({
          prompt: "Who?",
          options: {
            ...options,
            maxTurns: 12,
            outputFormat: {
              type: "json_schema",
              schema: schema as Record<string, unknown>,
            },
          },
        })
      ) {
        if (message.type === "user") print(message.message.content);
        if (message.type !== "result") continue;
        if (message.subtype === "success") {
          const parsed = Person4.safeParse(message.structured_output);
          print(parsed.success, message.structured_output);
        } else print(message.subtype, message.errors);
      }
    } catch (error) {
      print((error as Error).message);
    }
  }
};

export default program;
