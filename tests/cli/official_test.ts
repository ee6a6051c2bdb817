import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { officialCli } from "../../src/cli/official.ts";
import { confinedHost, testPlaces } from "./_installations.ts";

const SCOPE = "node_modules/@anthropic-ai";
const LINUX = { platform: "linux", arch: "x64" };

/** A module of this package, installed for a program, or for all programs. */
function module(root: string): string {
  return pathToFileURL(`${root}/node_modules/@sluice/agent/compat.js`).href;
}

testPlaces(
  "the CLI of the official SDK is found beside this package, wherever the program runs",
  async (place) => {
    const found = await place.cli(
      `global/${SCOPE}/claude-agent-sdk-linux-x64/claude`,
      "2.1.330",
    );
    const host = await confinedHost(place, {}, LINUX);
    assert.equal(await officialCli(host, module(place.at("global"))), found);
    assert.equal(await officialCli(host, module(place.at("other"))), undefined);
    assert.equal(await officialCli(host, "https://jsr.io/mod.ts"), undefined);
  },
);

testPlaces(
  "it is found in the project that the program runs in",
  async (place) => {
    const found = await place.cli(
      `work/${SCOPE}/claude-agent-sdk-linux-x64/claude`,
      "2.1.330",
    );
    const host = await confinedHost(place, {}, LINUX);
    assert.equal(await officialCli(host, "https://jsr.io/mod.ts"), found);
  },
);

testPlaces(
  "the one for the other C library is taken where it alone is there",
  async (place) => {
    const musl = await place.cli(
      `work/${SCOPE}/claude-agent-sdk-linux-x64-musl/claude`,
      "2.1.330",
    );
    const host = await confinedHost(place, {}, LINUX);
    assert.equal(await officialCli(host), musl);
    const glibc = await place.cli(
      `work/${SCOPE}/claude-agent-sdk-linux-x64/claude`,
      "2.1.330",
    );
    assert.equal(await officialCli(host), glibc);
  },
);

testPlaces(
  "one that cannot be started is none, and one that the environment names goes first",
  async (place) => {
    const path = `work/${SCOPE}/claude-agent-sdk-linux-x64/claude`;
    await place.file(path, "text", 0o644);
    const host = await confinedHost(place, {}, LINUX);
    assert.equal(await officialCli(host), undefined);
    await place.cli(path, "2.1.330");
    const named = await confinedHost(place, { CLAUDE_CLI_PATH: "/x" }, LINUX);
    assert.equal(await officialCli(named), undefined);
  },
);
