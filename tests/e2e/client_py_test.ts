import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { sourcePath } from "../_examples.ts";
import { type RealCli, reasonWithoutCli } from "../_real_cli.ts";
import { bash, realTest } from "./_real.ts";

const CLIENT = sourcePath("examples/client.py");
const SCHEMA = sourcePath("protocol.schema.json");

const hasPython = spawnSync("python3", ["--version"]).status === 0;
const skip = reasonWithoutCli ?? (hasPython ? undefined : "needs python3");

realTest(
  "a client in another language talks to the CLI, and every line is as the schema says",
  [
    { ...bash("touch made.txt && echo created"), text: "I will make it." },
    "It is made.",
  ],
  async (real) => {
    const { status, stdout, stderr } = await run(CLIENT, real);
    assert.deepEqual({ status, stderr }, { status: 0, stderr: "" });
    assert.match(
      stdout,
      /^ready with \d+ models\nI will make it\.may run Bash\nIt is made\.\nsuccess: \$0\.\d+\n$/,
    );
    assert.ok(existsSync(join(real.cwd, "made.txt")));
  },
  { skip },
);

realTest(
  "a client in another language sees what the schema does not allow",
  ["Hello."],
  async (real) => {
    // Two folders of their own, with a schema that wants more of a result than there is.
    const client = join(real.cwd, "examples", "client.py");
    await mkdir(dirname(client));
    await cp(CLIENT, client);
    const schema = JSON.parse(await readFile(SCHEMA, "utf8"));
    schema.$defs.ResultSuccess.required.push("no_such_field");
    const path = join(real.cwd, "protocol.schema.json");
    await writeFile(path, JSON.stringify(schema));
    const missing = await run(client, real);
    assert.equal(missing.status, 0);
    assert.match(
      missing.stderr,
      /^not as described: result fits none of .*\n$/,
    );
  },
  { skip },
);

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(
  client: string,
  { cliPath, cwd, env }: RealCli,
): Promise<Ended> {
  const child = spawn("python3", [client, "Make", "it"], {
    cwd,
    env: { ...env, CLAUDE_CLI_PATH: cliPath },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text) => stdout += text);
  child.stderr.setEncoding("utf8").on("data", (text) => stderr += text);
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  return { status, stdout, stderr };
}
