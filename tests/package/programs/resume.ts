// One question per run of this program. Each run resumes the session of the run before.
// deno-lint-ignore-file no-console -- a program shows what happens
import { readFile, writeFile } from "node:fs/promises";
import process from "node:process";
import { query } from "@sluice/agent";

const [prompt = "Where were we?"] = process.argv.slice(2);
const last = await readFile("session.txt", "utf8").catch(() => undefined);

const conversation = query(prompt, { resume: last });
console.log(await conversation.text());
if (conversation.sessionId !== undefined) {
  await writeFile("session.txt", conversation.sessionId);
}
