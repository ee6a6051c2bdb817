import { run, takeOf } from "./tests/compat/_side_by_side.ts";
const [folder, word, n="3"] = Deno.args;
for (let i=0;i<Number(n);i++) {
const t = await takeOf(({ options: { pathToClaudeCodeExecutable, ...place } }) =>
  run("sh", ["-c", `node acp.mjs ${word} 2>&1`], { cwd: `/work/wt/swap/.wrappers/${folder}`, env: { CLI: pathToClaudeCodeExecutable, PLACE: JSON.stringify(place), NO_COLOR: "1" } }),
  { model: word==="prompted" ? ["Hello, Ada!"] : [{ text: "Making.", tool: "Bash", input: { command: "touch made", description: "make" } }, "Made"], cli: "/work/wt/swap/.cli/node_modules/.bin/claude", isRecorded: true });
console.log(folder, t.printed.join("\n   "), "\n", t.exits, t.left, t.stdin.map(x=>x.slice(0,150)).join("\n"));
}
