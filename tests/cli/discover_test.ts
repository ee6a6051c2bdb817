import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { CliDiscovery } from "@sluice/agent";
import { discover } from "../../src/cli/discover.ts";
import { notFound } from "../../src/cli/report.ts";
import { firstCandidate } from "../../src/cli/search.ts";
import {
  confinedHost,
  type Installations,
  testPlaces,
} from "./_installations.ts";

testPlaces(
  "discover() reports path, version, source and every attempt in order",
  async (place) => {
    const found = await place.cli("b/claude", "2.1.328");
    const host = await confinedHost(place, { PATH: path(place, "a", "b") });
    const { attempts, ...rest } = await discover(host);
    assert.deepEqual(rest, {
      path: found,
      version: "2.1.328",
      executable: true,
      source: "path",
      warnings: [],
    });
    assert.deepEqual(attempts.slice(0, 2), [
      { path: place.at("a/claude"), source: "path", outcome: "missing" },
      { path: found, source: "path", outcome: "found", version: "2.1.328" },
    ]);
    const sources = new Set(attempts.map(({ source }) => source));
    assert.deepEqual([...sources], ["path", "node_modules", "usual-place"]);
  },
  { ids: ["D-01", "D-14", "W-01"] },
);

testPlaces("discover() reports a search that found nothing", async (place) => {
  const host = await confinedHost(place, { PATH: path(place, "a") });
  const { attempts, ...rest } = await discover(host);
  assert.deepEqual(rest, { executable: false, warnings: [] });
  assert.ok(attempts.length > 10);
  const text = notFound({ attempts, ...rest }).message;
  for (const { outcome, path } of attempts) {
    assert.equal(outcome, "missing");
    assert.ok(text.includes(`"${path}"`), path);
  }
}, { ids: ["D-01", "D-14", "D-15"] });

testPlaces(
  "discover() shows no secret of a path or of what a program printed",
  async (place) => {
    const secret = "kEy9Secretvalue0042x";
    const host = await confinedHost(place, { API_KEY: secret });
    for (
      const cliPath of [
        `/nope/--api-key=${secret}`,
        `/nope/claude --token ${secret}`,
        `/nope/claude API_KEY=${secret}`,
        await place.script("nope", 'echo "no $API_KEY" >&2; exit 1'),
      ]
    ) {
      const discovery = await discover(host, { cliPath });
      const all = JSON.stringify(discovery) + notFound(discovery).message;
      assert.ok(!all.includes(secret), all);
      assert.match(all, /nope/);
    }
  },
  { ids: ["E-07"] },
);

testPlaces(
  "discover() takes the native package where the npm package is only a launcher",
  async (place) => {
    const scope = "work/node_modules/@anthropic-ai";
    const launcher = await place.script(
      `${scope}/claude-code/bin/claude.exe`,
      'echo "Error: claude native binary not installed." >&2',
      "exit 1",
    );
    const native = await place.cli(
      `${scope}/claude-code-linux-arm64-musl/claude`,
      "2.1.5",
    );
    const host = await confinedHost(place, {}, {
      platform: "linux",
      arch: "arm64",
    });
    const musl = {
      ...host,
      files: {
        ...host.files,
        status: (path: string) =>
          path === "/lib/ld-musl-aarch64.so.1"
            ? host.files.status(native)
            : host.files.status(path),
      },
    };
    for (
      const discovery of [
        await discover(musl),
        (await firstCandidate(musl)).discovery,
      ]
    ) {
      assert.equal(discovery.path, native);
      const first = attemptAt(discovery, launcher);
      assert.equal(first?.outcome, "failed");
      assert.match(first.reason ?? "", /install\.cjs/);
    }
    assert.equal((await discover(host)).path, undefined);
  },
  { ids: ["D-04", "W-01"] },
);

testPlaces(
  "discover() takes the paths of one installation as one CLI",
  async (place) => {
    const scope = "work/node_modules/@anthropic-ai";
    const real = await place.cli(
      `${scope}/claude-code/bin/claude.exe`,
      "2.1.328",
    );
    await place.cli(`${scope}/claude-code-linux-x64/claude`, "2.1.328");
    const launcher = await place.link("work/node_modules/.bin/claude", real);
    await place.link("bin/claude", launcher);
    const host = await confinedHost(place, { PATH: path(place, "bin") }, {
      platform: "linux",
      arch: "x64",
    });
    const discovery = await discover(host);
    assert.equal(discovery.path, place.at("bin/claude"));
    assert.deepEqual(discovery.warnings, []);
    assert.equal(attemptAt(discovery, real)?.outcome, "skipped");
    assert.match(
      attemptAt(discovery, launcher)?.reason ?? "",
      /same installation/,
    );
  },
  { ids: ["D-05", "W-06"] },
);

testPlaces(
  "discover() takes the first of several CLIs and warns of all, unless one was named",
  async (place) => {
    const first = await place.cli("a/claude", "2.1.328");
    await place.cli("b/claude", "2.1.330");
    const other = await place.cli("work/node_modules/.bin/claude", "2.0.1");
    const host = await confinedHost(place, { PATH: path(place, "a", "b") });
    const { path: found, warnings } = await discover(host);
    assert.equal(found, first);
    assert.deepEqual(warnings, [
      `Several CLIs were found, the first one is used: "${first}" (2.1.328), "${
        place.at("b/claude")
      }" (2.1.330), "${other}" (2.0.1)`,
    ]);
    const named = await discover(host, { cliPath: "claude" });
    assert.deepEqual([named.version, named.warnings], ["2.1.328", []]);
    const old = await place.cli("old/claude", "0.0.1");
    const tooOld = await discover(host, { cliPath: old });
    assert.deepEqual(tooOld.warnings, [
      `CLI 0.0.1 at "${old}" is older than 2.1.261: run claude update`,
    ]);
  },
  { ids: ["D-03", "D-05"] },
);

testPlaces(
  "discover() passes over what cannot be started, with the reason and what helps",
  async (place) => {
    const closed = await place.file("a/claude", "#!/bin/sh\n", 0o644);
    await place.file("b/claude/x", "");
    await place.link("c/claude", "../gone/claude");
    await place.link("d/claude", "claude");
    await place.cli("real/claude", "2.1.0");
    const good = await place.link("e/claude", "../real/claude");
    const folders = path(place, "a", "b", "c", "d", "e");
    const host = await confinedHost(place, { PATH: folders });
    const discovery = await discover(host);
    assert.equal(discovery.path, good);
    const facts = discovery.attempts.slice(0, 4)
      .map(({ outcome, reason }) => [outcome, reason]);
    assert.deepEqual(facts, [
      ["not-executable", `permission denied: run chmod +x "${closed}"`],
      ["not-executable", "it is a directory"],
      ["broken-link", 'points to "../gone/claude"'],
      ["broken-link", "its links go in a circle"],
    ]);
  },
  { ids: ["D-07", "D-08", "W-05", "W-06"] },
);

testPlaces(
  "firstCandidate() runs nothing, and makes a leading script absolute",
  async (place) => {
    const ran = place.at("ran");
    const cliPath = await place.script("bin/claude", `touch "${ran}"`);
    const host = await confinedHost(place, { PATH: path(place, "bin") });
    const { discovery, program } = await firstCandidate(host);
    assert.deepEqual(program, { cliPath, command: cliPath, args: [] });
    assert.equal(discovery.path, cliPath);
    assert.equal(discovery.attempts.length, 1);
    await assert.rejects(readFile(ran), { code: "ENOENT" });
    const script = await place.file("work/cli.js", "");
    await place.script("bin/node");
    const leading = await firstCandidate(host, {
      cliPath: ["node", "--no-warnings", "cli.js", "other.js"],
    });
    assert.deepEqual(leading.program?.args, [
      "--no-warnings",
      script,
      "other.js",
    ]);
  },
  { ids: ["D-02"] },
);

function path(place: Installations, ...directories: string[]): string {
  return directories.map(place.at).join(":");
}

function attemptAt(discovery: CliDiscovery, path: string) {
  return discovery.attempts.find((attempt) => attempt.path === path);
}
