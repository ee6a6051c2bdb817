import type { Model, Program } from "../_program.ts";
import { z } from "zod";

export const model: Model = [
  { tool: "StructuredOutput", input: { answer: 42 } },
  "done",
];

const program: Program = async ({ query }, place) => {
  const { options, print } = place;

  const schema = z.toJSONSchema(z.object({ answer: z.number() }), {
    target: "draft-7",
  }) as Record<string, unknown>;
  for await (
    const message of query({
      prompt: "Answer",
      options: { ...options, outputFormat: { type: "json_schema", schema } },
    })
  ) {
    if (message.type === "result" && message.subtype === "success") {
      print(message.structured_output);
    }
  }
};

export default program;
