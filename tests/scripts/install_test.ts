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
