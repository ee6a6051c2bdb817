// An answer as data: its type follows from the schema, and what does not fit is an error.
// deno-lint-ignore-file no-console -- a program shows what happens
import { query, StructuredOutputError } from "@sluice/agent";
import { z } from "zod";

const Recipe = z.object({
  title: z.string(),
  minutes: z.int().positive(),
  ingredients: z.array(z.object({ name: z.string(), grams: z.number() })),
  diet: z.enum(["meat", "vegetarian", "vegan"]),
});

try {
  const recipe = await query("Something quick with lentils.", {
    outputSchema: Recipe,
  }).output();
  const grams = recipe.ingredients.reduce((sum, { grams }) => sum + grams, 0);
  console.log(`${recipe.title}: ${recipe.minutes} minutes, ${grams} g`);
  if (recipe.diet === "vegan") console.log("Without anything of animals");
} catch (error) {
  if (!(error instanceof StructuredOutputError)) throw error;
  console.log(`No recipe: ${error.message}`);
}
