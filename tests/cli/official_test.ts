import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { officialCli } from "../../src/cli/official.ts";
import { confinedHost, testPlaces } from "./_installations.ts";

const LINUX = { platform: "linux", arch: "x64" };
const REMOTE = "https://jsr.io/mod.ts";

/** Where the CLI of the official SDK is installed below a folder. */
function programIn(folder: string, libc = ""): string {
  const name = `claude-agent-sdk-linux-x64${libc}`;
  return `${folder}/node_modules/@anthropic-ai/${name}/claude`;
}

testPlaces(
  "the CLI of the official SDK is found beside this package, or in the project that the program runs in",
  async (place) => {
    const host = await confinedHost(place, {}, LINUX);
    const beside = (folder: string) => {
      const path = `${folder}/node_modules/@sluice/agent/compat.js`;
      return officialCli(host, pathToFileURL(place.at(path)).href);
    };
    const found = await place.cli(programIn("global"), "2.1.330");
    assert.equal(await beside("global"), found);
    assert.equal(await beside("other"), undefined);
    assert.equal(await officialCli(host, REMOTE), undefined);
    const own = await place.cli(programIn("work"), "2.1.330");
    assert.equal(await officialCli(host, REMOTE), own);
    // One that the environment names goes first.
    const named = await confinedHost(place, { CLAUDE_CLI_PATH: "/x" }, LINUX);
    assert.equal(await officialCli(named), undefined);
  },
);

testPlaces(
  "the one for the other C library is taken where it alone can be started",
  async (place) => {
    const host = await confinedHost(place, {}, LINUX);
    await place.file(programIn("work"), "text", 0o644);
    assert.equal(await officialCli(host), undefined);
    const musl = await place.cli(programIn("work", "-musl"), "2.1.330");
    assert.equal(await officialCli(host), musl);
    const glibc = await place.cli(programIn("work"), "2.1.330");
    assert.equal(await officialCli(host), glibc);
  },
);
