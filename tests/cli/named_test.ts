import assert from "node:assert/strict";
import { discover } from "../../src/cli/discover.ts";
import { confinedHost, testPlaces } from "./_installations.ts";

testPlaces(
  "discover() takes cliPath before CLAUDE_CLI_PATH before PATH, and ends with a broken one",
  async (place) => {
    const option = await place.cli("option/claude", "2.1.1");
    const variable = await place.cli("variable/claude", "2.1.2");
    await place.cli("bin/claude", "2.1.3");
    const host = await confinedHost(place, {
      PATH: place.at("bin"),
      CLAUDE_CLI_PATH: variable,
    });
    const found = async (options: object) => {
      const { attempts, path, source } = await discover(host, options);
      return [path, source, attempts.length];
    };
    assert.deepEqual(await found({ cliPath: option }), [option, "option", 1]);
    for (const options of [{}, { cliPath: "" }]) {
      assert.deepEqual(await found(options), [variable, "environment", 1]);
    }
    for (const value of [undefined, ""]) {
      const [, source] = await found({ env: { CLAUDE_CLI_PATH: value } });
      assert.equal(source, "path");
    }
    const gone = place.at("gone");
    const missing = { path: gone, outcome: "missing" };
    assert.deepEqual((await discover(host, { cliPath: gone })).attempts, [
      { ...missing, source: "option" },
    ]);
    const env = { CLAUDE_CLI_PATH: gone };
    assert.deepEqual((await discover(host, { env })).attempts, [
      { ...missing, source: "environment" },
    ]);
  },
  { ids: ["D-13"] },
);

testPlaces(
  "discover() resolves a relative cliPath, looks a name up in PATH, and runs leading arguments",
  async (place) => {
    const relative = await place.cli("work/tools/claude", "2.1.0");
    const named = await place.cli("bin/my-claude", "2.1.0");
    await place.script("bin/sh", 'exec /bin/sh "$@"');
    const host = await confinedHost(place, {
      PATH: `${place.at("a")}:${place.at("bin")}`,
    });
    const tools = await discover(host, { cliPath: "tools/claude" });
    assert.equal(tools.path, relative);
    const name = await discover(host, { cliPath: "my-claude" });
    assert.equal(name.path, named);
    assert.deepEqual(
      name.attempts.map(({ outcome, source }) => `${source} ${outcome}`),
      ["option missing", "option found"],
    );
    const home = await discover(host, { cliPath: "~/claude" });
    assert.match(home.attempts[0]?.reason ?? "", /only a shell expands ~/);
    const program = await place.file("cli", 'echo "2.$#.0 $1"');
    const leading = await discover(host, { cliPath: ["sh", program] });
    assert.equal(leading.path, place.at("bin/sh"));
    assert.equal(leading.version, "2.1.0");
  },
);
