import assert from "node:assert/strict";
import { discoverCli } from "@sluice/agent";
import { reasonWithoutCli, withRealCli } from "./_real_cli.ts";
import { testPlaces } from "./cli/_installations.ts";

testPlaces(
  "discoverCli() finds and runs the CLI that is named",
  async (place) => {
    const cliPath = await place.cli("claude", "2.1.328");
    const discovery = await discoverCli({ cliPath });
    assert.deepEqual(discovery, {
      path: cliPath,
      version: "2.1.328",
      executable: true,
      source: "option",
      attempts: [{
        path: cliPath,
        source: "option",
        outcome: "found",
        version: "2.1.328",
      }],
      warnings: [],
    });
  },
  { ids: ["D-01", "D-14"] },
);

testPlaces(
  "discoverCli() merges env over the environment of this program",
  async (place) => {
    const found = await place.script(
      "bin/claude",
      '[ -n "$HOME" ] && echo "2.1.0"',
    );
    const discovery = await discoverCli({
      cwd: place.root,
      env: { PATH: place.at("bin"), CLAUDE_CLI_PATH: undefined },
    });
    assert.equal(discovery.path, found);
    assert.equal(discovery.source, "path");
  },
  { ids: ["D-13"] },
);

testPlaces(
  "discoverCli() does not throw when what is named is broken",
  async (place) => {
    const variable = await place.link("claude", "gone");
    const { attempts, path } = await discoverCli({
      env: { CLAUDE_CLI_PATH: variable },
    });
    assert.equal(path, undefined);
    assert.deepEqual(attempts, [{
      path: variable,
      source: "environment",
      outcome: "broken-link",
      reason: 'points to "gone"',
    }]);
  },
  { ids: ["D-08", "D-13"] },
);

testPlaces("discoverCli() rejects with the signal's reason", async (place) => {
  const cliPath = await place.cli("claude", "2.1.328");
  const reason = new Error("enough");
  const signal = AbortSignal.abort(reason);
  await assert.rejects(discoverCli({ cliPath, signal }), reason);
});

testPlaces(
  "discoverCli() proves the real CLI, behind a link as well",
  async (place) => {
    await withRealCli([], async ({ cliPath, env }) => {
      const byPath = await discoverCli({ cliPath, env });
      assert.equal(byPath.path, cliPath);
      assert.match(byPath.version ?? "", /^[2-9]\.\d+\.\d+$/);
      assert.deepEqual(byPath.warnings, []);
      const link = await place.link("bin/claude", cliPath);
      const inPath = await discoverCli({
        env: { ...env, PATH: place.at("bin"), CLAUDE_CLI_PATH: undefined },
      });
      assert.equal(inPath.path, link);
      assert.equal(inPath.version, byPath.version);
    });
  },
  { skip: reasonWithoutCli, ids: ["D-01", "D-02", "W-01", "W-06"] },
);
