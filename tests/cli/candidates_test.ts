import assert from "node:assert/strict";
import {
  type Candidate,
  moduleCandidates,
  namedCandidates,
  pathCandidates,
  type SearchPlace,
  usualCandidates,
} from "../../src/cli/candidates.ts";
import { test } from "../_harness.ts";

const linux: SearchPlace = {
  platform: "linux",
  arch: "x64",
  libc: "glibc",
  env: { PATH: "/usr/bin::/home/me/bin:/usr/bin:tools" },
  home: "/home/me",
  directory: "/work space",
  roots: ["/srv/app"],
};

const mac: SearchPlace = {
  ...linux,
  platform: "darwin",
  arch: "arm64",
  home: "/Users/me",
};

const windows: SearchPlace = {
  platform: "win32",
  arch: "x64",
  env: {
    Path: 'C:/Windows;"C:\\Program Files\\nodejs"',
    AppData: "C:\\Users\\me\\AppData\\Roaming",
    LOCALAPPDATA: "C:\\Users\\me\\AppData\\Local",
    ProgramFiles: "C:\\Program Files",
    ProgramData: "C:\\ProgramData",
  },
  home: "C:\\Users\\me",
  directory: "D:\\work",
  roots: ["D:\\work"],
};

test("pathCandidates() looks into each directory of PATH once, in order", () => {
  assert.deepEqual(pathCandidates(linux), [
    { path: "/usr/bin/claude", source: "path" },
    { path: "/home/me/bin/claude", source: "path" },
    { path: "/work space/tools/claude", source: "path" },
  ]);
  assert.deepEqual(pathCandidates({ ...linux, env: {} }), []);
});

test(
  "pathCandidates() tries .exe, .cmd and .bat on Windows, quotes and slashes of both kinds",
  () => {
    assert.deepEqual(paths(pathCandidates(windows)), [
      "C:\\Windows\\claude.exe",
      "C:\\Windows\\claude.cmd",
      "C:\\Windows\\claude.bat",
      "C:\\Program Files\\nodejs\\claude.exe",
      "C:\\Program Files\\nodejs\\claude.cmd",
      "C:\\Program Files\\nodejs\\claude.bat",
    ]);
  },
  { ids: ["D-06", "D-12", "W-02", "W-03"] },
);

test("moduleCandidates() goes upwards from each root, through the package and its native ones", () => {
  const all = moduleCandidates(linux);
  assert.deepEqual(paths(all).slice(0, 7), [
    "/srv/app/node_modules/.bin/claude",
    "/srv/app/node_modules/@anthropic-ai/claude-code/bin/claude.exe",
    "/srv/app/node_modules/@anthropic-ai/claude-code-linux-x64/claude",
    "/srv/app/node_modules/@anthropic-ai/claude-code/node_modules/@anthropic-ai/claude-code-linux-x64/claude",
    "/srv/app/node_modules/.pnpm/node_modules/@anthropic-ai/claude-code-linux-x64/claude",
    "/srv/app/node_modules/.deno/node_modules/@anthropic-ai/claude-code-linux-x64/claude",
    "/srv/app/node_modules/@anthropic-ai/claude-agent-sdk-linux-x64/claude",
  ]);
  const installations = new Set(all.map(({ installation }) => installation));
  assert.deepEqual([...installations], [
    "/srv/app/node_modules",
    "/srv/node_modules",
    "/node_modules",
  ]);
  assert.ok(all.every(({ source }) => source === "node_modules"));
});

test(
  "moduleCandidates() names the native package by platform, processor and C library",
  () => {
    const name = "node_modules/@anthropic-ai/claude-code-";
    const musl = moduleCandidates({ ...linux, libc: "musl", arch: "arm64" });
    assert.ok(paths(musl).includes(`/srv/${name}linux-arm64-musl/claude`));
    assert.ok(!paths(musl).some((path) => path.includes("linux-arm64/")));
    assert.ok(
      paths(moduleCandidates(mac)).includes(`/${name}darwin-arm64/claude`),
    );
    assert.ok(
      paths(moduleCandidates(windows)).includes(
        "D:\\node_modules\\@anthropic-ai\\claude-code-win32-x64\\claude.exe",
      ),
    );
  },
  { ids: ["W-01"] },
);

test("usualCandidates() knows the places of macOS", () => {
  const all = paths(usualCandidates(mac));
  for (
    const expected of [
      "/usr/local/bin/claude",
      "/opt/homebrew/bin/claude",
      "/Users/me/.npm-global/bin/claude",
      "/Users/me/.local/bin/claude",
      "/Users/me/.claude/local/claude",
    ]
  ) assert.ok(all.includes(expected), expected);
}, { ids: ["D-10", "W-01"] });

test("usualCandidates() knows the places of Linux", () => {
  const all = paths(usualCandidates(linux));
  for (
    const expected of [
      "/home/me/.local/bin/claude",
      "/home/me/.claude/local/claude",
      "/home/me/.npm-global/bin/claude",
      "/usr/local/bin/claude",
      "/usr/bin/claude",
      "/opt/claude/bin/claude",
      "/opt/bin/claude",
    ]
  ) assert.ok(all.includes(expected), expected);
  assert.ok(!all.some((path) => path.includes("homebrew/bin")));
}, { ids: ["D-11", "W-01"] });

test(
  "usualCandidates() knows the places of Windows, whatever the case of a variable",
  () => {
    const all = paths(usualCandidates(windows));
    for (
      const expected of [
        "C:\\Users\\me\\AppData\\Roaming\\npm\\claude.cmd",
        "C:\\Users\\me\\AppData\\Local\\Programs\\claude\\claude.exe",
        "C:\\Users\\me\\.local\\bin\\claude.exe",
        "C:\\Program Files\\nodejs\\claude.cmd",
      ]
    ) assert.ok(all.includes(expected), expected);
  },
  { ids: ["D-06", "W-01", "W-02"] },
);

test("usualCandidates() follows the prefixes of npm", () => {
  const all = paths(usualCandidates({
    ...linux,
    npmPrefix: "/srv/npm",
    env: { npm_config_prefix: "/p/npm", NPM_CONFIG_PREFIX: "/P/npm" },
  }));
  for (
    const expected of [
      "/srv/npm/bin/claude",
      "/p/npm/bin/claude",
      "/P/npm/bin/claude",
    ]
  ) assert.ok(all.includes(expected), expected);
  const prefixed = usualCandidates({ ...windows, npmPrefix: "E:\\npm" });
  assert.ok(paths(prefixed).includes("E:\\npm\\claude.cmd"));
}, { ids: ["D-09"] });

test("usualCandidates() leaves out what needs an unknown home", () => {
  const all = paths(usualCandidates({ ...linux, home: undefined }));
  assert.ok(all.length > 0);
  assert.ok(all.every((path) => !path.includes("undefined")));
});

test("namedCandidates() resolves paths and looks names up in PATH", () => {
  assert.deepEqual(namedCandidates("./c/claude", "option", linux), [
    { path: "/work space/c/claude", source: "option" },
  ]);
  assert.deepEqual(paths(namedCandidates("my-claude", "option", linux)), [
    "/usr/bin/my-claude",
    "/home/me/bin/my-claude",
    "/work space/tools/my-claude",
  ]);
  assert.deepEqual(
    paths(namedCandidates("C:/tools/claude", "environment", windows)),
    [
      "C:\\tools\\claude.exe",
      "C:\\tools\\claude.cmd",
      "C:\\tools\\claude.bat",
      "C:\\tools\\claude",
    ],
  );
  assert.deepEqual(
    paths(namedCandidates("C:\\a b\\claude.cmd", "option", windows)),
    ["C:\\a b\\claude.cmd"],
  );
}, { ids: ["D-06", "D-12", "W-03"] });

function paths(candidates: readonly Candidate[]): string[] {
  return candidates.map(({ path }) => path);
}
