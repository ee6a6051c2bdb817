import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { test } from "../_harness.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const SCRIPTS = ["install/debian", "install/provide", "project"];
const ONLY = { only: "deno" } as const;
const AS_IN_CI = { ...process.env, CI: "true", NO_COLOR: "1" };

/** Runs an installer in a tree where nothing is installed, with the given apt-get if any; gives what it printed. */
async function install(name: string, aptGet?: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "install-"));
  try {
    for (const one of SCRIPTS) {
      const path = `scripts/${one}.ts`;
      await cp(join(ROOT, path), join(folder, path));
    }
    const bin = join(folder, "bin");
    await mkdir(bin);
    if (aptGet !== undefined) {
      await writeFile(join(bin, "apt-get"), `#!/bin/sh\n${aptGet}\n`);
      await chmod(join(bin, "apt-get"), 0o755);
    }
    const { stdout } = await promisify(execFile)(process.execPath, [
      ...["run", "-A", "--no-check", "--no-config", "--quiet"],
      join(folder, "scripts/install/debian.ts"),
      name,
    ], { env: { ...AS_IN_CI, PATH: bin } });
    return stdout;
  } finally {
    await rm(folder, { recursive: true });
  }
}

for (const name of ["redis", "nats"]) {
  test(
    `where there is no apt-get, install_${name} says so`,
    async () => {
      assert.match(await install(name), /^Cannot .*: .*apt-get/m);
    },
    ONLY,
  );

  test(
    `where apt-get fails, install_${name} says what it does and then why`,
    async () => {
      const output = await install(
        name,
        `case "$*" in *indextargets*) echo http://127.0.0.1/debian/;;
        *) echo "W: a warning" >&2; echo "E: No network" >&2; echo "E: So nothing" >&2; exit 100;; esac`,
      );
      assert.match(output, /^Getting .* into \.\w+\/ \(\d+ MB, once\)\n/);
      assert.match(output, /\nCannot .*: apt-get .*failed: E: No network\n$/);
    },
    ONLY,
  );
}

test(
  "a run without nats-server says that it skips fleets, and why",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "environment-"));
    try {
      const scripts = [...SCRIPTS, "install/cli", "test/environment"]
        .map((one) => `scripts/${one}.ts`);
      for (const path of [...scripts, "src"]) {
        await cp(join(ROOT, path), join(folder, path), { recursive: true });
      }
      const main = join(folder, "scripts/main.ts");
      await writeFile(
        main,
        `import { skippedLine, testEnvironment } from "./test/environment.ts";
const { env, skipped } = await testEnvironment(() => {});
console.log(env.SLUICE_NATS, skippedLine(skipped));
`,
      );
      const flags = ["run", "-A", "--no-check", "--no-config", "--quiet"];
      const run = async (more: Readonly<Record<string, string>>) => {
        const env: NodeJS.ProcessEnv = { ...AS_IN_CI, PATH: folder, ...more };
        if (!("SLUICE_NATS" in more)) delete env["SLUICE_NATS"];
        const given = { SLUICE_TEST_REDIS: "redis", SLUICE_TEST_CLI: "claude" };
        const { stdout } = await promisify(execFile)(
          process.execPath,
          [...flags, main],
          { env: { ...env, ...given } },
        );
        return stdout;
      };
      assert.match(
        await run({}),
        /^undefined skipped rooms: fleet \(no nats-server: Cannot get nats-server .*apt-get.*\)\n$/,
      );
      assert.equal(await run({ SLUICE_NATS: "nats" }), "nats undefined\n");
    } finally {
      await rm(folder, { recursive: true });
    }
  },
  ONLY,
);

test("the installer of servers brings none that was not named", async () => {
  assert.equal(await install("nat"), 'No server "nat": nats, redis\n');
}, ONLY);

test("apt-get gives up in seconds on a mirror without an answer", async () => {
  const server = createServer(() => {}).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const output = await install(
    "nats",
    `case "$*" in *indextargets*) echo http://127.0.0.1:${port}/debian/;;
    *) PATH=/usr/bin:/bin exec apt-get "$@";; esac`,
  );
  server.closeAllConnections();
  server.close();
  assert.match(output, /\nCannot .*: apt-get update failed: E: /);
}, {
  ...ONLY,
  skip: existsSync("/usr/bin/apt-get") ? undefined : "needs apt-get",
  timeoutMs: 60_000,
});
