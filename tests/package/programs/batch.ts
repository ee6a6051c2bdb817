// Runs the prompts of a file, one per line: eight at a time, with retries. Prints the number of answers and the cost.
// deno-lint-ignore-file no-console -- a program shows what happens
import { readFile } from "node:fs/promises";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { isRetryable, query } from "@sluice/agent";
import { backoffDelay } from "@sluice/agent/mcp";

const CONCURRENCY = 8;
const ATTEMPTS = 4;

let spentUsd = 0;
let failures = 0;
let retries = 0;

async function answer(prompt: string): Promise<string> {
  for (let attempt = 1;; attempt++) {
    const conversation = query(prompt, { persistSession: false, maxTurns: 5 });
    try {
      return await conversation.text();
    } catch (error) {
      if (attempt === ATTEMPTS || !isRetryable(error)) throw error;
      retries++;
      await sleep(backoffDelay(attempt));
    } finally {
      // The result of a failed prompt has a cost too.
      const result = await conversation.result().catch(() => undefined);
      spentUsd += result?.total_cost_usd ?? 0;
    }
  }
}

const [path = "prompts.txt"] = process.argv.slice(2);
const prompts = (await readFile(path, "utf8")).trimEnd().split("\n");
const answers: string[] = [];
const queue = prompts.entries();

async function work(): Promise<void> {
  // All workers share one iterator.
  for (const [index, prompt] of queue) {
    try {
      answers[index] = await answer(prompt);
    } catch (error) {
      failures++;
      console.error(`Line ${index + 1}: ${error}`);
    }
  }
}
await Promise.all(Array.from({ length: CONCURRENCY }, work));

const answered = answers.filter((text) => text !== undefined).length;
console.log(`${answered} answers, ${failures} failures, ${retries} retries`);
console.log(`${spentUsd.toFixed(2)} USD`);
process.exitCode = failures === 0 ? 0 : 1;
