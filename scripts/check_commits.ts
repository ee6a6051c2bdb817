// Titles of commits follow Conventional Commits: `feat(mcp): list every page`.
// Arguments: a range for `git log`, all commits unless given.
import { conclude, run } from "./project.ts";

const TYPES = "build|chore|ci|docs|feat|fix|perf|refactor|revert|style|test";
const TITLE = new RegExp(`^(${TYPES})(\\([a-z0-9,/_-]+\\))?!?: \\S.*[^.]$`);
const MAX_LENGTH = 100;

const { code, stdout, stderr } = await run("git", [
  "log",
  "--no-merges",
  "--format=%h %s",
  ...Deno.args,
]);
const commits = code === 0 ? stdout.trim().split("\n").filter(Boolean) : [];
const problems = commits.filter((line) => {
  const title = line.slice(line.indexOf(" ") + 1);
  return !TITLE.test(title) || title.length > MAX_LENGTH;
}).map((line) => `No Conventional Commits title: ${line}`);
if (code !== 0 && !/does not have any commits/.test(stderr)) {
  problems.push(stderr.trim());
}
conclude(problems, `Titles fit: ${commits.length} commits`);
